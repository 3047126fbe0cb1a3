// SPDX-License-Identifier: GPL-2.0
/* environment_device: description of a network device in a record. */
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device.h"
#include "environment.h"
#include "netlink.h"
#include "netns.h"

#define DEVICES_DEEP	3

/* An attribute that is a number or a boolean, and its key. */
struct number {
	int type;
	const char *key;
	bool truth;
};

static uint64_t value_of(struct nlattr *attribute)
{
	switch (nla_len(attribute)) {
	case sizeof(uint8_t):
		return nla_get_u8(attribute);
	case sizeof(uint64_t):
		return nla_get_u64(attribute);
	default:
		return nla_get_u32(attribute);
	}
}

static void record_numbers(struct output *out, struct nlattr **tb,
			   const struct number *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct nlattr *attribute = tb[numbers[i].type];

		if (attribute && numbers[i].truth)
			output_data_bool(out, numbers[i].key,
					 value_of(attribute));
		else if (attribute)
			output_data_u64(out, numbers[i].key,
					value_of(attribute));
	}
}

static void take_link(struct nlmsghdr *message, void *data)
{
	static const struct number numbers[] = {
		{ .type = IFLA_MTU, .key = "mtu_bytes" },
		{ .type = IFLA_TXQLEN, .key = "queue_length_packets" },
		{ .type = IFLA_NUM_TX_QUEUES, .key = "transmit_queues" },
		{ .type = IFLA_NUM_RX_QUEUES, .key = "receive_queues" },
		{ .type = IFLA_GSO_MAX_SIZE, .key = "gso_max_bytes" },
		{ .type = IFLA_GSO_MAX_SEGS, .key = "gso_max_segments" },
		{ .type = IFLA_TSO_MAX_SIZE, .key = "tso_max_bytes" },
		{ .type = IFLA_GRO_MAX_SIZE, .key = "gro_max_bytes" },
	};
	struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];
	struct output *out = data;

	if (message->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(message, sizeof(struct ifinfomsg), tb, IFLA_MAX, NULL))
		return;
	if (tb[IFLA_IFNAME])
		output_data_string(out, "name", nla_get_string(tb[IFLA_IFNAME]));
	if (tb[IFLA_LINKINFO] &&
	    !nla_parse_nested(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO], NULL) &&
	    info[IFLA_INFO_KIND])
		output_data_string(out, "kind",
				   nla_get_string(info[IFLA_INFO_KIND]));
	if (tb[IFLA_QDISC])
		output_data_string(out, "qdisc", nla_get_string(tb[IFLA_QDISC]));
	record_numbers(out, tb, numbers, COUNT(numbers));
}

static void record_link(struct output *out, const char *netns, uint32_t index)
{
	const struct ifinfomsg header = { .ifi_index = index };
	struct units_error ignored;
	struct netlink nl;

	if (netlink_open(&nl, NETLINK_ROUTE, netns, &ignored))
		return;
	netlink_ask(&nl, RTM_GETLINK, 0, &header, sizeof(header), take_link, out);
	netlink_close(&nl);
}

/* The driver's strings are not available by netlink. */
static bool ask_driver(const char *netns, uint32_t index,
		       struct ethtool_drvinfo *driver)
{
	struct ifreq request = { .ifr_data = (char *)driver };
	struct units_error ignored;
	struct netns_visit visit;
	bool known = false;
	int fd;

	if (netns_enter(&visit, netns, &ignored))
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	driver->cmd = ETHTOOL_GDRVINFO;
	if (fd >= 0 && if_indextoname(index, request.ifr_name))
		known = !ioctl(fd, SIOCETHTOOL, &request);
	if (fd >= 0)
		close(fd);
	netns_leave(&visit);
	return known;
}

static void record_string(struct output *out, const char *key, const char *text)
{
	if (text[0] && strcmp(text, "N/A"))
		output_data_string(out, key, text);
}

static void record_pci(struct output *out, const char *bus, const char *key,
		       const char *file)
{
	char *line = environment_read_line("/sys/bus/pci/devices/%s/%s", bus,
					   file);

	if (line && line[0])
		output_data_string(out, key, line);
	free(line);
}

static void record_driver(struct output *out, const char *netns,
			  uint32_t index)
{
	struct ethtool_drvinfo driver = { 0 };
	char *node;

	if (!ask_driver(netns, index, &driver))
		return;
	record_string(out, "driver", driver.driver);
	record_string(out, "driver_version", driver.version);
	record_string(out, "firmware", driver.fw_version);
	record_string(out, "bus", driver.bus_info);
	node = environment_read_line("/sys/bus/pci/devices/%s/numa_node",
				     driver.bus_info);
	/* -1 if there is only one node. */
	if (node && node[0] != '-')
		output_data_u64(out, "numa_node", strtoull(node, NULL, 10));
	free(node);
	record_pci(out, driver.bus_info, "link_speed", "current_link_speed");
	record_pci(out, driver.bus_info, "link_width", "current_link_width");
	record_pci(out, driver.bus_info, "link_speed_max", "max_link_speed");
	record_pci(out, driver.bus_info, "link_width_max", "max_link_width");
}

static void take_bit(struct output *out, struct nlattr *bit)
{
	struct nlattr *tb[ETHTOOL_A_BITSET_BIT_MAX + 1];

	if (!nla_parse_nested(tb, ETHTOOL_A_BITSET_BIT_MAX, bit, NULL) &&
	    tb[ETHTOOL_A_BITSET_BIT_NAME])
		output_data_string(out, NULL,
				   nla_get_string(tb[ETHTOOL_A_BITSET_BIT_NAME]));
}

