// SPDX-License-Identifier: GPL-2.0
/* findings_link: gather data from netlink and from the path. */
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool_netlink.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <netinet/ip.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../base/clocks.h"
#include "findings.h"
#include "netlink.h"
#include "netns.h"

/* Destination port of the probe: a refusal measures a round trip too. */
#define PORT		5010
#define ANSWER_MS	1000
/* Probes of the round trip. */
#define RTT_TRIES	3
/* Timeout for a router's "packet too big". */
#define TOO_BIG_MS	200
/* Headers of IP and UDP. */
#define HEADERS_IPV4	28
#define HEADERS_IPV6	48

static uint32_t number(struct nlattr *attribute)
{
	return attribute ? nla_get_u32(attribute) : 0;
}

static void take_qdisc(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[IFLA_MAX + 1];
	struct doctor_link *link = data;

	if (message->nlmsg_type == RTM_NEWLINK &&
	    !nlmsg_parse(message, sizeof(struct ifinfomsg), tb, IFLA_MAX,
			 NULL) && tb[IFLA_QDISC])
		nla_strlcpy(link->qdisc, tb[IFLA_QDISC], sizeof(link->qdisc));
}

static void take_rings(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[ETHTOOL_A_RINGS_MAX + 1];
	struct doctor_link *link = data;

	if (genlmsg_parse(message, 0, tb, ETHTOOL_A_RINGS_MAX, NULL))
		return;
	link->rx_ring = number(tb[ETHTOOL_A_RINGS_RX]);
	link->rx_ring_max = number(tb[ETHTOOL_A_RINGS_RX_MAX]);
}

static void take_channels(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[ETHTOOL_A_CHANNELS_MAX + 1];
	struct doctor_link *link = data;

	if (!genlmsg_parse(message, 0, tb, ETHTOOL_A_CHANNELS_MAX, NULL))
		link->queues = number(tb[ETHTOOL_A_CHANNELS_RX_COUNT]) +
			       number(tb[ETHTOOL_A_CHANNELS_COMBINED_COUNT]);
}

static void take_coalescing(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[ETHTOOL_A_COALESCE_MAX + 1];
	struct doctor_link *link = data;

	if (genlmsg_parse(message, 0, tb, ETHTOOL_A_COALESCE_MAX, NULL) ||
	    !tb[ETHTOOL_A_COALESCE_RX_USECS])
		return;
	link->coalescing = true;
	link->rx_usecs = number(tb[ETHTOOL_A_COALESCE_RX_USECS]);
	link->rx_adaptive = tb[ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX] &&
		nla_get_u8(tb[ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX]);
}

static void take_stamps(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[ETHTOOL_A_TSINFO_MAX + 1];
	struct doctor_link *link = data;

	link->stamps = !genlmsg_parse(message, 0, tb, ETHTOOL_A_TSINFO_MAX,
				      NULL) &&
		       tb[ETHTOOL_A_TSINFO_PHC_INDEX];
}

