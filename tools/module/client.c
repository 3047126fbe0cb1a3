// SPDX-License-Identifier: GPL-2.0
/* client: the commands of the ktput module in one network namespace. */
#include <errno.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/msg.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../host/environment.h"
#include "client.h"
#include "dump.h"
#include "names.h"

/* Attempts at a dump that is inconsistent, or comes too soon. */
#define ATTEMPTS	10

/* Notifications may be lost, so poll the run at this interval. */
#define LOOK_MS	500

/* Interval of polling for a deleted run to disappear. */
#define DELETE_LOOK_NS	2000000

static void refuse_absent(struct units_error *err)
{
	const char *by = signature_asked_by(SIGNATURE_ENFORCE,
					    SIGNATURE_LOCKDOWN);

	if (by)
		units_refuse(err,
			     "the module is not loaded, and this kernel loads signed modules only (%s): sign ktput.ko, then modprobe ktput",
			     by);
	else
		units_refuse(err,
			     "the module is not loaded; insmod ktput.ko or modprobe ktput");
}

static int resolve(struct client *client, struct units_error *err)
{
	int family = genl_ctrl_resolve(client->requests.sock,
				       KTPUT_FAMILY_NAME);

	if (family == -NLE_OBJ_NOTFOUND) {
		refuse_absent(err);
		return -ENOENT;
	}
	if (family < 0)
		return units_refuse(err, "generic netlink: %s",
				    nl_geterror(family));
	client->family = family;
	return 0;
}

/**
 * client_open() - connect to the module
 * @client: the client
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @err: why it cannot be connected
 *
 * Return: 0, -ENOENT if the module is not loaded, or -1, with a message in
 * @err.
 */
int client_open(struct client *client, const char *netns,
		struct units_error *err)
{
	int ret;

	*client = (struct client) { 0 };
	if (netlink_open(&client->requests, NETLINK_GENERIC, netns, err))
		return -1;
	ret = resolve(client, err);
	if (ret)
		client_close(client);
	return ret;
}

/**
 * client_close() - close a client; the runs that belong to it end
 * @client: the client, open or all zero
 */
void client_close(struct client *client)
{
	netlink_close(&client->events);
	netlink_close(&client->requests);
}

static struct nl_msg *request(const struct client *client, int flags,
			      int command, struct units_error *err)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, client->family,
			       0, flags, command, KTPUT_FAMILY_VERSION))
		return msg;
	nlmsg_free(msg);
	units_refuse(err, "out of memory");
	return NULL;
}

/* Whether the family, present at client_open(), is gone. */
static bool removed(struct client *client)
{
	return genl_ctrl_resolve(client->requests.sock, KTPUT_FAMILY_NAME) ==
	       -NLE_OBJ_NOTFOUND;
}

static int finish(struct client *client, struct nl_msg *msg,
		  netlink_reply reply, void *data, struct units_error *err)
{
	const struct netlink_call call = {
		.message = msg, .reply = reply, .data = data,
		.name = config_attribute_name,
	};
	int ret = netlink_call(&client->requests, &call, err);

	/* Generic netlink returns the first, also for a missing run, and the
	 * second if the family is removed meanwhile.
	 */
	if ((ret == -ENOENT && removed(client)) || ret == -EPROTONOSUPPORT) {
		units_refuse(err, "the module was removed");
		return -EPROTONOSUPPORT;
	}
	return ret;
}

static void take_module(struct nlmsghdr *message, void *data)
{
	parse_module(message, data);
}

/**
 * client_module_get() - query the module's capabilities
 * @client: the client
 * @module: filled in
 * @err: why there is none
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int client_module_get(struct client *client, struct client_module *module,
		      struct units_error *err)
{
	struct nl_msg *msg = request(client, 0, KTPUT_CMD_MODULE_GET, err);

	memset(module, 0, sizeof(*module));
	return msg ? finish(client, msg, take_module, module, err) : -ENOMEM;
}

static void take_run(struct nlmsghdr *message, void *data)
{
	parse_run(message, data);
}

/* For several ports, the kernel does not report which one is in use. */
static void name_port(const struct config *config, struct units_error *err)
{
	const uint64_t first = config->number[KTPUT_A_CONFIG_LOCAL_PORT];
	const bool one = !config_has(config, KTPUT_A_CONFIG_STREAMS) ||
			 config->number[KTPUT_A_CONFIG_STREAMS] == 1 ||
			 (config->number[KTPUT_A_CONFIG_ROLE] ==
			  KTPUT_ROLE_SINK &&
			  config->number[KTPUT_A_CONFIG_TRANSPORT] ==
			  KTPUT_TRANSPORT_TCP);

	if (!first && one)
		return;
	if (!first)
		units_refuse(err, "refused: no port is free for %" PRIu64 " streams",
			     config->number[KTPUT_A_CONFIG_STREAMS]);
	else if (one)
		units_refuse(err, "refused: port %" PRIu64 " is in use", first);
	else
		units_refuse(err, "refused: one of the ports %" PRIu64 " to %" PRIu64 " is in use",
			     first, first - 1 +
			     config->number[KTPUT_A_CONFIG_STREAMS]);
}

