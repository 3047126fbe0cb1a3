// SPDX-License-Identifier: GPL-2.0
/* quota: what namespaces may use, each by itself and together. */
#include "kernel.h"
#include <linux/ktput.h>

struct atomic_long {
	long value;
};

#define atomic_long_t			struct atomic_long

#define atomic_long_read(from)		((from)->value)
#define atomic_long_add(amount, to)	((to)->value += (amount))
#define atomic_long_sub(amount, from)	((from)->value -= (amount))
#define atomic_long_try_cmpxchg(at, before, after)			\
	((at)->value = (after), (void)(before), true)

struct kref {
	int count;
};

static void kref_init(struct kref *ref)
{
	ref->count = 1;
}

static void kref_get(struct kref *ref)
{
	ref->count++;
}

static void kref_put(struct kref *ref, void (*release)(struct kref *ref))
{
	if (!--ref->count)
		release(ref);
}

struct netlink_ext_ack {
	const char *_msg;
};

struct user_namespace {
	int unused;
};

static struct user_namespace init_user_ns, other_user_ns;

struct net {
	struct user_namespace *user_ns;
};

static const struct net init_net = { &init_user_ns };
static const struct net other_net = { &other_user_ns };

#include "../../kmod/quota.c"
#include "test.h"

static void takes(const char *what, struct ktput_quota *quota,
		  enum ktput_resource goods, long amount)
{
	TEST_U64(what, (u64)-ktput_quota_take(quota, goods, amount, NULL), 0);
}

/* Refused with a sentence, and nothing of it is used. */
static void refuses(const char *what, struct ktput_quota *quota,
		    enum ktput_resource goods, long amount, const char *sentence)
{
	const long used = quota->used[goods].value;
	struct netlink_ext_ack extack = { "" };

	TEST_U64(what, (u64)-ktput_quota_take(quota, goods, amount, &extack), EBUSY);
	TEST_CONTAINS(what, extack._msg, sentence);
	TEST_U64(what, (u64)quota->used[goods].value, (u64)used);
	TEST_U64(what, (u64)-ktput_quota_take(quota, goods, amount, NULL), EBUSY);
}

static const struct {
	enum ktput_resource goods;
	long most;
	const char *sentence;
} rows[] = {
	{ KTPUT_RESOURCE_RUNS, KTPUT_MAX_RUNS, "has 64 runs already" },
	{ KTPUT_RESOURCE_STREAMS, KTPUT_MAX_NETNS_STREAMS, "streams: all runs" },
	{ KTPUT_RESOURCE_SNAPSHOTS, KTPUT_MAX_SNAPSHOT_MEMORY, "snapshots being read" },
	{ KTPUT_RESOURCE_FRAMES, KTPUT_MAX_FRAME_MEMORY, "buffers of frames" },
};

static void each(const struct net *net)
{
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct ktput_quota *quota = ktput_quota_create(net);
		const enum ktput_resource goods = rows[i].goods;
		const long most = rows[i].most;

		takes("all but one", quota, goods, most - 1);
		refuses("two more", quota, goods, 2, rows[i].sentence);
		takes("the last", quota, goods, 1);
		refuses("one more", quota, goods, 1, rows[i].sentence);
		ktput_quota_give(quota, goods, 1);
		takes("given back", quota, goods, 1);
		ktput_quota_give(quota, goods, most);
		/* An empty quota admits one larger request. */
		takes("too large, and alone", quota, goods, most + 5);
		refuses("beside that", quota, goods, 1, rows[i].sentence);
		ktput_quota_give(quota, goods, most + 5);
		TEST_U64("all is given back", (u64)quota->used[goods].value, 0);
		TEST_U64("and to all", (u64)foreign_used[goods].value, 0);
		ktput_quota_put(quota);
	}
}

static void of_the_initial(void)
{
	each(&init_net);
}

static void of_another(void)
{
	each(&other_net);
}

/* What all but the initial user namespace share. */
static void together(void)
{
	struct ktput_quota *quotas[KTPUT_MAX_SHARES + 1], *initial;
	const char *sentence = "have used up what they share";

	initial = ktput_quota_create(&init_net);
	for (size_t i = 0; i < TEST_COUNT(quotas); i++)
		quotas[i] = ktput_quota_create(&other_net);
	for (size_t i = 0; i < KTPUT_MAX_SHARES; i++)
		takes("a share", quotas[i], KTPUT_RESOURCE_RUNS, KTPUT_MAX_RUNS);
	refuses("a share too many", quotas[KTPUT_MAX_SHARES], KTPUT_RESOURCE_RUNS, 1,
		sentence);
	takes("others", quotas[0], KTPUT_RESOURCE_STREAMS, 1);
	takes("the initial", initial, KTPUT_RESOURCE_RUNS, KTPUT_MAX_RUNS);
	ktput_quota_give(initial, KTPUT_RESOURCE_RUNS, 1);
	refuses("what the initial gave", quotas[KTPUT_MAX_SHARES], KTPUT_RESOURCE_RUNS, 1,
		sentence);
	ktput_quota_give(quotas[0], KTPUT_RESOURCE_RUNS, 1);
	takes("what another gave", quotas[KTPUT_MAX_SHARES], KTPUT_RESOURCE_RUNS, 1);
	refuses("and no more", quotas[KTPUT_MAX_SHARES], KTPUT_RESOURCE_RUNS, 1, sentence);
	for (size_t i = 0; i < TEST_COUNT(quotas); i++)
		ktput_quota_put(quotas[i]);
	ktput_quota_put(initial);
}

/* What exists already counts in any case, beyond the bound too. */
static void beyond(void)
{
	const long most = KTPUT_MAX_FRAME_MEMORY;
	struct ktput_quota *quota = ktput_quota_create(&other_net);
	struct ktput_quota *initial = ktput_quota_create(&init_net);

	takes("all", quota, KTPUT_RESOURCE_FRAMES, most);
	ktput_quota_add(quota, KTPUT_RESOURCE_FRAMES, 5);
	refuses("more", quota, KTPUT_RESOURCE_FRAMES, 1, "buffers of frames");
	TEST_U64("of all others", (u64)foreign_used[KTPUT_RESOURCE_FRAMES].value,
		 (u64)most + 5);
	ktput_quota_add(initial, KTPUT_RESOURCE_FRAMES, 7);
	TEST_U64("and of them alone", (u64)foreign_used[KTPUT_RESOURCE_FRAMES].value,
		 (u64)most + 5);
	ktput_quota_give(initial, KTPUT_RESOURCE_FRAMES, 7);
	ktput_quota_give(quota, KTPUT_RESOURCE_FRAMES, 5);
	ktput_quota_give(quota, KTPUT_RESOURCE_FRAMES, most);
	TEST_U64("nothing", (u64)foreign_used[KTPUT_RESOURCE_FRAMES].value, 0);
	ktput_quota_put(quota);
	ktput_quota_put(initial);
}

static void references(void)
{
	struct ktput_quota *quota = ktput_quota_create(&init_net);

	TEST_TRUE("the same", ktput_quota_get(quota) == quota);
	ktput_quota_put(quota);
	takes("it is there still", quota, KTPUT_RESOURCE_RUNS, 1);
	ktput_quota_put(quota);
	ktput_quota_put(NULL);
}

static const struct test_case cases[] = {
	{ "of a namespace", of_the_initial },
	{ "of a namespace of another user namespace", of_another },
	{ "of all other user namespaces together", together },
	{ "beyond the bound", beyond },
	{ "references", references },
};

TEST_MAIN(cases)
