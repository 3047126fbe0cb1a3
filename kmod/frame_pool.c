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
 * Where a device permits it, the sk_buff is kept as well: the pool holds a second
 * reference on it, so that the device's free is none. It is free when the pool's
 * reference is the only one and nobody has a clone. It is then made again what it
 * was when it was new. So no sk_buff is passed on while it is under way.
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

/* Bytes of an sk_buff that is kept. */
#define SKB_BYTES	SKB_DATA_ALIGN(sizeof(struct sk_buff))

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
			 SKB_BYTES;
	pool->most = min_t(u32, KTPUT_POOL_BUFFERS,
			   KTPUT_POOL_BYTES / (PAGE_SIZE << pool->order));
	pool->node = node;
	pool->buffers = kvcalloc(pool->most, sizeof(*pool->buffers),
				 GFP_KERNEL_ACCOUNT);
	if (!pool->buffers)
		return -ENOMEM;
	page = new_page(pool, GFP_KERNEL, extack);
	if (IS_ERR(page))
		return PTR_ERR(page);
	pool->buffers[0].page = page;
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
	pool->buffers[pool->count++] = pool->buffers[pool->next];
	pool->buffers[pool->next] = (struct ktput_frame_buffer) { page };
	return true;
}

static bool is_free(const struct ktput_frame_pool *pool, u32 at)
{
	const struct ktput_frame_buffer *buffer = &pool->buffers[at];

	return buffer->skb ? ktput_frame_buffer_returned(buffer) :
			     ktput_pages_returned(buffer->page);
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

/**
 * ktput_frame_pool_seek() - make another buffer the next one, since that is in use
 * @pool: pool
 *
 * Called with bottom halves disabled.
 *
 * Return: false if all checked buffers are in use, or without memory.
 */
bool ktput_frame_pool_seek(struct ktput_frame_pool *pool)
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

static struct sk_buff *build(struct ktput_frame_pool *pool,
			     struct ktput_frame_buffer *buffer)
{
	struct sk_buff *skb;

	skb = napi_build_skb(page_address(buffer->page), pool->size);
	if (unlikely(!skb))
		return NULL;
	page_ref_inc(buffer->page);
	/* Whoever keeps the frame keeps the whole page. */
	skb->truesize = pool->truesize;
	skb_reserve(skb, pool->headroom);
	if (pool->recycles &&
	    !ktput_quota_take(pool->quota, KTPUT_RESOURCE_FRAMES, SKB_BYTES,
			      NULL))
		buffer->skb = skb_get(skb);
	return skb;
}

static void let_go(const struct ktput_frame_pool *pool,
		   struct ktput_frame_buffer *buffer)
{
	if (!buffer->skb)
		return;
	consume_skb(buffer->skb);
	buffer->skb = NULL;
	ktput_quota_give(pool->quota, KTPUT_RESOURCE_FRAMES, SKB_BYTES);
}

/**
 * ktput_frame_pool_look() - get an sk_buff, whose buffer has to be looked for or built
 * @pool: pool
 *
 * Called with bottom halves disabled.
 *
 * Return: as ktput_frame_pool_get().
 */
struct sk_buff *ktput_frame_pool_look(struct ktput_frame_pool *pool)
{
	struct ktput_frame_buffer *buffer;
	struct sk_buff *skb;

	if (unlikely(!is_free(pool, pool->next) && !ktput_frame_pool_seek(pool)))
		return NULL;
	buffer = &pool->buffers[pool->next];
	skb = buffer->skb;
	if (skb)
		ktput_frame_pool_recycle(pool, skb);
	else
		skb = build(pool, buffer);
	if (likely(skb))
		ktput_frame_pool_go_on(pool);
	return skb;
}

/**
 * ktput_frame_pool_learn() - tell what sk_buffs are when they are used again
 * @pool: pool that recycles them
 * @skb: a new one, empty, with all that frames have in common
 */
void ktput_frame_pool_learn(struct ktput_frame_pool *pool,
			    const struct sk_buff *skb)
{
	memcpy(&pool->fresh, skb, offsetof(struct sk_buff, tail));
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

	for (i = 0; i < pool->count; i++) {
		let_go(pool, &pool->buffers[i]);
		ktput_pages_release(pool->buffers[i].page, pool->quota);
	}
	kvfree(pool->buffers);
}
