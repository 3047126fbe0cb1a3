/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pool of reusable frame buffers.
 */
#ifndef KTPUT_FRAME_POOL_H
#define KTPUT_FRAME_POOL_H

#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "pages.h"

struct ktput_quota;
struct mem_cgroup;
struct netlink_ext_ack;
struct page;

/** KTPUT_POOL_BUFFERS - most buffers of a pool, and so most frames under way */
#define KTPUT_POOL_BUFFERS	1024

/** KTPUT_POOL_BYTES - most bytes of a pool's pages */
#define KTPUT_POOL_BYTES	SZ_16M

/**
 * struct ktput_frame_buffer - a reusable frame buffer
 * @page: compound page, with a reference of the pool's
 * @skb: sk_buff around it, with a reference of the pool's, if that recycles
 *	sk_buffs; or NULL
 */
struct ktput_frame_buffer {
	struct page *page;
	struct sk_buff *skb;
};

/**
 * struct ktput_frame_pool - reusable frame buffers
 * @quota: quota that the pages are charged to
 * @memcg: memory cgroup that they are charged to, or NULL
 * @buffers: ring of buffers, usually the oldest use first
 * @count: buffers in the ring
 * @most: most buffers in the ring
 * @next: index of the next buffer to use
 * @elsewhere: index to check when @next and some after it are in use
 * @order: order of the pages
 * @node: NUMA node of the pages
 * @headroom: bytes before a frame
 * @size: bytes of a buffer, including headroom and sk_buff overhead
 * @truesize: bytes of its page and of the sk_buff around it
 * @recycles: sk_buffs are kept and used again; set before the first frame
 * @fresh: what a recycled sk_buff is before it is sent, up to its pointers
 *
 * Only the stream's worker uses it.
 */
struct ktput_frame_pool {
	struct ktput_quota *quota;
	struct mem_cgroup *memcg;
	struct ktput_frame_buffer *buffers;
	u32 count;
	u32 most;
	u32 next;
	u32 elsewhere;
	u32 order;
	int node;
	u32 headroom;
	u32 size;
	u32 truesize;
	bool recycles;
	struct sk_buff fresh;
};

int ktput_frame_pool_create(struct ktput_frame_pool *pool, struct ktput_quota *quota,
			    struct mem_cgroup *memcg, u32 headroom,
			    u32 frame, u32 tailroom, int node,
			    struct netlink_ext_ack *extack);
struct sk_buff *ktput_frame_pool_look(struct ktput_frame_pool *pool);
void ktput_frame_pool_learn(struct ktput_frame_pool *pool,
			    const struct sk_buff *skb);
bool ktput_frame_pool_seek(struct ktput_frame_pool *pool);
u32 ktput_frame_pool_away(const struct ktput_frame_pool *pool);
void ktput_frame_pool_destroy(struct ktput_frame_pool *pool);

/**
 * ktput_frame_buffer_returned() - whether nobody else refers to a kept sk_buff
 * @buffer: buffer with an sk_buff
 *
 * A clone shares the buffer but not the references of the sk_buff. Whoever shares
 * an sk_buff may not give it another buffer (pskb_expand_head()). With the only
 * reference on both, nobody can take another. The barrier orders what follows
 * after the last user's accesses, as that of skb_unref() does.
 *
 * Return: true if the sk_buff may be written.
 */
static inline bool
ktput_frame_buffer_returned(const struct ktput_frame_buffer *buffer)
{
	if (refcount_read(&buffer->skb->users) != 1)
		return false;
	smp_acquire__after_ctrl_dep();
	return !skb_cloned(buffer->skb) && page_ref_count(buffer->page) == 2;
}

/**
 * ktput_frame_pool_recycle() - make an sk_buff what it was when it was new
 * @pool: pool, which has the only reference
 * @skb: sk_buff of a buffer
 *
 * Devices that permit sharing attach nothing to an sk_buff, but what they know
 * about it may change: a driver computes the checksum or a hash, or pads a frame.
 * Length and tail are those of the next frame.
 */
static __always_inline
void ktput_frame_pool_recycle(const struct ktput_frame_pool *pool,
			      struct sk_buff *skb)
{
	skb->next = NULL;
	skb->prev = NULL;
	skb->dev = pool->fresh.dev;
	skb->tstamp = 0;
	skb_copy_queue_mapping(skb, &pool->fresh);
	memcpy(&skb->headers, &pool->fresh.headers, sizeof(skb->headers));
	skb->data = skb->head + pool->headroom;
	/* No other reference: nobody else accesses the count. */
	refcount_set(&skb->users, 2);
}

/**
 * ktput_frame_pool_go_on() - go on to the next buffer
 * @pool: pool
 */
static __always_inline
void ktput_frame_pool_go_on(struct ktput_frame_pool *pool)
{
	if (++pool->next == pool->count)
		pool->next = 0;
}

/**
 * ktput_frame_pool_get() - get an sk_buff with a free buffer
 * @pool: pool
 *
 * Called with bottom halves disabled. Inline for an sk_buff that has come back in
 * time.
 *
 * Return: an sk_buff with room for a frame, and a device if it is as
 * ktput_frame_pool_learn() was told; or NULL if all checked buffers are in use, or
 * without memory.
 */
static __always_inline
struct sk_buff *ktput_frame_pool_get(struct ktput_frame_pool *pool)
{
	const struct ktput_frame_buffer *buffer = &pool->buffers[pool->next];
	struct sk_buff *skb = buffer->skb;

	if (!skb || unlikely(!ktput_frame_buffer_returned(buffer)))
		return ktput_frame_pool_look(pool);
	ktput_frame_pool_go_on(pool);
	ktput_frame_pool_recycle(pool, skb);
	return skb;
}

/**
 * ktput_frame_pool_page() - get a free buffer, for a frame that is no sk_buff
 * @pool: pool that does not recycle sk_buffs
 *
 * Called with bottom halves disabled. Inline for a page that has come back in time.
 *
 * Return: its page, with a reference that whoever frees the frame drops; or NULL
 * if all checked buffers are in use, or without memory.
 */
static __always_inline
struct page *ktput_frame_pool_page(struct ktput_frame_pool *pool)
{
	struct page *page = pool->buffers[pool->next].page;

	if (unlikely(!ktput_pages_returned(page))) {
		if (!ktput_frame_pool_seek(pool))
			return NULL;
		page = pool->buffers[pool->next].page;
	}
	page_ref_inc(page);
	ktput_frame_pool_go_on(pool);
	return page;
}

#endif /* KTPUT_FRAME_POOL_H */
