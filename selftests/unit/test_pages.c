// SPDX-License-Identifier: GPL-2.0
/* pages: what frames keep is charged until it has come back, a part at a time. */
#include "kernel.h"

#include <string.h>

#define HZ			250
#define PAGE_SIZE		4096L
#define GFP_KERNEL		0x1u
#define GFP_NOWAIT		0x2u
#define __GFP_ZERO		0x10u
#define __GFP_ACCOUNT		0x20u
#define __GFP_NOWARN		0x40u
#define __GFP_COMP		0x80u

#define gfp_t			unsigned int

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }
#define list_empty(head)	((head)->next == (head))
#define list_first_entry(head, type, member)				\
	container_of((head)->next, type, member)
#define list_for_each_entry_safe(at, after, head, member)		\
	for (at = list_first_entry(head, struct page, member),		\
	     after = list_first_entry(&at->member, struct page, member); \
	     &at->member != (head);					\
	     at = after, after = list_first_entry(&at->member, struct page, member))

static void list_add_tail(struct list_head *entry, struct list_head *head)
{
	entry->prev = head->prev;
	entry->next = head;
	head->prev->next = entry;
	head->prev = entry;
}

static void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
}

static void list_move_tail(struct list_head *entry, struct list_head *head)
{
	list_del(entry);
	list_add_tail(entry, head);
}

static void list_splice_tail(struct list_head *list, struct list_head *head)
{
	while (!list_empty(list))
		list_move_tail(list->next, head);
}

static void list_splice(struct list_head *list, struct list_head *head)
{
	LIST_HEAD(behind);

	list_splice_tail(head, &behind);
	list_splice_tail(list, head);
	list_splice_tail(&behind, head);
}

#define list_splice_init	list_splice_tail

struct page {
	struct list_head lru;
	unsigned long private;
	unsigned int order;
	int references;
};

#define page_ref_count(page)		((page)->references)
#define page_private(page)		((page)->private)
#define set_page_private(page, value)	((page)->private = (value))
#define compound_order(page)		((page)->order)

struct mem_cgroup {
	int unused;
};

static struct mem_cgroup *active;
/* What the last page was allocated with; how many there are. */
static struct mem_cgroup *charged;
static gfp_t flags;
static long pages;

static struct mem_cgroup *set_active_memcg(struct mem_cgroup *memcg)
{
	struct mem_cgroup *before = active;

	active = memcg;
	return before;
}

static struct page *alloc_pages_node(int node, gfp_t gfp, unsigned int order)
{
	struct page *page = calloc(1, sizeof(*page));

	(void)node;
	charged = active;
	flags = gfp;
	page->order = order;
	page->references = 1;
	pages++;
	return page;
}

static void __free_pages(struct page *page, unsigned int order)
{
	if (order != page->order)
		abort();
	if (--page->references)
		return;
	pages--;
	free(page);
}

#define DEFINE_SPINLOCK(name)	struct spinlock name
#define spin_lock(lock)		((void)(lock))
#define spin_unlock(lock)	((void)(lock))
#define cond_resched()		((void)0)

struct work_struct {
	int unused;
};

