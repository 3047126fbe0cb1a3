// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ktput.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "genl-gen.h"

#include <uapi/linux/ktput.h>

/* Integer value ranges */
static const struct netlink_range_validation ktput_a_config_sndbuf_range = {
	.min	= KTPUT_MIN_BUFFER,
	.max	= KTPUT_MAX_BUFFER,
};

static const struct netlink_range_validation ktput_a_config_rcvbuf_range = {
	.min	= KTPUT_MIN_BUFFER,
	.max	= KTPUT_MAX_BUFFER,
};

static const struct netlink_range_validation ktput_a_config_rcvlowat_range = {
	.min	= 1ULL,
	.max	= KTPUT_MAX_BUFFER,
};

/* Common nested types */
const struct nla_policy ktput_config_nl_policy[KTPUT_A_CONFIG_FLOW_SEED + 1] = {
	[KTPUT_A_CONFIG_ROLE] = NLA_POLICY_MAX(NLA_U32, 1),
	[KTPUT_A_CONFIG_TRANSPORT] = NLA_POLICY_MAX(NLA_U32, 1),
	[KTPUT_A_CONFIG_LAYER] = NLA_POLICY_MAX(NLA_U32, 5),
	[KTPUT_A_CONFIG_METHOD] = NLA_POLICY_MAX(NLA_U32, 5),
	[KTPUT_A_CONFIG_LOCAL_IPV4] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_LOCAL_IPV6] = NLA_POLICY_EXACT_LEN(16),
	[KTPUT_A_CONFIG_REMOTE_IPV4] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_REMOTE_IPV6] = NLA_POLICY_EXACT_LEN(16),
	[KTPUT_A_CONFIG_LOCAL_PORT] = { .type = NLA_U16, },
	[KTPUT_A_CONFIG_REMOTE_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[KTPUT_A_CONFIG_DEV] = NLA_POLICY_MIN(NLA_U32, 1),
	[KTPUT_A_CONFIG_STREAMS] = NLA_POLICY_RANGE(NLA_U32, 1, KTPUT_MAX_STREAMS),
	[KTPUT_A_CONFIG_SIZE] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_SNDBUF] = NLA_POLICY_FULL_RANGE(NLA_U32, &ktput_a_config_sndbuf_range),
	[KTPUT_A_CONFIG_RCVBUF] = NLA_POLICY_FULL_RANGE(NLA_U32, &ktput_a_config_rcvbuf_range),
	[KTPUT_A_CONFIG_CONGESTION] = { .type = NLA_NUL_STRING, .len = 15, },
	[KTPUT_A_CONFIG_MSS] = NLA_POLICY_RANGE(NLA_U32, KTPUT_MIN_MSS, KTPUT_MAX_MSS),
	[KTPUT_A_CONFIG_NODELAY] = { .type = NLA_FLAG, },
	[KTPUT_A_CONFIG_PACE] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_TOS] = { .type = NLA_U8, },
	[KTPUT_A_CONFIG_PRIORITY] = NLA_POLICY_MAX(NLA_U32, KTPUT_MAX_PRIORITY),
	[KTPUT_A_CONFIG_CPUS] = { .type = NLA_NUL_STRING, .len = 1024, },
	[KTPUT_A_CONFIG_TIME] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_BYTES] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_MESSAGES] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_ONCE] = { .type = NLA_FLAG, },
	[KTPUT_A_CONFIG_DETACH] = { .type = NLA_FLAG, },
	[KTPUT_A_CONFIG_DRAIN_TIMEOUT] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_CONNECT_TIMEOUT] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_COOKIE] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_PACKET_RATE] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_SEGMENTS] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_FROM_MAC] = NLA_POLICY_EXACT_LEN(6),
	[KTPUT_A_CONFIG_MAC] = NLA_POLICY_EXACT_LEN(6),
	[KTPUT_A_CONFIG_VLAN] = { .type = NLA_U16, },
	[KTPUT_A_CONFIG_VLAN_INNER] = { .type = NLA_U16, },
	[KTPUT_A_CONFIG_BURST] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_SIZE_MIN] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_SIZE_MAX] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_MIX] = { .type = NLA_NUL_STRING, .len = 255, },
	[KTPUT_A_CONFIG_FROM_PORTS] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_PORTS] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_FROM_ADDRESSES] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_ADDRESSES] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_QUEUES] = { .type = NLA_NUL_STRING, .len = 1024, },
	[KTPUT_A_CONFIG_REUSE] = { .type = NLA_FLAG, },
	[KTPUT_A_CONFIG_PACE_ONLY] = { .type = NLA_FLAG, },
	[KTPUT_A_CONFIG_PATTERN] = NLA_POLICY_MAX(NLA_U32, 1),
	[KTPUT_A_CONFIG_REQUEST] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_RESPONSE] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_OUTSTANDING] = { .type = NLA_U32, },
	[KTPUT_A_CONFIG_THINK] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_REPLY] = NLA_POLICY_MAX(NLA_U32, 1),
	[KTPUT_A_CONFIG_TIMEOUT] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_CONNECT_PER_REQUEST] = { .type = NLA_FLAG, },
	[KTPUT_A_CONFIG_RCVLOWAT] = NLA_POLICY_FULL_RANGE(NLA_U32, &ktput_a_config_rcvlowat_range),
	[KTPUT_A_CONFIG_PEER_SILENCE] = { .type = NLA_U64, },
	[KTPUT_A_CONFIG_FLOW_SEED] = { .type = NLA_U32, },
};

