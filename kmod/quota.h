/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Quotas: limits on the runs of a network namespace.
 */
#ifndef KTPUT_QUOTA_H
#define KTPUT_QUOTA_H

#include <linux/types.h>

struct ktput_quota;
struct net;
struct netlink_ext_ack;

/**
 * enum ktput_resource - resources that a quota limits
 * @KTPUT_RESOURCE_RUNS: runs in the table of the namespace
 * @KTPUT_RESOURCE_STREAMS: streams that runs have, or may create later
 * @KTPUT_RESOURCE_SNAPSHOTS: bytes of snapshots
 * @KTPUT_RESOURCE_FRAMES: bytes of buffers that frames are written into, and of
 *	other pages that frames refer to after the end of their run
 * @KTPUT_RESOURCES: number of these
 */
enum ktput_resource {
	KTPUT_RESOURCE_RUNS,
	KTPUT_RESOURCE_STREAMS,
	KTPUT_RESOURCE_SNAPSHOTS,
	KTPUT_RESOURCE_FRAMES,
	KTPUT_RESOURCES,
};

struct ktput_quota *ktput_quota_create(const struct net *net);
struct ktput_quota *ktput_quota_get(struct ktput_quota *quota);
void ktput_quota_put(struct ktput_quota *quota);

int ktput_quota_take(struct ktput_quota *quota, enum ktput_resource resource,
		     long amount, struct netlink_ext_ack *extack);
void ktput_quota_add(struct ktput_quota *quota, enum ktput_resource resource,
		     long amount);
void ktput_quota_give(struct ktput_quota *quota, enum ktput_resource resource,
		      long amount);

#endif /* KTPUT_QUOTA_H */
