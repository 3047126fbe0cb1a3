/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ktput.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_KTPUT_GEN_H
#define _LINUX_KTPUT_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/ktput.h>

/* Common nested types */
extern const struct nla_policy ktput_config_nl_policy[KTPUT_A_CONFIG_FLOW_SEED + 1];

int ktput_nl_counters_get_start(struct netlink_callback *cb);
int ktput_nl_counters_get_done(struct netlink_callback *cb);

int ktput_nl_module_get_doit(struct sk_buff *skb, struct genl_info *info);
int ktput_nl_run_start_doit(struct sk_buff *skb, struct genl_info *info);
int ktput_nl_run_stop_doit(struct sk_buff *skb, struct genl_info *info);
int ktput_nl_run_delete_doit(struct sk_buff *skb, struct genl_info *info);
int ktput_nl_run_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int ktput_nl_counters_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int ktput_nl_run_prepare_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	KTPUT_NLGRP_RUNS,
};

extern struct genl_family ktput_nl_family;

#endif /* _LINUX_KTPUT_GEN_H */
