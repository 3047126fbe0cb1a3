// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: implementation of its commands.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "config.h"
#include "cycles.h"
#include "events.h"
#include "genl-gen.h"
#include "genl.h"
#include "run_type.h"
#include "netns.h"
#include "run.h"
#include "snapshot.h"

/* Most parts of a snapshot that are looked at in vain for a message. */
#define MOST_IN_VAIN	1024

static int put_module(struct sk_buff *skb)
{
	struct nlattr *nest = nla_nest_start(skb, KTPUT_A_MESSAGE_MODULE);
	struct ktput_features can = {};

	ktput_run_type_features(&can);
	if (!nest ||
	    nla_put_string(skb, KTPUT_A_MODULE_VERSION,
			   THIS_MODULE->version) ||
	    nla_put_string(skb, KTPUT_A_MODULE_CLOCK, ktput_cycles_clock()) ||
	    nla_put_u64_64bit(skb, KTPUT_A_MODULE_CLOCK_HZ, ktput_cycles_hz(),
			      KTPUT_A_MODULE_PAD) ||
	    nla_put_u32(skb, KTPUT_A_MODULE_TRANSMIT_LAYERS,
			can.layers[KTPUT_ROLE_SOURCE]) ||
	    nla_put_u32(skb, KTPUT_A_MODULE_RECEIVE_LAYERS,
			can.layers[KTPUT_ROLE_SINK]) ||
	    nla_put_u32(skb, KTPUT_A_MODULE_TRANSMIT_METHODS,
			can.methods[KTPUT_ROLE_SOURCE]) ||
	    nla_put_u32(skb, KTPUT_A_MODULE_RECEIVE_METHODS,
			can.methods[KTPUT_ROLE_SINK]) ||
	    nla_put_u32(skb, KTPUT_A_MODULE_TRANSPORTS, can.transports) ||
	    nla_put_u32(skb, KTPUT_A_MODULE_MAX_STREAMS, KTPUT_MAX_STREAMS) ||
	    nla_put_u32(skb, KTPUT_A_MODULE_MAX_RUNS, KTPUT_MAX_RUNS) ||
	    nla_put_u32(skb, KTPUT_A_MODULE_MAX_MESSAGE, KTPUT_MAX_MESSAGE) ||
	    nla_put_u32(skb, KTPUT_A_MODULE_MAX_BUFFER, KTPUT_MAX_BUFFER))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Allocates a reply and writes its header; returns NULL without memory. */
static struct sk_buff *reply_new(struct genl_info *info, void **header)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*header = genlmsg_put_reply(skb, info, &ktput_nl_family, 0,
				    info->genlhdr->cmd);
	if (*header)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

/**
 * ktput_nl_module_get_doit() - report what this module supports
 * @skb: request
 * @info: request, taken apart
 *
 * Return: 0 or a negative errno.
 */
int ktput_nl_module_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	void *header;
	int error;

	reply = reply_new(info, &header);
	if (!reply)
		return -ENOMEM;
	error = put_module(reply);
	if (error) {
		nlmsg_free(reply);
		return error;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

/**
 * ktput_nl_run_start_doit() - start a run
 * @skb: request
 * @info: request, taken apart
 *
 * Return: 0, or the errno of the refusal.
 */
int ktput_nl_run_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ktput_run *run;
	struct sk_buff *reply;
	void *header;
	int error;

	if (GENL_REQ_ATTR_CHECK(info, KTPUT_A_MESSAGE_CONFIG)) {
		NL_SET_ERR_MSG(info->extack, "config is required");
		return -EINVAL;
	}
	/* Allocated before the run, which could not be reported without it. */
	reply = reply_new(info, &header);
	if (!reply)
		return -ENOMEM;
	run = ktput_run_alloc();
	if (!run) {
		error = -ENOMEM;
		goto free;
	}
	run->config.privileged = netlink_capable(skb, CAP_NET_ADMIN);
	run->config.may_forge =
		netlink_ns_capable(skb, genl_info_net(info)->user_ns,
				   CAP_NET_RAW);
	run->config.may_count = ktput_events_permitted(skb);
	error = ktput_config_parse(&run->config,
				   info->attrs[KTPUT_A_MESSAGE_CONFIG],
				   info->extack);
	if (error) {
		ktput_run_put(run);
		goto free;
	}
	run = ktput_run_start(ktput_netns_of(genl_info_net(info)), run,
			      info->snd_portid, info->extack);
	if (IS_ERR(run)) {
		error = PTR_ERR(run);
		goto free;
	}
	error = ktput_snapshot_put_run(reply, run);
	WARN_ON_ONCE(error);
	genlmsg_end(reply, header);
	error = genlmsg_reply(reply, info);
	/* Without the reply, the requester cannot stop the run. */
	if (error)
		ktput_netns_delete(ktput_netns_of(genl_info_net(info)), run->id);
	ktput_run_put(run);
	return error;
free:
	nlmsg_free(reply);
	return error;
}

static int run_id(struct genl_info *info, u32 *id)
{
	if (GENL_REQ_ATTR_CHECK(info, KTPUT_A_MESSAGE_RUN_ID)) {
		NL_SET_ERR_MSG(info->extack, "run-id is required");
		return -EINVAL;
	}
	*id = nla_get_u32(info->attrs[KTPUT_A_MESSAGE_RUN_ID]);
	return 0;
}

static int no_such_run(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "run-id: no such run in this network namespace");
	return -ENOENT;
}