/* The answer, if there is one, is left in @run. */
static int about_run(struct client *client, int command, uint32_t id,
		     struct client_run *run, struct units_error *err)
{
	struct nl_msg *msg = request(client, 0, command, err);

	if (!msg)
		return -ENOMEM;
	nla_put_u32(msg, KTPUT_A_MESSAGE_RUN_ID, id);
	return finish(client, msg, run ? take_run : NULL, run, err);
}

/* Whether the user interrupts. */
static bool interrupted(int interrupt)
{
	struct pollfd fd = { .fd = interrupt, .events = POLLIN };

	return poll(&fd, 1, 0) < 0 || fd.revents;
}

/*
 * Have the module create the streams of the run, some in each request. A refusal
 * leaves nothing of the run.
 */
static int prepare(struct client *client, int interrupt,
		   struct client_run *run, struct units_error *err)
{
	struct units_error ignored;
	const uint32_t id = run->id;
	int ret = 0;

	while (!ret && run->state == KTPUT_STATE_PREPARING) {
		if (interrupted(interrupt)) {
			units_refuse(err, "refused: interrupted while it is prepared");
			ret = -ECANCELED;
		} else {
			ret = about_run(client, KTPUT_CMD_RUN_PREPARE, id, run,
					err);
		}
	}
	if (ret)
		client_run_delete(client, id, &ignored);
	return ret;
}

/*
 * Wait for a notification, with a timeout in case it is lost. Returns false if the
 * user interrupts.
 */
static bool await_event(struct client *client, int interrupt)
{
	struct pollfd fds[] = {
		{ .fd = client_event_fd(client), .events = POLLIN },
		{ .fd = interrupt, .events = POLLIN },
	};
	struct client_run ignored;

	if (poll(fds, 2, LOOK_MS) < 0 || fds[1].revents)
		return false;
	while (client_event(client, &ignored) > 0)
		;
	return true;
}

/* Read the current state of the run. */
static int look(struct client *client, struct client_run *run,
		struct units_error *err)
{
	struct client_listing *list;
	size_t count, i;
	int ret;

	ret = client_runs(client, &list, &count, err);
	if (ret)
		return ret;
	for (i = 0; i < count && list[i].run.id != run->id; i++)
		;
	if (i < count)
		*run = list[i].run;
	free(list);
	if (i < count)
		return 0;
	units_refuse(err, "run %" PRIu32 " is gone: somebody deleted it, or the module was removed",
		     run->id);
	return -ENOENT;
}

/* Whether the run ended before it began. */
static bool failed(const struct client_run *run)
{
	return run->state == KTPUT_STATE_ENDED && !run->begun_ns;
}

static int await_connection(struct client *client, int interrupt,
			    struct client_run *run, struct units_error *err)
{
	struct units_error ignored;
	int ret = 0;

	while (!ret && !run->begun_ns && !failed(run)) {
		if (!await_event(client, interrupt)) {
			units_refuse(err, "refused: interrupted while connecting");
			ret = -ECANCELED;
		} else {
			ret = look(client, run, err);
		}
	}
	if (!ret && failed(run)) {
		ret = run->error ? -run->error : -ECANCELED;
		units_refuse(err, "refused: %s",
			     run->refusal[0] ? run->refusal :
					       names_reason_text(run->reason));
	}
	if (ret)
		client_run_delete(client, run->id, &ignored);
	return ret;
}

