// SPDX-License-Identifier: GPL-2.0
/*
 * A pool of reusable frame buffers.
 *
 * A buffer is a page on which the pool keeps a reference. An sk_buff built
 * around it takes another, and drops it when freed, wherever that happens. A
 * buffer is free when the pool's reference is the only one. So freeing an
 * sk_buff neither calls back into the module nor waits for it.
 *
 * Devices mostly free frames in order, so the oldest buffer is checked first.
 * Some frames may be kept longer, perhaps forever: by a socket that is never
 * read, for one. So the next few are checked too, and if none of them is free,
 * some more at another position, which advances through the ring each time.
 * This also skips long runs of kept frames.
 *
 * If all of these are in use, a new buffer is added, up to KTPUT_POOL_BUFFERS,
 * KTPUT_POOL_BYTES or the namespace's quota. So the ring grows to the length of
 * the device's queue, and with a short queue its pages stay in the cache.
 *
 * A page_pool would also take frames back in any order, but it has three
 * drawbacks. Freeing on another CPU takes its ring lock for each frame, while
 * here only the page's reference count is shared. It bounds the pages it keeps,
 * not those under way. And if a frame is never freed, its destruction is
 * retried, with a warning every minute, after the run and the module are gone.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "frame_pool.h"
#include "pages.h"
#include "quota.h"

/* Buffers checked from the oldest on, and at the other position. */
#define LOOKS		8
#define LOOKS_ELSEWHERE	64

/* Zeroed, so that frames contain nothing that somebody else has written. */
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
	page = ktput_pages_alloc(pool->memcg, pool->node, pool->order,
				 gfp | __GFP_ZERO);
	if (page)
		return page;
	ktput_quota_give(pool->quota, KTPUT_RESOURCE_FRAMES, bytes);
	return ERR_PTR(-ENOMEM);
}

/**
 * ktput_frame_pool_create() - make a pool with a single buffer
 * @pool: zeroed; undone by ktput_frame_pool_destroy(), after an error as well
 * @quota: quota that its pages are charged to; must outlive the pool
 * @memcg: memory cgroup that they are charged to, or NULL; must outlive it too
 * @headroom: bytes before a frame
 * @frame: bytes of the largest frame
 * @tailroom: bytes behind a frame
 * @node: NUMA node
 * @extack: gets the reason of a refusal
 *
 * Return: 0; -EBUSY if the quota is used up; -ENOMEM.
 */
int ktput_frame_pool_create(struct ktput_frame_pool *pool, struct ktput_quota *quota,
			    struct mem_cgroup *memcg, u32 headroom,
			    u32 frame, u32 tailroom, int node,
			    struct netlink_ext_ack *extack)
{
	struct page *page;

	pool->quota = quota;
	pool->memcg = memcg;
	pool->headroom = headroom;
	pool->size = SKB_DATA_ALIGN(headroom + frame + tailroom) +
		     SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	pool->order = get_order(pool->size);
	pool->truesize = (PAGE_SIZE << pool->order) +
			 SKB_DATA_ALIGN(sizeof(struct sk_buff));
	pool->most = min_t(u32, KTPUT_POOL_BUFFERS,
			   KTPUT_POOL_BYTES / (PAGE_SIZE << pool->order));
	pool->node = node;
	pool->pages = kvcalloc(pool->most, sizeof(*pool->pages),
			       GFP_KERNEL_ACCOUNT);
	if (!pool->pages)
		return -ENOMEM;
	page = new_page(pool, GFP_KERNEL, extack);
	if (IS_ERR(page))
		return PTR_ERR(page);
	pool->pages[0] = page;
	pool->count = 1;
	return 0;
}

/*
 * The buffer in use moves to the end of the ring. It is then used later than it
 * could be, which is harmless.
 */
static bool grow(struct ktput_frame_pool *pool)
{
	struct page *page;

	if (pool->count == pool->most)
		return false;
	page = new_page(pool, GFP_NOWAIT, NULL);
	if (IS_ERR(page))
		return false;
	pool->pages[pool->count++] = pool->pages[pool->next];
	pool->pages[pool->next] = page;
	return true;
}

static bool is_free(const struct ktput_frame_pool *pool, u32 at)
{
	return ktput_pages_returned(pool->pages[at]);
}

/* Advances to a free buffer, past at most @looks buffers in use. */
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

/* Makes another buffer the next one, since that is in use. */
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
 * ktput_frame_pool_get() - build an sk_buff around a free buffer
 * @pool: pool
 *
 * Called with bottom halves disabled.
 *
 * Return: an empty sk_buff with room for a frame, or NULL if all checked
 * buffers are in use, or without memory.
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
	/* Whoever keeps the frame keeps the whole page. */
	skb->truesize = pool->truesize;
	if (++pool->next == pool->count)
		pool->next = 0;
	skb_reserve(skb, pool->headroom);
	return skb;
}

/**
 * ktput_frame_pool_away() - number of buffers in use
 * @pool: pool
 *
 * Return: buffers that an sk_buff refers to.
 */
u32 ktput_frame_pool_away(const struct ktput_frame_pool *pool)
{
	u32 i, away = 0;

	for (i = 0; i < pool->count; i++)
		away += !is_free(pool, i);
	return away;
}

/**
 * ktput_frame_pool_destroy() - release a pool's buffers
 * @pool: pool, created or zeroed
 *
 * Buffers in use are freed, and no longer charged, once their frames are.
 */
void ktput_frame_pool_destroy(struct ktput_frame_pool *pool)
{
	u32 i;

	for (i = 0; i < pool->count; i++)
		ktput_pages_release(pool->pages[i], pool->quota);
	kvfree(pool->pages);
}