/**
 * ktput_nl_run_prepare_doit() - create the next streams of a run
 * @skb: request
 * @info: request, taken apart
 *
 * Return: 0, or the errno of the refusal, which deletes the run.
 */
int ktput_nl_run_prepare_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ktput_netns *netns = ktput_netns_of(genl_info_net(info));
	struct sk_buff *reply = NULL;
	struct ktput_run *run;
	void *header;
	int error;
	u32 id;

	error = run_id(info, &id);
	if (error)
		return error;
	run = ktput_netns_find(netns, id);
	if (!run)
		return no_such_run(info->extack);
	error = -EPERM;
	if (run->owner != info->snd_portid) {
		NL_SET_ERR_MSG(info->extack, "run-id: another socket started it");
		goto put;
	}
	error = -ENOMEM;
	reply = reply_new(info, &header);
	if (!reply)
		goto put;
	error = ktput_run_prepare(run, info->extack);
	if (error) {
		ktput_netns_delete(netns, id);
		goto put;
	}
	error = ktput_snapshot_put_run(reply, run);
	WARN_ON_ONCE(error);
	genlmsg_end(reply, header);
	error = genlmsg_reply(reply, info);
	reply = NULL;
put:
	nlmsg_free(reply);
	ktput_run_put(run);
	return error;
}

/**
 * ktput_nl_run_stop_doit() - stop a run
 * @skb: request
 * @info: request, taken apart
 *
 * Return: 0, also if it has ended already; -ENOENT; -EINVAL.
 */
int ktput_nl_run_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ktput_run *run;
	int error;
	u32 id;

	error = run_id(info, &id);
	if (error)
		return error;
	run = ktput_netns_find(ktput_netns_of(genl_info_net(info)), id);
	if (!run)
		return no_such_run(info->extack);
	ktput_run_stop(run);
	ktput_run_put(run);
	return 0;
}

/**
 * ktput_nl_run_delete_doit() - stop a run and forget it
 * @skb: request
 * @info: request, taken apart
 *
 * Does not wait for the end. To detect it, repeat the request until it returns
 * -ENOENT.
 *
 * Return: 0, -ENOENT, -EINVAL.
 */
int ktput_nl_run_delete_doit(struct sk_buff *skb, struct genl_info *info)
{
	int error;
	u32 id;

	error = run_id(info, &id);
	if (error)
		return error;
	error = ktput_netns_delete(ktput_netns_of(genl_info_net(info)), id);
	return error ? no_such_run(info->extack) : 0;
}

static void *dump_header(struct sk_buff *skb, struct netlink_callback *cb,
			 u8 command)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &ktput_nl_family, NLM_F_MULTI, command);
}

/**
 * ktput_nl_run_get_dumpit() - list the runs of a namespace
 * @skb: message to fill
 * @cb: args[0] is the number to go on from
 *
 * A dump that is not finished holds a reference on the module until its reader
 * goes on, or closes the socket. 0 finishes it with @skb.
 *
 * Return: 0 if all have been written, else bytes in @skb, or a negative errno.
 */
