/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A snapshot: a run's counters on all CPUs at one instant.
 */
#ifndef KTPUT_SNAPSHOT_H
#define KTPUT_SNAPSHOT_H

#include <linux/types.h>

struct ktput_run;
struct ktput_snapshot;
struct netlink_ext_ack;
struct sk_buff;

struct ktput_snapshot *ktput_snapshot_take(struct ktput_run *run,
					   bool permitted,
					   struct netlink_ext_ack *extack);
void ktput_snapshot_free(struct ktput_snapshot *snapshot);
int ktput_snapshot_put(struct sk_buff *skb,
		       const struct ktput_snapshot *snapshot,
		       unsigned int index);
int ktput_snapshot_put_run(struct sk_buff *skb, struct ktput_run *run);

#endif /* KTPUT_SNAPSHOT_H */
