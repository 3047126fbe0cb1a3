// SPDX-License-Identifier: GPL-2.0
/* route: find the route to an address and the properties of its link. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/clocks.h"
#include "netlink.h"
#include "netns.h"
#include "route.h"

#define DEVICES_DEEP	4

static void take_bytes(struct address *address, int family,
		       const void *bytes, size_t length)
{
	address->storage.ss_family = family;
	if (length == address_length(address))
		memcpy((void *)address_bytes(address), bytes, length);
	else
		address->storage.ss_family = AF_UNSPEC;
}

static void take_route(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[RTA_MAX + 1], *metrics[RTAX_MAX + 1];
	struct rtmsg *header = nlmsg_data(message);
	struct route *route = data;

	if (message->nlmsg_type != RTM_NEWROUTE ||
	    nlmsg_parse(message, sizeof(*header), tb, RTA_MAX, NULL))
		return;
	route->local = header->rtm_type == RTN_LOCAL;
	route->broadcast = header->rtm_type == RTN_BROADCAST;
	if (tb[RTA_PREFSRC])
		take_bytes(&route->source, header->rtm_family,
			   nla_data(tb[RTA_PREFSRC]),
			   nla_len(tb[RTA_PREFSRC]));
	if (tb[RTA_GATEWAY]) {
		take_bytes(&route->gateway, header->rtm_family,
			   nla_data(tb[RTA_GATEWAY]),
			   nla_len(tb[RTA_GATEWAY]));
	} else if (tb[RTA_VIA]) {
		const struct rtvia *via = nla_data(tb[RTA_VIA]);

		take_bytes(&route->gateway, via->rtvia_family, via->rtvia_addr,
			   nla_len(tb[RTA_VIA]) - sizeof(*via));
	}
	if (tb[RTA_OIF])
		route->index = nla_get_u32(tb[RTA_OIF]);
	if (tb[RTA_METRICS] &&
	    !nla_parse_nested(metrics, RTAX_MAX, tb[RTA_METRICS], NULL) &&
	    metrics[RTAX_MTU])
		route->mtu_bytes = nla_get_u32(metrics[RTAX_MTU]);
}

static int find_route(struct netlink *nl, const struct address *to,
		      uint32_t device, struct route *route,
		      struct units_error *err)
{
	const struct rtmsg header = {
		.rtm_family = address_family(to),
		.rtm_dst_len = address_length(to) * 8,
	};
	struct netlink_call call = { .reply = take_route, .data = route };
	struct units_error why;
	int ret;

	call.message = nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_REQUEST);
	if (!call.message)
		return units_refuse(err, "out of memory");
	nlmsg_append(call.message, (void *)&header, sizeof(header),
		     NLMSG_ALIGNTO);
	nla_put(call.message, RTA_DST, address_length(to), address_bytes(to));
	if (device)
		nla_put_u32(call.message, RTA_OIF, device);
	ret = netlink_call(nl, &call, &why);
	if (!ret)
		return 0;
	if (ret == -ENETUNREACH || ret == -EHOSTUNREACH)
		units_refuse(err, "there is no route to %s",
			     address_show(to).text);
	else
		units_refuse(err, "route to %s: %s", address_show(to).text,
			     why.text);
	return -1;
}

static int describe(struct netlink *nl, const char *netns,
		    struct route *route, struct units_error *err)
{
	uint32_t index = route->index;
	struct device link;

	if (device_get(nl, index, NULL, &link, err))
		return -1;
	snprintf(route->device, sizeof(route->device), "%s", link.name);
	snprintf(route->kind, sizeof(route->kind), "%s", link.kind);
	if (!route->mtu_bytes)
		route->mtu_bytes = link.mtu_bytes;

	for (int i = 0; i < DEVICES_DEEP; i++) {
		if (!strcmp(link.kind, "vlan"))
			route->vlan_tags++;
		else if (strcmp(link.kind, "macvlan") &&
			 strcmp(link.kind, "ipvlan"))
			break;
		if (!link.lower || link.lower_elsewhere)
			break;
		if (device_get(nl, link.lower, NULL, &link, err))
			return -1;
	}
	route->medium = link.type == ARPHRD_LOOPBACK ? ROUTE_LOOPBACK :
			device_is_virtual(&link) ? ROUTE_VIRTUAL : ROUTE_WIRE;
	snprintf(route->parent, sizeof(route->parent), "%s", link.parent);
	snprintf(route->parent_bus, sizeof(route->parent_bus), "%s",
		 link.parent_bus);
	if (route->medium == ROUTE_WIRE)
		route->rate_bps = device_speed(netns, link.index);
	return 0;
}

/**
 * route_find() - look up a route as the kernel does
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @to: address
 * @device: index of the device that sockets are bound to, or 0
 * @route: filled in
 * @err: why there is none
 */
int route_find(const char *netns, const struct address *to, uint32_t device,
	       struct route *route, struct units_error *err)
{
	struct netlink nl;
	int ret;

	memset(route, 0, sizeof(*route));
	if (netlink_open(&nl, NETLINK_ROUTE, netns, err))
		return -1;
	ret = find_route(&nl, to, device, route, err);
	if (!ret)
		ret = describe(&nl, netns, route, err);
	netlink_close(&nl);
	return ret;
}

/**
 * route_by_device() - the route through a device, for any address
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @device: index of the device
 * @route: filled in
 * @err: why there is none
 */
int route_by_device(const char *netns, uint32_t device, struct route *route,
		    struct units_error *err)
{
	struct netlink nl;
	int ret;