/* KTPUT_CMD_RUN_START - do */
static const struct nla_policy ktput_run_start_nl_policy[KTPUT_A_MESSAGE_CONFIG + 1] = {
	[KTPUT_A_MESSAGE_CONFIG] = NLA_POLICY_NESTED(ktput_config_nl_policy),
};

/* KTPUT_CMD_RUN_STOP - do */
static const struct nla_policy ktput_run_stop_nl_policy[KTPUT_A_MESSAGE_RUN_ID + 1] = {
	[KTPUT_A_MESSAGE_RUN_ID] = { .type = NLA_U32, },
};

/* KTPUT_CMD_RUN_DELETE - do */
static const struct nla_policy ktput_run_delete_nl_policy[KTPUT_A_MESSAGE_RUN_ID + 1] = {
	[KTPUT_A_MESSAGE_RUN_ID] = { .type = NLA_U32, },
};

/* KTPUT_CMD_COUNTERS_GET - dump */
static const struct nla_policy ktput_counters_get_nl_policy[KTPUT_A_MESSAGE_PARTS + 1] = {
	[KTPUT_A_MESSAGE_RUN_ID] = { .type = NLA_U32, },
	[KTPUT_A_MESSAGE_PARTS] = NLA_POLICY_MASK(NLA_U32, 0xf),
};

/* KTPUT_CMD_RUN_PREPARE - do */
static const struct nla_policy ktput_run_prepare_nl_policy[KTPUT_A_MESSAGE_RUN_ID + 1] = {
	[KTPUT_A_MESSAGE_RUN_ID] = { .type = NLA_U32, },
};

/* Ops table for ktput */
static const struct genl_split_ops ktput_nl_ops[] = {
	{
		.cmd	= KTPUT_CMD_MODULE_GET,
		.doit	= ktput_nl_module_get_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= KTPUT_CMD_RUN_START,
		.doit		= ktput_nl_run_start_doit,
		.policy		= ktput_run_start_nl_policy,
		.maxattr	= KTPUT_A_MESSAGE_CONFIG,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= KTPUT_CMD_RUN_STOP,
		.doit		= ktput_nl_run_stop_doit,
		.policy		= ktput_run_stop_nl_policy,
		.maxattr	= KTPUT_A_MESSAGE_RUN_ID,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= KTPUT_CMD_RUN_DELETE,
		.doit		= ktput_nl_run_delete_doit,
		.policy		= ktput_run_delete_nl_policy,
		.maxattr	= KTPUT_A_MESSAGE_RUN_ID,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= KTPUT_CMD_RUN_GET,
		.dumpit	= ktput_nl_run_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= KTPUT_CMD_COUNTERS_GET,
		.start		= ktput_nl_counters_get_start,
		.dumpit		= ktput_nl_counters_get_dumpit,
		.done		= ktput_nl_counters_get_done,
		.policy		= ktput_counters_get_nl_policy,
		.maxattr	= KTPUT_A_MESSAGE_PARTS,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= KTPUT_CMD_RUN_PREPARE,
		.doit		= ktput_nl_run_prepare_doit,
		.policy		= ktput_run_prepare_nl_policy,
		.maxattr	= KTPUT_A_MESSAGE_RUN_ID,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
};

static const struct genl_multicast_group ktput_nl_mcgrps[] = {
	[KTPUT_NLGRP_RUNS] = { "runs", },
};

struct genl_family ktput_nl_family __ro_after_init = {
	.name		= KTPUT_FAMILY_NAME,
	.version	= KTPUT_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= ktput_nl_ops,
	.n_split_ops	= ARRAY_SIZE(ktput_nl_ops),
	.mcgrps		= ktput_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(ktput_nl_mcgrps),
};
