// SPDX-License-Identifier: GPL-2.0
/* device: a network device, as rtnetlink and ethtool describe it. */
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <string.h>

#include "device.h"
#include "netlink.h"

#define MBIT		1000000ULL

static void take_link(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];
	struct ifinfomsg *header = nlmsg_data(message);
	struct device *device = data;

	if (message->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(message, sizeof(*header), tb, IFLA_MAX, NULL))
		return;
	device->type = header->ifi_type;
	device->index = header->ifi_index;
	device->no_neighbours = header->ifi_flags & IFF_NOARP;
	if (tb[IFLA_IFNAME])
		nla_strlcpy(device->name, tb[IFLA_IFNAME],
			    sizeof(device->name));
	if (tb[IFLA_MTU])
		device->mtu_bytes = nla_get_u32(tb[IFLA_MTU]);
	if (tb[IFLA_NUM_TX_QUEUES])
		device->queues = nla_get_u32(tb[IFLA_NUM_TX_QUEUES]);
	if (tb[IFLA_ADDRESS] &&
	    nla_len(tb[IFLA_ADDRESS]) == sizeof(device->mac))
		memcpy(&device->mac, nla_data(tb[IFLA_ADDRESS]),
		       sizeof(device->mac));
	if (tb[IFLA_LINK])
		device->lower = nla_get_u32(tb[IFLA_LINK]);
	device->lower_elsewhere = tb[IFLA_LINK_NETNSID];
	if (tb[IFLA_PARENT_DEV_NAME])
		nla_strlcpy(device->parent, tb[IFLA_PARENT_DEV_NAME],
			    sizeof(device->parent));
	if (tb[IFLA_PARENT_DEV_BUS_NAME])
		nla_strlcpy(device->parent_bus, tb[IFLA_PARENT_DEV_BUS_NAME],
			    sizeof(device->parent_bus));
	if (tb[IFLA_LINKINFO] &&
	    !nla_parse_nested(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO], NULL) &&
	    info[IFLA_INFO_KIND])
		nla_strlcpy(device->kind, info[IFLA_INFO_KIND],
			    sizeof(device->kind));
}

/**
 * device_get() - look up a device
 * @nl: socket of NETLINK_ROUTE
 * @index: its index, or 0
 * @name: its name if @index is 0
 * @device: filled in
 * @err: why it cannot be looked up
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int device_get(struct netlink *nl, uint32_t index, const char *name,
	       struct device *device, struct units_error *err)
{
	const struct ifinfomsg header = { .ifi_index = index };
	struct netlink_call call = { .reply = take_link, .data = device };

	memset(device, 0, sizeof(*device));
	call.message = nlmsg_alloc_simple(RTM_GETLINK, NLM_F_REQUEST);
	if (!call.message)
		return units_refuse(err, "out of memory");
	nlmsg_append(call.message, (void *)&header, sizeof(header),
		     NLMSG_ALIGNTO);
	if (!index)
		nla_put_string(call.message, IFLA_IFNAME, name);
	return netlink_call(nl, &call, err);
}

/**
 * device_find() - look up a device in a network namespace
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @index: its index
 * @device: filled in
 * @err: why it cannot be looked up
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int device_find(const char *netns, uint32_t index, struct device *device,
		struct units_error *err)
{
	struct netlink nl;
	int ret;

	if (netlink_open(&nl, NETLINK_ROUTE, netns, err))
		return -1;
	ret = device_get(&nl, index, NULL, device, err);
	netlink_close(&nl);
	return ret;
}

/**
 * device_is_virtual() - whether a device has no rate of its own
 * @device: device
 *
 * Return: true for devices with an Ethernet address but no physical link, and for
 * all devices other than Ethernet.
 */