int ktput_nl_run_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = sock_net(skb->sk);
	struct ktput_netns *netns = ktput_netns_of(net);
	const bool cookies = netlink_ns_capable(cb->skb, net->user_ns,
						CAP_NET_ADMIN);
	struct ktput_run *run;

	while ((run = ktput_netns_next(netns, cb->args[0]))) {
		void *header = dump_header(skb, cb, KTPUT_CMD_RUN_GET);
		u32 id = run->id;

		if (!header || ktput_snapshot_put_run(skb, run) ||
		    (ktput_run_is_prepared(run) &&
		     ktput_config_put(skb, &run->config, cookies))) {
			if (header)
				genlmsg_cancel(skb, header);
			ktput_run_put(run);
			return skb->len ?: -EMSGSIZE;
		}
		genlmsg_end(skb, header);
		ktput_run_put(run);
		cb->args[0] = id + 1;
	}
	return 0;
}

/**
 * ktput_nl_counters_get_start() - take the snapshot that is dumped
 * @cb: args[0] becomes the snapshot
 *
 * Return: 0, -ENOENT, -EINVAL, -EBUSY, -ENOMEM.
 */
int ktput_nl_counters_get_start(struct netlink_callback *cb)
{
	struct nlattr **attrs = ktput_dump_attrs(cb);
	struct ktput_snapshot *snapshot;
	struct ktput_run *run;
	u32 parts = U32_MAX;

	if (!attrs || !attrs[KTPUT_A_MESSAGE_RUN_ID]) {
		NL_SET_ERR_MSG(cb->extack, "run-id is required");
		return -EINVAL;
	}
	run = ktput_netns_find(ktput_netns_of(sock_net(cb->skb->sk)),
			       nla_get_u32(attrs[KTPUT_A_MESSAGE_RUN_ID]));
	if (!run)
		return no_such_run(cb->extack);
	if (!ktput_run_is_prepared(run)) {
		NL_SET_ERR_MSG(cb->extack, "run-id: the run is preparing");
		ktput_run_put(run);
		return -EBUSY;
	}
	if (attrs[KTPUT_A_MESSAGE_PARTS])
		parts = nla_get_u32(attrs[KTPUT_A_MESSAGE_PARTS]);
	snapshot = ktput_snapshot_take(run, parts,
				       ktput_events_permitted(cb->skb),
				       cb->extack);
	if (IS_ERR(snapshot))
		return PTR_ERR(snapshot);
	cb->args[0] = (long)snapshot;
	return 0;
}

/**
 * ktput_nl_counters_get_dumpit() - dump a snapshot
 * @skb: message to fill
 * @cb: args[0] is the snapshot, args[1] the part to go on from
 *
 * Return: as of ktput_nl_run_get_dumpit().
 */
int ktput_nl_counters_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	struct ktput_snapshot *snapshot = (void *)cb->args[0];
	unsigned int vain = 0;

	for (;;) {
		void *header = dump_header(skb, cb, KTPUT_CMD_COUNTERS_GET);
		int error;

		if (!header)
			return skb->len ?: -EMSGSIZE;
		error = ktput_snapshot_put(skb, snapshot,
					   (unsigned long *)&cb->args[1]);
		/* Without a message here the dump would be over. */
		if (!error || (error == -ENODATA && ++vain == MOST_IN_VAIN)) {
			genlmsg_end(skb, header);
			if (error)
				return skb->len;
			continue;
		}
		genlmsg_cancel(skb, header);
		if (error == -ENOENT)
			return 0;
		if (error == -EMSGSIZE)
			return skb->len ?: -EMSGSIZE;
	}
}

/**
 * ktput_nl_counters_get_done() - free the snapshot of a dump
 * @cb: args[0] is the snapshot
 *
 * Return: 0.
 */
int ktput_nl_counters_get_done(struct netlink_callback *cb)
{
	if (cb->args[0])
		ktput_snapshot_free((void *)cb->args[0]);
	return 0;
}

/**
 * ktput_genl_notify() - notify listeners that a run has begun or ended
 * @net: namespace
 * @run: run
 * @command: KTPUT_CMD_RUN_BEGUN or KTPUT_CMD_RUN_ENDED
 *
 * Without memory the notification is lost, as with any netlink notification.
 * Waiting programs therefore also poll the run.
 */
void ktput_genl_notify(struct net *net, struct ktput_run *run, u8 command)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *header;

	if (!skb)
		return;
	header = genlmsg_put(skb, 0, 0, &ktput_nl_family, 0, command);
	if (!header || ktput_snapshot_put_run(skb, run)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast_netns(&ktput_nl_family, net, skb, 0,
				KTPUT_NLGRP_RUNS, GFP_KERNEL);
}