/**
 * client_run_start() - start a run
 * @client: the client that owns the run; must be subscribed
 * @config: its configuration
 * @interrupt: a file descriptor that becomes readable when the user does not want
 *	to wait for the connection any longer
 * @run: the run, which has begun
 * @err: why it is refused
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int client_run_start(struct client *client, const struct config *config,
		     int interrupt, struct client_run *run,
		     struct units_error *err)
{
	struct nl_msg *msg = request(client, 0, KTPUT_CMD_RUN_START, err);
	int ret;

	memset(run, 0, sizeof(*run));
	if (!msg)
		return -ENOMEM;
	if (config_put(msg, config)) {
		nlmsg_free(msg);
		units_refuse(err, "the configuration does not fit a message");
		return -EMSGSIZE;
	}
	ret = finish(client, msg, take_run, run, err);
	if (!ret)
		ret = prepare(client, interrupt, run, err);
	if (ret == -EADDRINUSE)
		name_port(config, err);
	return ret ? ret : await_connection(client, interrupt, run, err);
}

/**
 * client_run_stop() - tell a run to end; it may take time to drain
 * @client: any client in its network namespace
 * @id: number of the run
 * @err: why it is refused
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int client_run_stop(struct client *client, uint32_t id,
		    struct units_error *err)
{
	return about_run(client, KTPUT_CMD_RUN_STOP, id, NULL, err);
}

/**
 * client_run_delete() - end a run at once and delete it
 * @client: any client in its network namespace
 * @id: number of the run, which is gone afterwards
 * @err: why it is refused
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int client_run_delete(struct client *client, uint32_t id,
		      struct units_error *err)
{
	const struct timespec pause = { .tv_nsec = DELETE_LOOK_NS };
	struct units_error ignored;
	int ret;

	ret = about_run(client, KTPUT_CMD_RUN_DELETE, id, NULL, err);
	if (ret)
		return ret;
	/* A run that was still active is deleted when it has ended. */
	while (!about_run(client, KTPUT_CMD_RUN_DELETE, id, NULL, &ignored))
		nanosleep(&pause, NULL);
	return 0;
}

/**
 * client_runs() - list the runs of the network namespace
 * @client: the client
 * @list: the runs, for free()
 * @count: number of runs
 * @err: why there is no list
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int client_runs(struct client *client, struct client_listing **list,
		size_t *count, struct units_error *err)
{
	int ret = -EAGAIN;

	for (int i = 0; ret == -EAGAIN && i < ATTEMPTS; i++) {
		struct dump_listing listing = { 0 };
		struct nl_msg *msg;

		msg = request(client, NLM_F_DUMP, KTPUT_CMD_RUN_GET, err);
		ret = msg ? finish(client, msg, dump_take_run, &listing, err) :
			    -ENOMEM;
		if (!ret && listing.no_memory) {
			units_refuse(err, "out of memory");
			ret = -ENOMEM;
		}
		if (ret) {
			free(listing.list);
			continue;
		}
		*list = listing.list;
		*count = listing.count;
	}
	return ret;
}

/**
 * client_snapshot() - take a snapshot of a run
 * @client: any client in its network namespace
 * @id: number of the run
 * @parts: what to read, of enum ktput_part
 * @snapshot: the snapshot; client_snapshot_free() frees it
 * @err: why there is none
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int client_snapshot(struct client *client, uint32_t id, uint32_t parts,
		    struct client_snapshot *snapshot, struct units_error *err)
{
	const struct timespec pause = { .tv_nsec = KTPUT_MIN_POLL };
	int ret = -EAGAIN;

	for (int i = 0; ret == -EAGAIN && i < ATTEMPTS; i++) {
		struct dump_snapshot dump = { .snapshot = snapshot };
		struct nl_msg *msg;

		*snapshot = (struct client_snapshot) { 0 };
		msg = request(client, NLM_F_DUMP, KTPUT_CMD_COUNTERS_GET, err);
		if (!msg)
			return -ENOMEM;
		nla_put_u32(msg, KTPUT_A_MESSAGE_RUN_ID, id);
		nla_put_u32(msg, KTPUT_A_MESSAGE_PARTS, parts);
		ret = finish(client, msg, dump_take_part, &dump, err);
		/* Linux 6.1 sends no message when a dump cannot start. */
		if (ret == -ENOENT)
			units_refuse(err, "refused: run-id: no such run in this network namespace");
		if (!ret && dump.no_memory) {
			units_refuse(err, "out of memory");
			ret = -ENOMEM;
		}
		if (ret)
			client_snapshot_free(snapshot);
		if (ret == -EAGAIN)
			nanosleep(&pause, NULL);
	}
	return ret;
}

/**
 * client_subscribe() - subscribe to notifications about the ends of runs
 * @client: the client
 * @netns: its network namespace, as for client_open()
 * @err: why that is not possible
 */
