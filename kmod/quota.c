// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas: limits on the runs of a network namespace.
 *
 * Root in a user namespace can create network namespaces and start runs in
 * them. A run has no files or processes whose number would be limited. So the
 * resources of each network namespace are bounded here, and so are those of all
 * namespaces together that the initial user namespace does not own, since there
 * may be many.
 */
#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/ktput.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "quota.h"

/**
 * struct ktput_quota - resources used by the runs of a namespace
 * @ref: references of the namespace and of each of its runs, which may outlive
 *	it
 * @foreign: not owned by the initial user namespace
 * @used: use of each of enum ktput_resource
 */
struct ktput_quota {
	struct kref ref;
	bool foreign;
	atomic_long_t used[KTPUT_RESOURCES];
};

/* Bounds of a namespace, and their messages, string literals for extack. */
static const struct {
	long most;
	const char *text;
} bounds[KTPUT_RESOURCES] = {
	[KTPUT_RESOURCE_RUNS] = {
		KTPUT_MAX_RUNS,
		"this network namespace has " __stringify(KTPUT_MAX_RUNS)
		" runs already; delete some"
	},
	[KTPUT_RESOURCE_STREAMS] = {
		KTPUT_MAX_NETNS_STREAMS,
		"streams: all runs of this network namespace may have "
		__stringify(KTPUT_MAX_NETNS_STREAMS) "; delete some"
	},
	[KTPUT_RESOURCE_SNAPSHOTS] = {
		KTPUT_MAX_SNAPSHOT_MEMORY,
		"snapshots being read in this network namespace may take "
		__stringify(KTPUT_MAX_SNAPSHOT_MEMORY) " bytes"
	},
	[KTPUT_RESOURCE_FRAMES] = {
		KTPUT_MAX_FRAME_MEMORY,
		"buffers of frames may take "
		__stringify(KTPUT_MAX_FRAME_MEMORY)
		" bytes in this network namespace; delete some runs"
	},
};

/* Use of all foreign namespaces together. */
static atomic_long_t foreign_used[KTPUT_RESOURCES];

/**
 * ktput_quota_create() - make a quota
 * @net: namespace that it is for
 *
 * Return: the quota, or NULL without memory.
 */
struct ktput_quota *ktput_quota_create(const struct net *net)
{
	struct ktput_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);

	if (!quota)
		return NULL;
	kref_init(&quota->ref);
	quota->foreign = net->user_ns != &init_user_ns;
	return quota;
}

/**
 * ktput_quota_get() - take another reference
 * @quota: quota
 *
 * Return: @quota.
 */
struct ktput_quota *ktput_quota_get(struct ktput_quota *quota)
{
	kref_get(&quota->ref);
	return quota;
}

static void free_quota(struct kref *ref)
{
	kfree(container_of(ref, struct ktput_quota, ref));
}

/**
 * ktput_quota_put() - release a quota
 * @quota: quota, or NULL; freed with the last reference
 */
void ktput_quota_put(struct ktput_quota *quota)
{
	if (quota)
		kref_put(&quota->ref, free_quota);
}

/* An empty quota admits one request of any size. */
static bool take(atomic_long_t *used, long amount, long limit)
{
	long before = atomic_long_read(used);

	do {
		if (before && before + amount > limit)
			return false;
	} while (!atomic_long_try_cmpxchg(used, &before, before + amount));
	return true;
}

static int refuse(struct netlink_ext_ack *extack, const char *text)
{
	if (extack)
		extack->_msg = text;
	return -EBUSY;
}

/**
 * ktput_quota_take() - charge a quota
 * @quota: quota
 * @resource: resource to charge
 * @amount: how much of it
 * @extack: gets the reason of a refusal, or NULL
 *
 * Any context.
 *
 * Return: 0, or -EBUSY if not enough is left.
 */
int ktput_quota_take(struct ktput_quota *quota, enum ktput_resource resource,
		     long amount, struct netlink_ext_ack *extack)
{
	const long most = bounds[resource].most;

	if (!take(&quota->used[resource], amount, most))
		return refuse(extack, bounds[resource].text);
	if (!quota->foreign ||
	    take(&foreign_used[resource], amount, most * KTPUT_MAX_SHARES))
		return 0;
	atomic_long_sub(amount, &quota->used[resource]);
	return refuse(extack,
		      "all but the initial user namespace have used up what they share");
}

/**
 * ktput_quota_add() - charge a quota for what exists already
 * @quota: quota
 * @resource: resource to charge, beyond its bound if need be
 * @amount: how much of it
 *
 * Any context.
 */
void ktput_quota_add(struct ktput_quota *quota, enum ktput_resource resource,
		     long amount)
{
	atomic_long_add(amount, &quota->used[resource]);
	if (quota->foreign)
		atomic_long_add(amount, &foreign_used[resource]);
}

/**
 * ktput_quota_give() - uncharge a quota
 * @quota: quota
 * @resource: resource to uncharge
 * @amount: how much of it
 *
 * Any context.
 */
void ktput_quota_give(struct ktput_quota *quota, enum ktput_resource resource,
		      long amount)
{
	atomic_long_sub(amount, &quota->used[resource]);
	if (quota->foreign)
		atomic_long_sub(amount, &foreign_used[resource]);
}
