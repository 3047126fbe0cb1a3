// SPDX-License-Identifier: GPL-2.0
/* backlog: how long packets waited in the queueing discipline of a device. */
#include <inttypes.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <math.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backlog.h"
#include "environment.h"

/* Kinds that never keep a packet which the driver would take. */
static const char *const plain[] = {
	"bfifo", "codel", "fq_codel", "fq_pie", "mq", "multiq", "noqueue", "pfifo",
	"pfifo_fast", "pie", "prio", "red", "sfq",
};

/**
 * backlog_holds_rate() - whether a queueing discipline may hold packets back for a rate
 * @kind: its kind
 *
 * Return: false if packets wait there only while the driver takes none.
 */
bool backlog_holds_rate(const char *kind)
{
	for (size_t i = 0; i < COUNT(plain); i++)
		if (!strcmp(kind, plain[i]))
			return false;
	return true;
}

/* The root's queue includes those of its children. */
static void take_qdisc(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[TCA_MAX + 1], *stats[TCA_STATS_MAX + 1];
	struct tcmsg *header = nlmsg_data(message);
	struct gnet_stats_queue queue = { 0 };
	struct backlog *backlog = data;

	if (message->nlmsg_type != RTM_NEWQDISC ||
	    header->tcm_ifindex != (int)backlog->device ||
	    header->tcm_parent == TC_H_INGRESS ||
	    nlmsg_parse(message, sizeof(*header), tb, TCA_MAX, NULL) ||
	    !tb[TCA_KIND])
		return;
	backlog->holds_rate |= backlog_holds_rate(nla_get_string(tb[TCA_KIND]));
	if (header->tcm_parent != TC_H_ROOT || !tb[TCA_STATS2] ||
	    nla_parse_nested(stats, TCA_STATS_MAX, tb[TCA_STATS2], NULL) ||
	    !stats[TCA_STATS_QUEUE])
		return;
	nla_strlcpy(backlog->kind, tb[TCA_KIND], sizeof(backlog->kind));
	nla_memcpy(&queue, stats[TCA_STATS_QUEUE], sizeof(queue));
	backlog->standing += queue.qlen > 0;
}

/**
 * backlog_begin() - look at the queueing discipline of a device from now on
 * @backlog: zeroed; release with backlog_end()
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @device: index of the device, or 0 for none
 */
void backlog_begin(struct backlog *backlog, const char *netns, uint32_t device)
{
	struct units_error ignored;

	if (device && !netlink_open(&backlog->nl, NETLINK_ROUTE, netns, &ignored))
		backlog->device = device;
}

/**
 * backlog_look() - look at it
 * @backlog: backlog
 */
void backlog_look(struct backlog *backlog)
{
	struct tcmsg header = { .tcm_ifindex = backlog->device };

	if (!backlog->device)
		return;
	if (netlink_ask(&backlog->nl, RTM_GETQDISC, NLM_F_DUMP, &header,
			sizeof(header), take_qdisc, backlog))
		backlog->samples++;
	/* Nothing can wait there: no need to look again. */
	if (!backlog->kind[0] || !strcmp(backlog->kind, "noqueue"))
		backlog_end(backlog);
}

/**
 * backlog_end() - look at it no more
 * @backlog: backlog
 */
void backlog_end(struct backlog *backlog)
{
	if (backlog->device)
		netlink_close(&backlog->nl);
	backlog->device = 0;
}

/**
 * backlog_share() - share of the time that packets waited
 * @backlog: backlog
 *
 * Return: 0 to 1; NaN if unknown, as with netem, whose packets wait for their delay.
 */
double backlog_share(const struct backlog *backlog)
{
	return backlog->samples && strcmp(backlog->kind, "netem") ?
	       (double)backlog->standing / backlog->samples : NAN;
}

/* More queues than these are not looked at: a look takes some 20 us for each. */
#define QUEUES	64

/* Bytes in a file of a queue; false if there is no such queue, or no number. */
static bool read_bytes(const struct driver_queue *queue, int index, const char *file,
		       uint64_t *bytes)
{
	char *line = environment_read_line("%s/tx-%d/byte_queue_limits/%s",
					   queue->directory, index, file);
	const bool known = line && sscanf(line, "%" SCNu64, bytes) == 1;

	free(line);
	return known;
}

/**
 * driver_queue_begin() - look at the queues of a device from now on
 * @queue: zeroed
 * @devices: directory of all devices, of the caller's network namespace
 * @name: name of the device
 */
void driver_queue_begin(struct driver_queue *queue, const char *devices, const char *name)
{
	const int length = snprintf(queue->directory, sizeof(queue->directory),
				    "%s/%s/queues", devices, name);

	if (length >= (int)sizeof(queue->directory))
		queue->directory[0] = '\0';
}

/**
 * driver_queue_look() - look at them
 * @queue: the queues
 *
 * A limit is 0 where the driver has none, and before its first packet.
 */
void driver_queue_look(struct driver_queue *queue)
{
	bool limited = false, full = false;
	uint64_t inflight, limit;

	for (int i = 0; queue->directory[0] && i < QUEUES; i++) {
		if (!read_bytes(queue, i, "inflight", &inflight) ||
		    !read_bytes(queue, i, "limit", &limit))
			break;
		limited |= limit > 0;
		full |= limit && inflight >= limit;
	}
	queue->samples += limited;
	queue->standing += full;
}

/**
 * driver_queue_share() - share of the time that a queue was full
 * @queue: the queues
 *
 * Return: 0 to 1; NaN if the driver does not tell.
 */
double driver_queue_share(const struct driver_queue *queue)
{
	return queue->samples ? (double)queue->standing / queue->samples : NAN;
}