static unsigned int offload(const char *feature)
{
	static const struct {
		const char *name;
		unsigned int bit;
	} names[] = {
		{ "rx-checksum", DOCTOR_RX_CHECKSUM },
		{ "tx-checksum-ipv4", DOCTOR_TX_CHECKSUM },
		{ "tx-checksum-ip-generic", DOCTOR_TX_CHECKSUM },
		{ "tx-tcp-segmentation", DOCTOR_TSO },
		{ "tx-generic-segmentation", DOCTOR_GSO },
		{ "rx-gro", DOCTOR_GRO },
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (!strcmp(names[i].name, feature))
			return names[i].bit;
	return 0;
}

/* Offloads in a bit set that lists the bits set. */
static unsigned int offloads(struct nlattr *bitset)
{
	struct nlattr *set[ETHTOOL_A_BITSET_MAX + 1];
	struct nlattr *tb[ETHTOOL_A_BITSET_BIT_MAX + 1], *bit, *name;
	unsigned int found = 0;
	int left;

	if (!bitset ||
	    nla_parse_nested(set, ETHTOOL_A_BITSET_MAX, bitset, NULL) ||
	    !set[ETHTOOL_A_BITSET_BITS])
		return 0;
	nla_for_each_nested(bit, set[ETHTOOL_A_BITSET_BITS], left) {
		if (nla_parse_nested(tb, ETHTOOL_A_BITSET_BIT_MAX, bit, NULL))
			continue;
		name = tb[ETHTOOL_A_BITSET_BIT_NAME];
		if (name)
			found |= offload(nla_get_string(name));
	}
	return found;
}

/* Features that can be changed; some are fixed. */
static void take_features(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[ETHTOOL_A_FEATURES_MAX + 1];
	struct doctor_link *link = data;

	if (genlmsg_parse(message, 0, tb, ETHTOOL_A_FEATURES_MAX, NULL))
		return;
	link->does = offloads(tb[ETHTOOL_A_FEATURES_ACTIVE]);
	link->can = link->does | offloads(tb[ETHTOOL_A_FEATURES_HW]);
}

static void ask_link(const char *netns, uint32_t index,
		     struct doctor_link *link)
{
	const struct ifinfomsg header = { .ifi_index = index };
	struct units_error ignored;
	struct netlink nl;

	if (netlink_open(&nl, NETLINK_ROUTE, netns, &ignored))
		return;
	netlink_ask(&nl, RTM_GETLINK, 0, &header, sizeof(header), take_qdisc, link);
	netlink_close(&nl);
}

static void ask_device(const char *netns, uint32_t index,
		       struct doctor_link *link)
{
	static const struct {
		int command;
		int header;
		netlink_reply reply;
	} questions[] = {
		{ ETHTOOL_MSG_RINGS_GET, ETHTOOL_A_RINGS_HEADER, take_rings },
		{ ETHTOOL_MSG_CHANNELS_GET, ETHTOOL_A_CHANNELS_HEADER,
		  take_channels },
		{ ETHTOOL_MSG_COALESCE_GET, ETHTOOL_A_COALESCE_HEADER,
		  take_coalescing },
		{ ETHTOOL_MSG_FEATURES_GET, ETHTOOL_A_FEATURES_HEADER,
		  take_features },
		{ ETHTOOL_MSG_TSINFO_GET, ETHTOOL_A_TSINFO_HEADER,
		  take_stamps },
	};
	struct units_error ignored;

	if (device_find(netns, index, &link->device, &ignored))
		return;
	ask_link(netns, index, link);
	link->rate_bps = device_is_virtual(&link->device) ?
			 0 : device_speed(netns, index);
	for (size_t i = 0; i < COUNT(questions); i++)
		ethtool_ask(netns, index, questions[i].command,
			    questions[i].header, questions[i].reply, link);
	/* A veth receives whole segments, and enables GRO only for NAPI with XDP. */
	if (device_is_virtual(&link->device))
		link->can &= ~DOCTOR_GRO;
}

static void take_chain(struct nlmsghdr *message, void *data)
{
	struct nlattr *tb[NFTA_CHAIN_MAX + 1];
	unsigned int *hooks = data;

	if (message->nlmsg_type ==
		    (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWCHAIN) &&
	    !nlmsg_parse(message, sizeof(struct nfgenmsg), tb, NFTA_CHAIN_MAX,
			 NULL) && tb[NFTA_CHAIN_HOOK])
		++*hooks;
}

/* Count chains attached to a hook of the stack. */
static void ask_hooks(const char *netns, struct doctor_link *link)
{
	const struct nfgenmsg header = { .nfgen_family = AF_UNSPEC };
	struct units_error ignored;
	struct netlink nl;

	if (netlink_open(&nl, NETLINK_NETFILTER, netns, &ignored))
		return;
	link->hooks_known = netlink_ask(&nl, NFNL_SUBSYS_NFTABLES << 8 |
					NFT_MSG_GETCHAIN, NLM_F_DUMP, &header,
					sizeof(header), take_chain, &link->hooks);
	netlink_close(&nl);
}

static int open_socket(const struct address *to, int type)
{
	return socket(address_family(to), type | SOCK_CLOEXEC | SOCK_NONBLOCK,
		      0);
}

static int knock(int fd, const struct address *to)
{
	return connect(fd, (const struct sockaddr *)&to->storage,
		       address_family(to) == AF_INET6 ? sizeof(to->ipv6) :
							sizeof(to->ipv4));
}

/* Both an accepted and a refused connection take one round trip; 0 for no answer. */
static uint64_t ask_once(const struct address *to)
{
	struct pollfd wait = {
		.fd = open_socket(to, SOCK_STREAM), .events = POLLOUT,
	};
	const uint64_t begin_ns = monotonic_ns();
	socklen_t size = sizeof(int);
	uint64_t rtt_ns = 0;
	int error = 0;

	if (wait.fd < 0)
		return 0;
	/* Over loopback the refusal may be immediate. */
	if (knock(wait.fd, to) && errno != EINPROGRESS)
		error = errno;
	else if (poll(&wait, 1, ANSWER_MS) == 1)
		getsockopt(wait.fd, SOL_SOCKET, SO_ERROR, &error, &size);
	else
		error = ETIMEDOUT;
	if (!error || error == ECONNREFUSED)
		rtt_ns = monotonic_ns() - begin_ns;
	close(wait.fd);
	return rtt_ns;
}

/* The least of some round trips: a host that is busy answers late now and then. */
static uint64_t ask_rtt(const struct address *to)
{
	uint64_t least = ask_once(to);

	for (int i = 1; i < RTT_TRIES && least; i++) {
		const uint64_t rtt_ns = ask_once(to);

		if (rtt_ns && rtt_ns < least)
			least = rtt_ns;
	}
	return least;
}

/* Send a datagram of the device's MTU, then read the path MTU. */
static uint32_t ask_path_mtu(const struct address *to, uint32_t mtu_bytes)
{
	static const char zeroes[UINT16_MAX];
	const bool ipv6 = address_family(to) == AF_INET6;
	const int level = ipv6 ? IPPROTO_IPV6 : IPPROTO_IP;
	const int always = IP_PMTUDISC_DO;
	const uint32_t headers = ipv6 ? HEADERS_IPV6 : HEADERS_IPV4;
	struct pollfd wait = { .fd = open_socket(to, SOCK_DGRAM) };
	socklen_t size = sizeof(int);
	int mtu = 0;

	if (wait.fd < 0)
		return 0;
	if (mtu_bytes > UINT16_MAX)
		mtu_bytes = UINT16_MAX;
	if (!setsockopt(wait.fd, level, ipv6 ? IPV6_MTU_DISCOVER :
					       IP_MTU_DISCOVER, &always,
			sizeof(always)) &&
	    !knock(wait.fd, to) && mtu_bytes > headers) {
		if (send(wait.fd, zeroes, mtu_bytes - headers, 0) > 0)
			poll(&wait, 1, TOO_BIG_MS);
		if (getsockopt(wait.fd, level, ipv6 ? IPV6_MTU : IP_MTU, &mtu,
			       &size))
			mtu = 0;
	}
	close(wait.fd);
	return mtu;
}

/**
 * doctor_ask() - query a device and the path to an address
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @device: index of the device, or 0
 * @to: address, or NULL
 * @link: filled in with what is known
 *
 * It sends a connection request and a datagram to the address.
 */
void doctor_ask(const char *netns, uint32_t device, const struct address *to,
		struct doctor_link *link)
{
	struct units_error ignored;
	struct netns_visit visit;

	*link = (struct doctor_link) { 0 };
	ask_hooks(netns, link);
	if (to && !route_find(netns, to, device, &link->route, &ignored)) {
		link->routed = true;
		if (!device)
			device = link->route.index;
	}
	if (device)
		ask_device(netns, device, link);
	if (link->routed && !netns_enter(&visit, netns, &ignored)) {
		struct address there = *to;

		address_set_port(&there, PORT);
		link->rtt_ns = ask_rtt(&there);
		link->path_mtu_bytes =
			ask_path_mtu(&there, link->device.mtu_bytes);
		netns_leave(&visit);
	}
}
