// SPDX-License-Identifier: GPL-2.0
/* route: find the route to an address and the properties of its link. */
#include <errno.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "netlink.h"
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