	memset(route, 0, sizeof(*route));
	route->index = device;
	if (netlink_open(&nl, NETLINK_ROUTE, netns, err))
		return -1;
	ret = describe(&nl, netns, route, err);
	netlink_close(&nl);
	return ret;
}

/**
 * route_device() - index of a device
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @name: name of the device
 * @index: its index
 * @err: why there is none
 */
int route_device(const char *netns, const char *name, uint32_t *index,
		 struct units_error *err)
{
	struct units_error why;
	struct device link;
	struct netlink nl;
	int ret;

	if (netlink_open(&nl, NETLINK_ROUTE, netns, err))
		return -1;
	ret = device_get(&nl, 0, name, &link, &why);
	netlink_close(&nl);
	*index = link.index;
	if (!ret)
		return 0;
	if (ret == -ENODEV)
		units_refuse(err, "refused: device: there is no '%s' in this network namespace",
			     name);
	else
		units_refuse(err, "device '%s': %s", name, why.text);
	return -1;
}

/* Link data of a veth about its peer. */
struct link {
	bool veth;
	uint32_t peer;
	int netns;
};

#define HERE	(-1)

static void take_link(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];
	struct link *link = data;

	if (message->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(message, sizeof(struct ifinfomsg), tb, IFLA_MAX,
			NULL) ||
	    !tb[IFLA_LINK] || !tb[IFLA_LINKINFO] ||
	    nla_parse_nested(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO], NULL) ||
	    !info[IFLA_INFO_KIND])
		return;
	link->veth = !strcmp(nla_get_string(info[IFLA_INFO_KIND]), "veth");
	link->peer = nla_get_u32(tb[IFLA_LINK]);
	if (tb[IFLA_LINK_NETNSID])
		link->netns = nla_get_s32(tb[IFLA_LINK_NETNSID]);
}

static void take_netns(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[NETNSA_MAX + 1];
	int *netns = data;

	if (message->nlmsg_type == RTM_NEWNSID &&
	    !nlmsg_parse(message, sizeof(struct rtgenmsg), tb, NETNSA_MAX,
			 NULL) && tb[NETNSA_NSID])
		*netns = nla_get_s32(tb[NETNSA_NSID]);
}

static int open_netns(const char *netns)
{
	struct units_error ignored;
	struct netns_visit visit;
	int fd;

	if (netns_enter(&visit, netns, &ignored))
		return -1;
	fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	netns_leave(&visit);
	return fd;
}

/* The nsid of a network namespace as seen from another. */
static int ask_netns(struct netlink *nl, const char *netns)
{
	int number = HERE, fd = open_netns(netns);
	struct netlink_call call = { .reply = take_netns, .data = &number };
	struct rtgenmsg header = { .rtgen_family = AF_UNSPEC };
	struct units_error ignored;

	if (fd < 0)
		return HERE;
	call.message = nlmsg_alloc_simple(RTM_GETNSID, NLM_F_REQUEST);
	if (call.message) {
		nlmsg_append(call.message, &header, sizeof(header),
			     NLMSG_ALIGNTO);
		nla_put_u32(call.message, NETNSA_FD, fd);
		netlink_call(nl, &call, &ignored);
	}
	close(fd);
	return number;
}

/**
 * path_is_veth() - whether two devices are the ends of a veth pair
 * @netns: network namespace of the one as netns_enter() takes it, or NULL
 * @device: its index
 * @peer_netns: network namespace of the other, likewise
 * @peer: its index
 *
 * Return: true if packets sent on one are received on the other.
 */
bool path_is_veth(const char *netns, uint32_t device, const char *peer_netns,
		  uint32_t peer)
{
	const struct ifinfomsg header = { .ifi_index = device };
	struct link link = { .netns = HERE };
	struct units_error ignored;
	struct netlink nl;
	bool same;

	if (!device || !peer ||
	    netlink_open(&nl, NETLINK_ROUTE, netns, &ignored))
		return false;
	netlink_ask(&nl, RTM_GETLINK, 0, &header, sizeof(header), take_link, &link);
	same = link.veth && link.peer == peer;
	if (same && link.netns != HERE)
		same = ask_netns(&nl, peer_netns) == link.netns;
	else if (same)
		same = netns == peer_netns ||
		       (netns && peer_netns && !strcmp(netns, peer_netns));
	netlink_close(&nl);
	return same;
}

static void take_hops(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[RTA_MAX + 1];
	bool *one = data;

	if (message->nlmsg_type == RTM_NEWROUTE &&
	    !nlmsg_parse(message, sizeof(struct rtmsg), tb, RTA_MAX, NULL))
		*one = !tb[RTA_MULTIPATH] && !tb[RTA_NH_ID];
}

/**
 * path_is_single() - whether all packets to an address take the same path
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @to: address
 *
 * Return: true if its route has a single next hop.
 */
bool path_is_single(const char *netns, const struct address *to)
{
	bool one = false;
	struct netlink_call call = { .reply = take_hops, .data = &one };
	const struct rtmsg header = {
		.rtm_family = address_family(to),
		.rtm_dst_len = address_length(to) * 8,
		.rtm_flags = RTM_F_FIB_MATCH,
	};
	struct units_error ignored;
	struct netlink nl;

	if (netlink_open(&nl, NETLINK_ROUTE, netns, &ignored))
		return false;
	call.message = nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_REQUEST);
	if (call.message) {
		nlmsg_append(call.message, (void *)&header, sizeof(header),
			     NLMSG_ALIGNTO);
		nla_put(call.message, RTA_DST, address_length(to),
			address_bytes(to));
		netlink_call(&nl, &call, &ignored);
	}
	netlink_close(&nl);
	return one;
}

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
