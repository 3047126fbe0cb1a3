// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that frames refer to: who they are charged to, and until when.
 *
 * A frame may be kept for as long as somebody likes, by a socket that is never
 * read for one, and longer than its run and its namespace. Nothing tells the
 * module when it is freed, see frame_pool.c. So the module keeps its own
 * reference on a page that frames still refer to when their run ends, looks at
 * it from time to time, and uncharges the quota when the page has come back.
 * The memory cgroup is uncharged by the kernel when the page is freed.
 *
 * A page in the list is linked by its lru, and its private is the quota, which
 * it has a reference on. Both belong to who allocated the page. Its lru is read
 * by others for two bits of it alone (page_is_pfmemalloc(), PP_SIGNATURE), which
 * a pointer to a list has not set.
 */
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "pages.h"
#include "quota.h"

/*
 * Pages looked at each time, and how often. All that the quotas of foreign
 * namespaces admit together, 2 GiB, are looked at within four seconds, for less
 * than a percent of a CPU.
 */
#define LOOKS		16384
#define INTERVAL	(HZ / 10)

static void look(struct work_struct *unused);

/* Pages that frames of runs which have ended refer to. */
static LIST_HEAD(kept);
static DEFINE_SPINLOCK(kept_lock);
static DECLARE_DELAYED_WORK(look_work, look);

/**
 * ktput_pages_alloc() - allocate a page on behalf of who asked for a run
 * @memcg: memory cgroup to charge, or NULL for none
 * @node: NUMA node
 * @order: order of the page
 * @gfp: GFP_KERNEL, or GFP_NOWAIT in any context; and __GFP_ZERO
 *
 * GFP_ATOMIC would take from the kernel's reserves, and exceed the limit of the
 * memory cgroup. Nobody is worse off here without memory: a stream waits for a
 * page of its own to come back.
 *
 * Return: the page, compound if @order is not 0; NULL without memory.
 */
struct page *ktput_pages_alloc(struct mem_cgroup *memcg, int node,
			       unsigned int order, gfp_t gfp)
{
	struct mem_cgroup *before = set_active_memcg(memcg);
	struct page *page;

	gfp |= __GFP_ACCOUNT | __GFP_NOWARN | (order ? __GFP_COMP : 0);
	page = alloc_pages_node(node, gfp, order);
	set_active_memcg(before);
	return page;
}

static void free_page_of(struct page *page, struct ktput_quota *quota)
{
	const unsigned int order = compound_order(page);

	__free_pages(page, order);
	ktput_quota_give(quota, KTPUT_RESOURCE_FRAMES, PAGE_SIZE << order);
}

/**
 * ktput_pages_release() - release a page that is charged to a quota
 * @page: page; the caller's reference is consumed
 * @quota: quota of which KTPUT_RESOURCE_FRAMES is charged for the page, until
 *	no frame refers to it any more
 *
 * Process context.
 */
void ktput_pages_release(struct page *page, struct ktput_quota *quota)
{
	if (ktput_pages_returned(page)) {
		free_page_of(page, quota);
		return;
	}
	set_page_private(page, (unsigned long)ktput_quota_get(quota));
	spin_lock(&kept_lock);
	list_add_tail(&page->lru, &kept);
	spin_unlock(&kept_lock);
	queue_delayed_work(system_unbound_wq, &look_work, INTERVAL);
}

/**
 * ktput_pages_leave() - release a page that is charged to no quota
 * @page: page; the caller's reference is consumed
 * @quota: quota of which KTPUT_RESOURCE_FRAMES is charged, perhaps beyond its
 *	bound, if and as long as frames refer to the page
 *
 * Process context.
 */
void ktput_pages_leave(struct page *page, struct ktput_quota *quota)
{
	const unsigned int order = compound_order(page);

	if (ktput_pages_returned(page)) {
		__free_pages(page, order);
		return;
	}
	ktput_quota_add(quota, KTPUT_RESOURCE_FRAMES, PAGE_SIZE << order);
	ktput_pages_release(page, quota);
}

/* Takes a page out of the list for good, as it was allocated. */
static struct ktput_quota *unlink(struct page *page)
{
	struct ktput_quota *quota = (struct ktput_quota *)page_private(page);

	list_del(&page->lru);
	set_page_private(page, 0);
	return quota;
}

static void look(struct work_struct *unused)
{
	unsigned int looks;
	LIST_HEAD(looked_at);
	LIST_HEAD(ahead);
	bool left;

	spin_lock(&kept_lock);
	list_splice_init(&kept, &ahead);
	spin_unlock(&kept_lock);

	for (looks = LOOKS; looks && !list_empty(&ahead); looks--) {
		struct page *page = list_first_entry(&ahead, struct page, lru);
		struct ktput_quota *quota;

		if (ktput_pages_returned(page)) {
			quota = unlink(page);
			free_page_of(page, quota);
			ktput_quota_put(quota);
		} else {
			list_move_tail(&page->lru, &looked_at);
		}
		cond_resched();
	}

	spin_lock(&kept_lock);
	list_splice(&ahead, &kept);
	list_splice_tail(&looked_at, &kept);
	left = !list_empty(&kept);
	spin_unlock(&kept_lock);
	if (left)
		queue_delayed_work(system_unbound_wq, &look_work, INTERVAL);
}

/**
 * ktput_pages_exit() - leave pages to the frames that still refer to them
 *
 * No run is left. Quotas end with the module.
 */
void ktput_pages_exit(void)
{
	struct page *page, *next;

	cancel_delayed_work_sync(&look_work);
	list_for_each_entry_safe(page, next, &kept, lru) {
		const unsigned int order = compound_order(page);

		ktput_quota_put(unlink(page));
		__free_pages(page, order);
	}
}
