// SPDX-License-Identifier: GPL-2.0
/* path: properties of the path between two ends. */
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>
#include <unistd.h>

#include "netlink.h"
#include "netns.h"
#include "path.h"

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

static void take_route(struct nlmsghdr *message, void *data)
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
	struct netlink_call call = { .reply = take_route, .data = &one };
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