int client_subscribe(struct client *client, const char *netns,
		     struct units_error *err)
{
	struct nl_sock *sock;
	int ret;

	if (netlink_open(&client->events, NETLINK_GENERIC, netns, err))
		return -1;
	sock = client->events.sock;
	ret = genl_ctrl_resolve_grp(client->requests.sock, KTPUT_FAMILY_NAME,
				    KTPUT_MCGRP_RUNS);
	if (ret >= 0) {
		nl_socket_disable_seq_check(sock);
		ret = nl_socket_add_membership(sock, ret);
	}
	if (!ret)
		ret = nl_socket_set_nonblocking(sock);
	if (!ret)
		return 0;
	units_refuse(err, "no notifications: %s", nl_geterror(ret));
	netlink_close(&client->events);
	return -1;
}

/**
 * client_event_fd() - descriptor to poll for notifications
 * @client: subscribed client
 *
 * Return: a file descriptor that becomes readable.
 */
int client_event_fd(const struct client *client)
{
	return nl_socket_get_fd(client->events.sock);
}

/* A notification being received. */
struct event {
	struct client_run *run;
	bool taken;
};

static int any_sequence(struct nl_msg *msg, void *data)
{
	(void)msg;
	(void)data;
	return NL_OK;
}

static int take_event(struct nl_msg *msg, void *data)
{
	struct genlmsghdr *header = nlmsg_data(nlmsg_hdr(msg));
	struct event *event = data;

	if ((header->cmd == KTPUT_CMD_RUN_BEGUN ||
	     header->cmd == KTPUT_CMD_RUN_ENDED) &&
	    !parse_run(nlmsg_hdr(msg), event->run))
		event->taken = true;
	return NL_STOP;
}

/**
 * client_event() - read a notification
 * @client: subscribed client
 * @run: the run that has begun or ended
 *
 * Return: 1 for a notification, 0 if there is none now, -1 if some were lost
 * because the kernel's queue was full.
 */
int client_event(struct client *client, struct client_run *run)
{
	struct event event = { .run = run };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret;

	if (!cb)
		return -1;
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, any_sequence, NULL);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, take_event, &event);
	ret = nl_recvmsgs(client->events.sock, cb);
	nl_cb_put(cb);
	if (ret == -NLE_NOMEM)
		return -1;
	return event.taken;
}

/* NULL only if out of memory: malloc(0) may return NULL otherwise. */
static void *copy_of(const void *from, size_t count, size_t size)
{
	void *copy = reallocarray(NULL, count + 1, size);

	return copy && count ? memcpy(copy, from, count * size) : copy;
}

/**
 * client_snapshot_copy() - copy a snapshot
 * @from: the snapshot
 * @to: the copy; client_snapshot_free() frees it
 * @err: why there is none
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int client_snapshot_copy(const struct client_snapshot *from,
			 struct client_snapshot *to, struct units_error *err)
{
	*to = *from;
	to->cpus = copy_of(from->cpus, from->cpu_count, sizeof(*to->cpus));
	to->streams = copy_of(from->streams, from->stream_count,
			      sizeof(*to->streams));
	to->peers = copy_of(from->peers, from->peer_count, sizeof(*to->peers));
	if (from->latency)
		to->latency = copy_of(from->latency, 1, sizeof(*to->latency));
	if (to->cpus && to->streams && to->peers &&
	    !from->latency == !to->latency)
		return 0;
	client_snapshot_free(to);
	units_refuse(err, "out of memory");
	return -ENOMEM;
}

/**
 * client_snapshot_add_peer() - add a peer
 * @snapshot: the snapshot
 * @peer: the peer
 *
 * Return: 0, or -1 if out of memory.
 */
int client_snapshot_add_peer(struct client_snapshot *snapshot,
			     const struct client_peer *peer)
{
	struct client_peer *peers;

	peers = reallocarray(snapshot->peers, snapshot->peer_count + 1,
			     sizeof(*peers));
	if (!peers)
		return -1;
	snapshot->peers = peers;
	peers[snapshot->peer_count++] = *peer;
	return 0;
}

/**
 * client_snapshot_free() - free what a snapshot points to
 * @snapshot: the snapshot, or all zero
 */
void client_snapshot_free(struct client_snapshot *snapshot)
{
	free(snapshot->cpus);
	free(snapshot->streams);
	free(snapshot->peers);
	free(snapshot->latency);
	*snapshot = (struct client_snapshot) { 0 };
}
