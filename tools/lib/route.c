// SPDX-License-Identifier: GPL-2.0
/* route: which way packets to an address take, and what the link is like. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "netlink.h"
#include "route.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define MBIT		1000000ULL
#define DEVICES_DEEP	4

static void take_route(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[RTA_MAX + 1], *metrics[RTAX_MAX + 1];
	struct rtmsg *header = nlmsg_data(message);
	struct route *route = data;

	if (message->nlmsg_type != RTM_NEWROUTE ||
	    nlmsg_parse(message, sizeof(*header), tb, RTA_MAX, NULL))
		return;
	route->local = header->rtm_type == RTN_LOCAL;
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
	if (!call.message) {
		units_refuse(err, "out of memory");
		return -1;
	}
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

/* A device while it is described. */
struct link {
	uint32_t index;
	uint32_t lower;
	uint32_t mtu_bytes;
	unsigned int type;
	bool lower_elsewhere;
	char name[ROUTE_NAME_MAX];
	char kind[ROUTE_NAME_MAX];
};

static void take_link(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];
	struct ifinfomsg *header = nlmsg_data(message);
	struct link *link = data;

	if (message->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(message, sizeof(*header), tb, IFLA_MAX, NULL))
		return;
	link->type = header->ifi_type;
	link->index = header->ifi_index;
	if (tb[IFLA_IFNAME])
		nla_strlcpy(link->name, tb[IFLA_IFNAME], sizeof(link->name));
	if (tb[IFLA_MTU])
		link->mtu_bytes = nla_get_u32(tb[IFLA_MTU]);
	if (tb[IFLA_LINK])
		link->lower = nla_get_u32(tb[IFLA_LINK]);
	link->lower_elsewhere = tb[IFLA_LINK_NETNSID];
	if (tb[IFLA_LINKINFO] &&
	    !nla_parse_nested(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO], NULL) &&
	    info[IFLA_INFO_KIND])
		nla_strlcpy(link->kind, info[IFLA_INFO_KIND],
			    sizeof(link->kind));
}

/* By @name where @index is 0. */
static int find_link(struct netlink *nl, uint32_t index, const char *name,
		     struct link *link, struct units_error *err)
{
	const struct ifinfomsg header = { .ifi_index = index };
	struct netlink_call call = { .reply = take_link, .data = link };

	memset(link, 0, sizeof(*link));
	call.message = nlmsg_alloc_simple(RTM_GETLINK, NLM_F_REQUEST);
	if (!call.message) {
		units_refuse(err, "out of memory");
		return -1;
	}
	nlmsg_append(call.message, (void *)&header, sizeof(header),
		     NLMSG_ALIGNTO);
	if (!index)
		nla_put_string(call.message, IFLA_IFNAME, name);
	return netlink_call(nl, &call, err);
}

static void take_speed(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[ETHTOOL_A_LINKMODES_MAX + 1];
	uint64_t *rate_bps = data;
	uint32_t mbps;

	if (genlmsg_parse(message, 0, tb, ETHTOOL_A_LINKMODES_MAX, NULL) ||
	    !tb[ETHTOOL_A_LINKMODES_SPEED])
		return;
	mbps = nla_get_u32(tb[ETHTOOL_A_LINKMODES_SPEED]);
	if (mbps != (uint32_t)SPEED_UNKNOWN)
		*rate_bps = mbps * MBIT;
}

/* Many devices have no speed to tell; that is no error. */
static uint64_t find_speed(const char *netns, uint32_t index)
{
	struct units_error ignored;
	struct netlink_call call = { .reply = take_speed };
	struct nlattr *header;
	struct netlink nl;
	uint64_t rate_bps = 0;
	int family;

	if (netlink_open(&nl, NETLINK_GENERIC, netns, &ignored))
		return 0;
	family = genl_ctrl_resolve(nl.sock, ETHTOOL_GENL_NAME);
	call.message = family < 0 ? NULL : nlmsg_alloc();
	if (call.message) {
		genlmsg_put(call.message, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0,
			    0, ETHTOOL_MSG_LINKMODES_GET,
			    ETHTOOL_GENL_VERSION);
		header = nla_nest_start(call.message,
					ETHTOOL_A_LINKMODES_HEADER |
					NLA_F_NESTED);
		nla_put_u32(call.message, ETHTOOL_A_HEADER_DEV_INDEX, index);
		nla_nest_end(call.message, header);
		call.data = &rate_bps;
		netlink_call(&nl, &call, &ignored);
	}
	netlink_close(&nl);
	return rate_bps;
}

/* Devices that have an address of Ethernet, but no rate. */
static bool is_virtual(const struct link *link)
{
	static const char *const kinds[] = {
		"veth", "dummy", "bridge", "tun", "vxlan", "geneve", "gretap",
		"ip6gretap", "netkit", "ifb", "nlmon", "vcan",
	};

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (!strcmp(kinds[i], link->kind))
			return true;
	return link->type != ARPHRD_ETHER;
}

static int describe(struct netlink *nl, const char *netns,
		    struct route *route, struct units_error *err)
{
	uint32_t index = route->index;
	struct link link;

	if (find_link(nl, index, NULL, &link, err))
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
		if (find_link(nl, link.lower, NULL, &link, err))
			return -1;
	}
	route->medium = link.type == ARPHRD_LOOPBACK ? ROUTE_LOOPBACK :
			is_virtual(&link) ? ROUTE_VIRTUAL : ROUTE_WIRE;
	if (route->medium == ROUTE_WIRE)
		route->rate_bps = find_speed(netns, link.index);
	return 0;
}

/**
 * route_find() - look a route up as the kernel would
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @to: address
 * @device: number of the device that sockets are bound to, or 0
 * @route: filled in
 * @err: why there is none
 *
 * Return: 0, or -1 with a sentence in @err.
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
 * route_device() - number of a device
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @name: name of the device
 * @index: its number
 * @err: why there is none
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int route_device(const char *netns, const char *name, uint32_t *index,
		 struct units_error *err)
{
	struct units_error why;
	struct link link;
	struct netlink nl;
	int ret;

	if (netlink_open(&nl, NETLINK_ROUTE, netns, err))
		return -1;
	ret = find_link(&nl, 0, name, &link, &why);
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
