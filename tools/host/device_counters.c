// SPDX-License-Identifier: GPL-2.0
/* device_counters: counters of a device and its queueing discipline. */
#include <inttypes.h>
#include <linux/gen_stats.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "device_counters.h"
#include "netlink.h"

/* Context of reading a device. */
struct look {
	int device;
	struct device_counters *counters;
};

static void take_link(struct nlmsghdr *message, void *data)
{
	const struct ifinfomsg *header = nlmsg_data(message);
	struct nlattr *tb[IFLA_MAX + 1];
	struct rtnl_link_stats64 stats = { 0 };
	struct look *look = data;
	int length;

	if (message->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(message, sizeof(*header), tb, IFLA_MAX, NULL) ||
	    !tb[IFLA_STATS64])
		return;
	length = nla_len(tb[IFLA_STATS64]);
	if (length > (int)sizeof(stats))
		length = sizeof(stats);
	memcpy(&stats, nla_data(tb[IFLA_STATS64]), length);
	look->counters->known = true;
	look->counters->loopback = header->ifi_flags & IFF_LOOPBACK;
	look->counters->sent_packets = stats.tx_packets;
	look->counters->sent_drops = stats.tx_dropped + stats.tx_errors;
	look->counters->sent_bytes = stats.tx_bytes;
	look->counters->received_bytes = stats.rx_bytes;
	look->counters->received_packets = stats.rx_packets;
	look->counters->received_drops = stats.rx_dropped + stats.rx_errors +
					 stats.rx_missed_errors;
}

/* The counters of the root include those of its children. */
static void take_qdisc(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[TCA_MAX + 1], *stats[TCA_STATS_MAX + 1];
	struct tcmsg *header = nlmsg_data(message);
	struct gnet_stats_queue queue = { 0 };
	struct look *look = data;

	if (message->nlmsg_type != RTM_NEWQDISC ||
	    header->tcm_ifindex != look->device ||
	    (header->tcm_parent != TC_H_ROOT &&
	     header->tcm_parent != TC_H_INGRESS) ||
	    nlmsg_parse(message, sizeof(*header), tb, TCA_MAX, NULL) ||
	    !tb[TCA_STATS2] ||
	    nla_parse_nested(stats, TCA_STATS_MAX, tb[TCA_STATS2], NULL) ||
	    !stats[TCA_STATS_QUEUE])
		return;
	nla_memcpy(&queue, stats[TCA_STATS_QUEUE], sizeof(queue));
	if (header->tcm_parent == TC_H_INGRESS) {
		look->counters->filtered = true;
		look->counters->ingress_drops = queue.drops;
		return;
	}
	look->counters->queue_drops = queue.drops;
	look->counters->queue_overlimits = queue.overlimits;
}

/*
 * The second column of each CPU's line, 32 bits wide; the number of columns varies.
 * The file is the same in each network namespace.
 */
static uint64_t read_backlogs(void)
{
	FILE *file = fopen("/proc/net/softnet_stat", "re");
	uint32_t drops = 0, dropped;

	if (!file)
		return 0;
	while (fscanf(file, "%*x %" SCNx32 "%*[^\n]", &dropped) == 1)
		drops += dropped;
	fclose(file);
	return drops;
}

/**
 * device_counters_read() - read the counters of a device
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @device: index of the device, or 0 for none
 * @counters: filled in; unknown if they cannot be read
 */
void device_counters_read(const char *netns, uint32_t device,
			  struct device_counters *counters)
{
	struct look look = { .device = device, .counters = counters };
	struct ifinfomsg link = { .ifi_index = device };
	struct tcmsg qdisc = { .tcm_ifindex = device };
	struct units_error ignored;
	struct netlink nl;

	memset(counters, 0, sizeof(*counters));
	if (!device || netlink_open(&nl, NETLINK_ROUTE, netns, &ignored))
		return;
	netlink_ask(&nl, RTM_GETLINK, 0, &link, sizeof(link), take_link, &look);
	netlink_ask(&nl, RTM_GETQDISC, NLM_F_DUMP, &qdisc, sizeof(qdisc),
		    take_qdisc, &look);
	netlink_close(&nl);
	counters->backlog_drops = read_backlogs();
}

/**
 * device_counters_difference() - difference of two readings
 * @later: later reading
 * @earlier: earlier reading
 *
 * Return: the difference; unknown if either reading is.
 */
struct device_counters
device_counters_difference(const struct device_counters *later,
			   const struct device_counters *earlier)
{
	if (!later->known || !earlier->known)
		return (struct device_counters) { 0 };
	return (struct device_counters) {
		.known = true,
		.loopback = later->loopback,
		.filtered = later->filtered,
		.sent_packets = later->sent_packets - earlier->sent_packets,
		.sent_drops = later->sent_drops - earlier->sent_drops,
		.received_packets = later->received_packets -
				    earlier->received_packets,
		.received_drops = later->received_drops -
				  earlier->received_drops,
		/* A counter of a queueing discipline has 32 bits. */
		.queue_drops = (uint32_t)(later->queue_drops -
					  earlier->queue_drops),
		.queue_overlimits = (uint32_t)(later->queue_overlimits -
					       earlier->queue_overlimits),
		.ingress_drops = (uint32_t)(later->ingress_drops -
					    earlier->ingress_drops),
		.backlog_drops = (uint32_t)(later->backlog_drops -
					    earlier->backlog_drops),
		.sent_bytes = later->sent_bytes - earlier->sent_bytes,
		.received_bytes = later->received_bytes -
				  earlier->received_bytes,
	};
}
