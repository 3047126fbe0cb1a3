/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pool of reusable frame buffers.
 */
#ifndef KTPUT_FRAME_POOL_H
#define KTPUT_FRAME_POOL_H

#include <linux/sizes.h>
#include <linux/types.h>

struct ktput_quota;
struct mem_cgroup;
struct netlink_ext_ack;
struct page;
struct sk_buff;

/** KTPUT_POOL_BUFFERS - most buffers of a pool, and so most frames under way */
#define KTPUT_POOL_BUFFERS	1024

/** KTPUT_POOL_BYTES - most bytes of a pool's pages */
#define KTPUT_POOL_BYTES	SZ_16M

/**
 * struct ktput_frame_pool - reusable frame buffers
 * @quota: quota that the pages are charged to
 * @memcg: memory cgroup that they are charged to, or NULL
 * @pages: ring of compound pages, one per buffer, usually the oldest use first
 * @count: pages in the ring
 * @most: most pages in the ring
 * @next: index of the next buffer to use
 * @elsewhere: index to check when @next and some after it are in use
 * @order: order of the pages
 * @node: NUMA node of the pages
 * @headroom: bytes before a frame
 * @size: bytes of a buffer, including headroom and sk_buff overhead
 * @truesize: bytes of its page and of the sk_buff around it
 *
 * Only the stream's worker uses it.
 */
struct ktput_frame_pool {
	struct ktput_quota *quota;
	struct mem_cgroup *memcg;
	struct page **pages;
	u32 count;
	u32 most;
	u32 next;
	u32 elsewhere;
	u32 order;
	int node;
	u32 headroom;
	u32 size;
	u32 truesize;
};

int ktput_frame_pool_create(struct ktput_frame_pool *pool, struct ktput_quota *quota,
			    struct mem_cgroup *memcg, u32 headroom,
			    u32 frame, u32 tailroom, int node,
			    struct netlink_ext_ack *extack);
struct sk_buff *ktput_frame_pool_get(struct ktput_frame_pool *pool);
u32 ktput_frame_pool_away(const struct ktput_frame_pool *pool);
void ktput_frame_pool_destroy(struct ktput_frame_pool *pool);

#endif /* KTPUT_FRAME_POOL_H */
