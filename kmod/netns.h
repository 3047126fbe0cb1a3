/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The runs of a network namespace.
 */
#ifndef KTPUT_NETNS_H
#define KTPUT_NETNS_H

#include <linux/types.h>

struct ktput_netns;
struct ktput_quota;
struct ktput_run;
struct net;
struct netlink_ext_ack;

struct ktput_netns *ktput_netns_of(const struct net *net);
struct net *ktput_netns_net(const struct ktput_netns *netns);
struct ktput_quota *ktput_netns_quota(const struct ktput_netns *netns);

int ktput_netns_add(struct ktput_netns *netns, struct ktput_run *run,
		    struct netlink_ext_ack *extack);
struct ktput_run *ktput_netns_find(struct ktput_netns *netns, u32 id);
struct ktput_run *ktput_netns_next(struct ktput_netns *netns, u32 from);
int ktput_netns_delete(struct ktput_netns *netns, u32 id);
void ktput_netns_run_done(struct ktput_netns *netns, struct ktput_run *run);

int ktput_netns_init(void);
void ktput_netns_close(void);
void ktput_netns_exit(void);

#endif /* KTPUT_NETNS_H */
