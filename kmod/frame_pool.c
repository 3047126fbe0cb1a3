// SPDX-License-Identifier: GPL-2.0
/*
 * A pool of buffers that frames are written into, time and again.
 *
 * A buffer is a page on which the pool keeps a reference. An sk_buff that is
 * built around it has another, and drops it when it is freed, by whomever and
 * wherever: the buffer is back when the pool's reference is the only one. So
 * nothing calls back into the module, nor waits for it.
 *
 * Devices free frames in the order in which they got them, mostly. So the oldest
 * buffer is the first to be looked at. Somebody may keep a frame for longer, for
 * good perhaps: a socket that nobody reads. So the next few are looked at too, and
 * where none of them is free, some more at another place, which goes on through
 * the ring each time: those who keep many frames in a row are passed by as well.
 *
 * Where all of these are away, a new buffer is added, until there are
 * KTPUT_POOL_BUFFERS, or KTPUT_POOL_BYTES, or the namespace has its fill: the ring
 * becomes as long as the device's queue is, and its pages stay in the cache where
 * that is short.
 *
 * A page_pool would take frames back in any order as well, but: who frees them on
 * another CPU takes the lock of its ring for each, while here the reference count
 * of the page is all that is shared; it bounds what it keeps, not what is under
 * way; and with a frame that is never freed, its end is retried, with a warning a
 * minute, after the run and the module are gone.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "frame_pool.h"
#include "quota.h"

/* Buffers that are looked at from the oldest on, and elsewhere. */
#define LOOKS		8
#define LOOKS_ELSEWHERE	64

/*
 * Zeroed, as frames want it; headers are written anew each time. Who gets a
 * frame may change its headers, but has no business with the payload.
 */
static struct page *new_page(const struct ktput_frame_pool *pool, gfp_t gfp,
			     struct netlink_ext_ack *extack)
{
	const long bytes = PAGE_SIZE << pool->order;
	struct page *page;
	int error;

	error = ktput_quota_take(pool->quota, KTPUT_RESOURCE_FRAMES, bytes,
				 extack);
	if (error)
		return ERR_PTR(error);
	if (pool->order)
		gfp |= __GFP_COMP;
	page = alloc_pages_node(pool->node, gfp | __GFP_ZERO | __GFP_NOWARN,
				pool->order);
	if (page)
		return page;
	ktput_quota_give(pool->quota, KTPUT_RESOURCE_FRAMES, bytes);
	return ERR_PTR(-ENOMEM);
}

/**
 * ktput_frame_pool_create() - make a pool with a single buffer
 * @pool: zeroed; undone by ktput_frame_pool_destroy(), after an error as well
 * @quota: that its pages are taken from; stays until it is undone
 * @headroom: bytes before a frame
 * @frame: bytes of the largest frame
 * @tailroom: bytes behind it
 * @node: NUMA node
 * @extack: told why it is refused
 *
 * Return: 0; -EBUSY where the quota is used up; -ENOMEM.
 */
int ktput_frame_pool_create(struct ktput_frame_pool *pool, struct ktput_quota *quota,
			    u32 headroom, u32 frame, u32 tailroom, int node,
			    struct netlink_ext_ack *extack)
{
	struct page *page;

	pool->quota = quota;
	pool->headroom = headroom;
	pool->size = SKB_DATA_ALIGN(headroom + frame + tailroom) +
		     SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	pool->order = get_order(pool->size);
	pool->most = min_t(u32, KTPUT_POOL_BUFFERS,
			   KTPUT_POOL_BYTES / (PAGE_SIZE << pool->order));
	pool->node = node;
	pool->pages = kvcalloc(pool->most, sizeof(*pool->pages),
			       GFP_KERNEL_ACCOUNT);
	if (!pool->pages)
		return -ENOMEM;
	page = new_page(pool, GFP_KERNEL_ACCOUNT, extack);
	if (IS_ERR(page))
		return PTR_ERR(page);
	pool->pages[0] = page;
	pool->count = 1;
	return 0;
}

/*
 * The one that is away goes to the end of the ring, where its turn comes
 * later than it could, which does no harm.
 */
static bool grow(struct ktput_frame_pool *pool)
{
	struct page *page;

	if (pool->count == pool->most)
		return false;
	page = new_page(pool, GFP_ATOMIC, NULL);
	if (IS_ERR(page))
		return false;
	pool->pages[pool->count++] = pool->pages[pool->next];
	pool->pages[pool->next] = page;
	return true;
}

/*
 * Nobody else can take a reference once the pool has the only one. Whoever dropped
 * the last had done with the buffer before (a full barrier comes with it), and what
 * is written into it depends on what is read here.
 */
static bool is_free(const struct ktput_frame_pool *pool, u32 at)
{
	return page_ref_count(pool->pages[at]) == 1;
}

/* Goes on to a free buffer, or past so many that are away. */
static bool go_on(const struct ktput_frame_pool *pool, u32 *at, u32 looks)
{
	for (looks = min(looks, pool->count); looks; looks--) {
		if (is_free(pool, *at))
			return true;
		if (++*at == pool->count)
			*at = 0;
	}
	return false;
}

/* A buffer in place of the next, which is away: it becomes the next. */
static bool find_another(struct ktput_frame_pool *pool)
{
	u32 at = pool->next;

	if (!go_on(pool, &at, LOOKS)) {
		if (!go_on(pool, &pool->elsewhere, LOOKS_ELSEWHERE))
			return grow(pool);
		at = pool->elsewhere;
	}
	pool->next = at;
	return true;
}

/**
 * ktput_frame_pool_get() - an sk_buff around a buffer
 * @pool: pool
 *
 * Bottom halves are off.
 *
 * Return: an empty sk_buff with room for a frame, or NULL while all buffers that
 * were looked at are away, or without memory.
 */
struct sk_buff *ktput_frame_pool_get(struct ktput_frame_pool *pool)
{
	struct sk_buff *skb;
	struct page *page;

	if (unlikely(!is_free(pool, pool->next) && !find_another(pool)))
		return NULL;
	page = pool->pages[pool->next];
	skb = napi_build_skb(page_address(page), pool->size);
	if (unlikely(!skb))
		return NULL;
	page_ref_inc(page);
	if (++pool->next == pool->count)
		pool->next = 0;
	skb_reserve(skb, pool->headroom);
	return skb;
}

/**
 * ktput_frame_pool_away() - how many buffers are still on their way
 * @pool: pool
 *
 * Return: buffers that an sk_buff refers to.
 */
u32 ktput_frame_pool_away(const struct ktput_frame_pool *pool)
{
	u32 i, away = 0;

	for (i = 0; i < pool->count; i++)
		away += page_ref_count(pool->pages[i]) != 1;
	return away;
}

/**
 * ktput_frame_pool_destroy() - let go of a pool's buffers
 * @pool: pool, created or zeroed
 *
 * Those that are away are freed with the frames.
 */
void ktput_frame_pool_destroy(struct ktput_frame_pool *pool)
{
	u32 i;

	for (i = 0; i < pool->count; i++) {
		__free_pages(pool->pages[i], pool->order);
		ktput_quota_give(pool->quota, KTPUT_RESOURCE_FRAMES,
				 PAGE_SIZE << pool->order);
	}
	kvfree(pool->pages);
}
