/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pool of buffers that frames are written into, time and again.
 */
#ifndef KTPUT_FRAME_POOL_H
#define KTPUT_FRAME_POOL_H

#include <linux/sizes.h>
#include <linux/types.h>

struct ktput_quota;
struct netlink_ext_ack;
struct page;
struct sk_buff;

/** KTPUT_POOL_BUFFERS - buffers of a pool, and so frames under way, at most */
#define KTPUT_POOL_BUFFERS	1024

/** KTPUT_POOL_BYTES - bytes of a pool's pages, at most */
#define KTPUT_POOL_BYTES	SZ_16M

/**
 * struct ktput_frame_pool - buffers that frames are written into, time and again
 * @quota: that the pages are taken from
 * @pages: ring of compound pages, a buffer each, the oldest use first as a rule
 * @count: pages in the ring
 * @most: pages that it may have
 * @next: which is the next to be used
 * @elsewhere: which to look at where @next and some after it are away
 * @order: order of the pages
 * @node: NUMA node of the pages
 * @headroom: bytes before a frame
 * @size: bytes of a buffer, headroom and what belongs to an sk_buff included
 *
 * The stream's worker alone uses it.
 */
struct ktput_frame_pool {
	struct ktput_quota *quota;
	struct page **pages;
	u32 count;
	u32 most;
	u32 next;
	u32 elsewhere;
	u32 order;
	int node;
	u32 headroom;
	u32 size;
};

int ktput_frame_pool_create(struct ktput_frame_pool *pool, struct ktput_quota *quota,
			    u32 headroom, u32 frame, u32 tailroom, int node,
			    struct netlink_ext_ack *extack);
struct sk_buff *ktput_frame_pool_get(struct ktput_frame_pool *pool);
u32 ktput_frame_pool_away(const struct ktput_frame_pool *pool);
void ktput_frame_pool_destroy(struct ktput_frame_pool *pool);

#endif /* KTPUT_FRAME_POOL_H */