/* The bits listed are the bits set. */
static void take_features(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[ETHTOOL_A_FEATURES_MAX + 1];
	struct nlattr *set[ETHTOOL_A_BITSET_MAX + 1], *bit;
	struct output *out = data;
	int left;

	if (genlmsg_parse(message, 0, tb, ETHTOOL_A_FEATURES_MAX, NULL) ||
	    !tb[ETHTOOL_A_FEATURES_ACTIVE] ||
	    nla_parse_nested(set, ETHTOOL_A_BITSET_MAX,
			     tb[ETHTOOL_A_FEATURES_ACTIVE], NULL) ||
	    !set[ETHTOOL_A_BITSET_BITS])
		return;
	output_array_begin(out, "features");
	nla_for_each_nested(bit, set[ETHTOOL_A_BITSET_BITS], left)
		take_bit(out, bit);
	output_array_end(out);
}

static void take_rings(struct nlmsghdr *message, void *data)
{
	static const struct number numbers[] = {
		{ .type = ETHTOOL_A_RINGS_RX, .key = "receive" },
		{ .type = ETHTOOL_A_RINGS_RX_MAX, .key = "receive_max" },
		{ .type = ETHTOOL_A_RINGS_TX, .key = "transmit" },
		{ .type = ETHTOOL_A_RINGS_TX_MAX, .key = "transmit_max" },
	};
	struct nlattr *tb[ETHTOOL_A_RINGS_MAX + 1];

	if (genlmsg_parse(message, 0, tb, ETHTOOL_A_RINGS_MAX, NULL))
		return;
	output_object_begin(data, "rings");
	record_numbers(data, tb, numbers, COUNT(numbers));
	output_object_end(data);
}

static void take_channels(struct nlmsghdr *message, void *data)
{
	static const struct number numbers[] = {
		{ .type = ETHTOOL_A_CHANNELS_RX_COUNT, .key = "receive" },
		{ .type = ETHTOOL_A_CHANNELS_TX_COUNT, .key = "transmit" },
		{ .type = ETHTOOL_A_CHANNELS_COMBINED_COUNT,
		  .key = "combined" },
		{ .type = ETHTOOL_A_CHANNELS_COMBINED_MAX,
		  .key = "combined_max" },
	};
	struct nlattr *tb[ETHTOOL_A_CHANNELS_MAX + 1];

	if (genlmsg_parse(message, 0, tb, ETHTOOL_A_CHANNELS_MAX, NULL))
		return;
	output_object_begin(data, "channels");
	record_numbers(data, tb, numbers, COUNT(numbers));
	output_object_end(data);
}

static void take_coalescing(struct nlmsghdr *message, void *data)
{
	static const struct number numbers[] = {
		{ .type = ETHTOOL_A_COALESCE_RX_USECS, .key = "receive_us" },
		{ .type = ETHTOOL_A_COALESCE_RX_MAX_FRAMES,
		  .key = "receive_frames" },
		{ .type = ETHTOOL_A_COALESCE_TX_USECS, .key = "transmit_us" },
		{ .type = ETHTOOL_A_COALESCE_TX_MAX_FRAMES,
		  .key = "transmit_frames" },
		{ .type = ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX,
		  .key = "receive_adaptive", .truth = true },
		{ .type = ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX,
		  .key = "transmit_adaptive", .truth = true },
	};
	struct nlattr *tb[ETHTOOL_A_COALESCE_MAX + 1];

	if (genlmsg_parse(message, 0, tb, ETHTOOL_A_COALESCE_MAX, NULL))
		return;
	output_object_begin(data, "coalescing");
	record_numbers(data, tb, numbers, COUNT(numbers));
	output_object_end(data);
}

static void record_device(struct output *out, const char *key,
			  const char *netns, uint32_t index, int deeper)
{
	uint64_t rate_bps = device_speed(netns, index);
	struct units_error ignored;
	struct device device;

	output_object_begin(out, key);
	record_link(out, netns, index);
	record_driver(out, netns, index);
	if (rate_bps)
		output_data_u64(out, "rate_bps", rate_bps);
	ethtool_ask(netns, index, ETHTOOL_MSG_FEATURES_GET,
		    ETHTOOL_A_FEATURES_HEADER, take_features, out);
	ethtool_ask(netns, index, ETHTOOL_MSG_RINGS_GET,
		    ETHTOOL_A_RINGS_HEADER, take_rings, out);
	ethtool_ask(netns, index, ETHTOOL_MSG_CHANNELS_GET,
		    ETHTOOL_A_CHANNELS_HEADER, take_channels, out);
	ethtool_ask(netns, index, ETHTOOL_MSG_COALESCE_GET,
		    ETHTOOL_A_COALESCE_HEADER, take_coalescing, out);
	/* The link of a veth is its peer, not a lower device. */
	if (deeper && !device_find(netns, index, &device, &ignored) &&
	    device.lower && device.lower != index &&
	    !device.lower_elsewhere && strcmp(device.kind, "veth"))
		record_device(out, "lower", netns, device.lower, deeper - 1);
	output_object_end(out);
}

/**
 * environment_record_device() - record a device as an object
 * @out: the output
 * @netns: its network namespace as netns_enter() takes it, or NULL
 * @device: its index
 *
 * The object includes the lower devices in the same network namespace.
 */
void environment_record_device(struct output *out, const char *netns,
			       uint32_t device)
{
	record_device(out, "device", netns, device, DEVICES_DEEP);
}