#define DECLARE_DELAYED_WORK(name, function)				\
	struct work_struct name;					\
	static void (*const name ## _function)(struct work_struct *) = function
#define queue_delayed_work(queue, work, delay)	(queued = (delay))
#define cancel_delayed_work_sync(work)		((void)(work), queued = 0)

/* The delay of the work that is queued, or 0. */
static int queued;

struct ktput_quota {
	int references;
	long used;
};

/* The kernel's own warnings do not have this one. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../kmod/pages.c"
#pragma GCC diagnostic pop
#include "test.h"

struct ktput_quota *ktput_quota_get(struct ktput_quota *quota)
{
	quota->references++;
	return quota;
}

void ktput_quota_put(struct ktput_quota *quota)
{
	quota->references--;
}

void ktput_quota_add(struct ktput_quota *quota, enum ktput_resource resource,
		     long amount)
{
	if (resource != KTPUT_RESOURCE_FRAMES)
		abort();
	quota->used += amount;
}

void ktput_quota_give(struct ktput_quota *quota, enum ktput_resource resource,
		      long amount)
{
	ktput_quota_add(quota, resource, -amount);
}

static struct page *a_page(unsigned int order)
{
	return ktput_pages_alloc(NULL, 0, order, GFP_KERNEL);
}

/* The work, if it is queued. */
static void later(void)
{
	if (!queued)
		return;
	queued = 0;
	look_work_function(NULL);
}

static void allocation(void)
{
	struct mem_cgroup outer, group;
	struct page *page;

	active = &outer;
	page = ktput_pages_alloc(&group, 0, 0, GFP_NOWAIT);
	TEST_TRUE("charged to the group", charged == &group);
	TEST_TRUE("and then to the outer one again", active == &outer);
	TEST_U64("flags", flags, GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN);
	__free_pages(page, 0);
	page = ktput_pages_alloc(&group, 0, 3, GFP_KERNEL | __GFP_ZERO);
	TEST_U64("flags of order 3", flags, GFP_KERNEL | __GFP_ZERO | __GFP_ACCOUNT |
		 __GFP_NOWARN | __GFP_COMP);
	__free_pages(page, 3);
	active = NULL;
}

static void returned(void)
{
	struct ktput_quota quota = { 1, 3 * PAGE_SIZE };

	ktput_pages_release(a_page(1), &quota);
	TEST_U64("charged", (u64)quota.used, PAGE_SIZE);
	TEST_U64("pages", (u64)pages, 0);
	ktput_pages_leave(a_page(5), &quota);
	TEST_U64("charged", (u64)quota.used, PAGE_SIZE);
	TEST_U64("pages", (u64)pages, 0);
	TEST_TRUE("nothing is to be done", !queued);
	TEST_U64("references", (u64)quota.references, 1);
}

static void kept_by_frames(void)
{
	struct ktput_quota quota = { 1, PAGE_SIZE };
	struct page *frame = a_page(0), *payload = a_page(5);

	frame->references++;
	payload->references++;
	ktput_pages_release(frame, &quota);
	ktput_pages_leave(payload, &quota);
	TEST_U64("charged", (u64)quota.used, 33 * PAGE_SIZE);
	TEST_U64("references", (u64)quota.references, 3);
	TEST_U64("looks in", (u64)queued, HZ / 10);
	later();
	TEST_U64("charged still", (u64)quota.used, 33 * PAGE_SIZE);
	TEST_U64("looks again in", (u64)queued, HZ / 10);
	__free_pages(payload, 5);
	later();
	TEST_U64("charged for the frame", (u64)quota.used, PAGE_SIZE);
	TEST_U64("references", (u64)quota.references, 2);
	__free_pages(frame, 0);
	TEST_U64("pages", (u64)pages, 1);
	later();
	TEST_U64("charged", (u64)quota.used, 0);
	TEST_U64("references", (u64)quota.references, 1);
	TEST_U64("pages", (u64)pages, 0);
	TEST_TRUE("looks no more", !queued);
}

/* Each look is bounded, and all pages have their turn. */
static void many(void)
{
	const int count = 5 * LOOKS / 2;
	struct ktput_quota quota = { 1, count * PAGE_SIZE };
	struct page **all = calloc((size_t)count, sizeof(*all));

	for (int i = 0; i < count; i++) {
		all[i] = a_page(0);
		all[i]->references++;
		ktput_pages_release(all[i], &quota);
	}
	later();
	TEST_U64("all are kept", (u64)pages, (u64)count);
	/* Those that the next look begins with, and those it comes to later. */
	for (int i = 0; i < count; i++)
		__free_pages(all[i], 0);
	later();
	TEST_U64("a look frees", (u64)(count - pages), LOOKS);
	later();
	TEST_U64("two looks free", (u64)(count - pages), 2 * LOOKS);
	later();
	TEST_U64("three looks leave", (u64)pages, 0);
	TEST_U64("charged", (u64)quota.used, 0);
	TEST_U64("references", (u64)quota.references, 1);
	free(all);
}

/* The oldest page is never freed, and no other waits for it. */
static void in_turn(void)
{
	const int count = 2 * LOOKS;
	struct ktput_quota quota = { 1, (count + 1) * PAGE_SIZE };
	struct page *last, **all = calloc((size_t)count, sizeof(*all));

	for (int i = 0; i < count; i++) {
		all[i] = a_page(0);
		all[i]->references++;
		ktput_pages_release(all[i], &quota);
	}
	last = a_page(0);
	last->references++;
	ktput_pages_release(last, &quota);
	__free_pages(last, 0);
	for (int i = 0; i < 3; i++)
		later();
	TEST_U64("the last is free", (u64)pages, (u64)count);
	ktput_pages_exit();
	TEST_U64("left to the frames", (u64)pages, (u64)count);
	TEST_U64("references", (u64)quota.references, 1);
	TEST_TRUE("looks no more", !queued);
	for (int i = 0; i < count; i++)
		__free_pages(all[i], 0);
	TEST_U64("all are free", (u64)pages, 0);
	free(all);
}

static const struct test_case cases[] = {
	{ "who is charged", allocation },
	{ "pages that no frame refers to", returned },
	{ "pages that frames keep", kept_by_frames },
	{ "many pages", many },
	{ "pages that are kept for ever", in_turn },
};

TEST_MAIN(cases)