bool device_is_virtual(const struct device *device)
{
	static const char *const kinds[] = {
		"veth", "dummy", "bridge", "tun", "vxlan", "geneve", "gretap",
		"ip6gretap", "netkit", "ifb", "nlmon", "vcan",
	};

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (!strcmp(kinds[i], device->kind))
			return true;
	return device->type != ARPHRD_ETHER;
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

/**
 * device_speed() - link speed of a device
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @index: its index
 *
 * Return: bit/s, or 0 if the device does not report it.
 */
uint64_t device_speed(const char *netns, uint32_t index)
{
	uint64_t rate_bps = 0;

	ethtool_ask(netns, index, ETHTOOL_MSG_LINKMODES_GET,
		    ETHTOOL_A_LINKMODES_HEADER, take_speed, &rate_bps);
	return rate_bps;
}

static void take_channels(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[ETHTOOL_A_CHANNELS_MAX + 1];
	uint32_t *queues = data;

	if (genlmsg_parse(message, 0, tb, ETHTOOL_A_CHANNELS_MAX, NULL))
		return;
	if (tb[ETHTOOL_A_CHANNELS_TX_COUNT])
		*queues += nla_get_u32(tb[ETHTOOL_A_CHANNELS_TX_COUNT]);
	if (tb[ETHTOOL_A_CHANNELS_COMBINED_COUNT])
		*queues += nla_get_u32(tb[ETHTOOL_A_CHANNELS_COMBINED_COUNT]);
}

/**
 * device_queues() - number of transmit queues in use
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @device: device
 *
 * A device may use less than it was created with, and reports that as channels.
 *
 * Return: number of queues.
 */
uint32_t device_queues(const char *netns, const struct device *device)
{
	uint32_t queues = 0;

	ethtool_ask(netns, device->index, ETHTOOL_MSG_CHANNELS_GET,
		    ETHTOOL_A_CHANNELS_HEADER, take_channels, &queues);
	return queues && queues < device->queues ? queues : device->queues;
}

/* Search key for a dump of the addresses of all devices. */
struct search {
	uint32_t index;
	struct address address;
	bool found;
};

static void take_address(struct nlmsghdr *message, void *data)
{
	struct ifaddrmsg *header = nlmsg_data(message);
	struct nlattr *tb[IFA_MAX + 1], *attr;
	struct search *search = data;
	struct address *want = &search->address;

	if (search->found || message->nlmsg_type != RTM_NEWADDR ||
	    nlmsg_parse(message, sizeof(*header), tb, IFA_MAX, NULL) ||
	    header->ifa_family != address_family(want))
		return;
	attr = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if (!attr || nla_len(attr) != (int)address_length(want))
		return;
	if (search->index) {
		if (header->ifa_index != search->index)
			return;
		memcpy((void *)address_bytes(want), nla_data(attr),
		       address_length(want));
	} else if (memcmp(address_bytes(want), nla_data(attr),
			  address_length(want))) {
		return;
	}
	search->index = header->ifa_index;
	search->found = true;
}

static void search_addresses(const char *netns, struct search *search)
{
	const struct ifaddrmsg header = {
		.ifa_family = address_family(&search->address),
	};
	struct netlink_call call = { .reply = take_address, .data = search };
	struct units_error ignored;
	struct netlink nl;

	if (netlink_open(&nl, NETLINK_ROUTE, netns, &ignored))
		return;
	call.message = nlmsg_alloc_simple(RTM_GETADDR,
					  NLM_F_REQUEST | NLM_F_DUMP);
	if (call.message) {
		nlmsg_append(call.message, (void *)&header, sizeof(header),
			     NLMSG_ALIGNTO);
		netlink_call(&nl, &call, &ignored);
	}
	netlink_close(&nl);
}

/**
 * device_of_address() - find the device with an address
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @address: address
 *
 * Return: its index, or 0 if no device has it.
 */
uint32_t device_of_address(const char *netns, const struct address *address)
{
	struct search search = { .address = *address };

	search_addresses(netns, &search);
	return search.found ? search.index : 0;
}

/**
 * device_address() - find an address of a device
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @index: index of the device
 * @family: AF_INET or AF_INET6
 * @address: filled in with the first one
 *
 * Return: true if there is one.
 */
bool device_address(const char *netns, uint32_t index, int family,
		    struct address *address)
{
	struct search search = {
		.index = index, .address = { .storage.ss_family = family },
	};

	search_addresses(netns, &search);
	if (search.found)
		*address = search.address;
	return search.found;
}
