// SPDX-License-Identifier: GPL-2.0
/* neighbour: find the destination MAC address for an IP address. */
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>
#include <time.h>

#include "../base/clocks.h"
#include "neighbour.h"

/* By default the kernel sends three solicitations, one second apart. */
#define WAIT_NS		(3500 * 1000000ULL)
#define LOOK_NS		(10 * 1000000ULL)

#define VALID		(NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | \
			 NUD_PERMANENT | NUD_NOARP)

/* An entry of the neighbour table. */
struct entry {
	unsigned int state;
	bool has_mac;
	struct ethernet_mac mac;
};

static void take_entry(struct nlmsghdr *message, void *data)
{
	struct ndmsg *header = nlmsg_data(message);
	struct nlattr *tb[NDA_MAX + 1];
	struct entry *entry = data;

	if (message->nlmsg_type != RTM_NEWNEIGH ||
	    nlmsg_parse(message, sizeof(*header), tb, NDA_MAX, NULL))
		return;
	entry->state = header->ndm_state;
	entry->has_mac = tb[NDA_LLADDR] &&
			 nla_len(tb[NDA_LLADDR]) == sizeof(entry->mac);
	if (entry->has_mac)
		memcpy(&entry->mac, nla_data(tb[NDA_LLADDR]),
		       sizeof(entry->mac));
}

static int call_table(struct netlink *nl, int type, int flags,
		      const struct address *hop, uint32_t device,
		      struct entry *entry, struct units_error *err)
{
	const struct ndmsg header = {
		.ndm_family = address_family(hop),
		.ndm_ifindex = device,
		.ndm_flags = type == RTM_NEWNEIGH ? NTF_USE : 0,
	};
	struct netlink_call call = { .reply = take_entry, .data = entry };

	call.message = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);
	if (!call.message)
		return units_refuse(err, "out of memory");
	nlmsg_append(call.message, (void *)&header, sizeof(header),
		     NLMSG_ALIGNTO);
	nla_put(call.message, NDA_DST, address_length(hop),
		address_bytes(hop));
	return netlink_call(nl, &call, err);
}

/* NTF_USE makes the kernel resolve the address, as for a packet. */
static int ask(struct netlink *nl, const struct address *hop, uint32_t device,
	       struct ethernet_mac *mac, struct units_error *err)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	const uint64_t until = monotonic_ns() + WAIT_NS;
	bool asked = false;

	for (;;) {
		struct entry entry = { 0 };
		struct units_error ignored;

		/* A missing entry is not an error. */
		call_table(nl, RTM_GETNEIGH, 0, hop, device, &entry, &ignored);
		if (entry.state & VALID && entry.has_mac) {
			*mac = entry.mac;
			return 0;
		}
		if (!asked && call_table(nl, RTM_NEWNEIGH,
					 NLM_F_ACK | NLM_F_CREATE |
					 NLM_F_REPLACE, hop, device, &entry,
					 err))
			return -1;
		if ((asked && entry.state == NUD_FAILED) || monotonic_ns() > until)
			break;
		asked = true;
		nanosleep(&pause, NULL);
	}
	return units_refuse(err,
			    "no neighbour answers for %s: give mac ADDRESS",
			    address_show(hop).text);
}

/**
 * neighbour_resolve() - find the destination MAC address
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @to: IP address
 * @route: the route to it
 * @mac: MAC address of the host, the gateway, or the multicast group
 * @err: why there is none
 *
 * A device without neighbours, such as a dummy, gets its own address.
 */
int neighbour_resolve(const char *netns, const struct address *to,
		      const struct route *route, struct ethernet_mac *mac,
		      struct units_error *err)
{
	const struct address *hop = to;
	struct device device;
	struct netlink nl;
	int ret;

	if (ethernet_group_mac(to, mac))
		return 0;
	if (route->broadcast) {
		memset(mac, 0xff, sizeof(*mac));
		return 0;
	}
	if (address_family(&route->gateway) != AF_UNSPEC)
		hop = &route->gateway;
	if (netlink_open(&nl, NETLINK_ROUTE, netns, err))
		return -1;
	ret = device_get(&nl, route->index, NULL, &device, err);
	if (!ret && device.no_neighbours)
		*mac = device.mac;
	else if (!ret)
		ret = ask(&nl, hop, route->index, mac, err);
	netlink_close(&nl);
	return ret;
}
