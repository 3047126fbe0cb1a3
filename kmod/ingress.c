// SPDX-License-Identifier: GPL-2.0
/*
 * Sinks at the netfilter ingress hook of a device: above the driver and GRO,
 * below everything else. Checksums have not been verified there.
 *
 * A hook can be unregistered only while its device exists and is in the
 * namespace where the hook was registered. So this file has its own notifier,
 * which unregisters the hook before the device goes; the run ends later. The
 * namespace's table cannot serve here: it does not contain runs that are being
 * prepared, and its lock is taken inside cpus_read_lock(), which netfilter
 * takes for its static key.
 *
 * Locks, outermost first: RTNL, hooks_lock, netfilter's locks and, for its
 * static key, cpus_read_lock(). A CPU that goes offline does not wait for runs
 * of this kind, which have no workers.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktput_datagram.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "address.h"
#include "cachelines.h"
#include "datagram.h"
#include "datagram_snapshot.h"
#include "ingress.h"
#include "netns.h"
#include "ops.h"
#include "run.h"
#include "stream.h"

/**
 * struct ktput_ingress - the hook of a run
 * @node: link in the list of hooks; hooks_lock
 * @run: run, which outlives the hook
 * @net: namespace of the device
 * @dev: device, with a reference, NULL once it has gone; hooks_lock
 * @tracker: tracker of that reference
 * @hook: netfilter hook
 */
struct ktput_ingress {
	struct list_head node;
	struct ktput_run *run;
	struct net *net;
	struct net_device *dev;
	netdevice_tracker tracker;
	struct nf_hook_ops hook;
} ____cacheline_aligned_in_smp;

KTPUT_OWN_CACHELINES(struct ktput_ingress);

/**
 * struct ktput_ingress_stream - a stream of a sink at the ingress hook
 * @stream: what is scheduled: nothing, but all have it
 * @arrivals: statistics of what it receives
 */
struct ktput_ingress_stream {
	struct ktput_stream stream;
	struct ktput_arrivals arrivals;
};

static_assert(!offsetof(struct ktput_ingress_stream, stream));

static LIST_HEAD(hooks);
static DEFINE_MUTEX(hooks_lock);

static struct ktput_arrivals *arrivals_of(struct ktput_stream *stream)
{
	return &container_of(stream, struct ktput_ingress_stream,
			     stream)->arrivals;
}

static bool to_ipv4(const struct ktput_config *config, const struct iphdr *ip)
{
	const struct sockaddr_in *local =
		(const struct sockaddr_in *)&config->local;

	if (ip->version != 4 || ip->ihl < 5 || ip->protocol != IPPROTO_UDP ||
	    ip_is_fragment(ip))
		return false;
	return local->sin_family == AF_UNSPEC ||
	       (local->sin_family == AF_INET &&
		(!local->sin_addr.s_addr ||
		 local->sin_addr.s_addr == ip->daddr));
}

static bool to_ipv6(const struct ktput_config *config,
		    const struct ipv6hdr *ip)
{
	const struct sockaddr_in6 *local =
		(const struct sockaddr_in6 *)&config->local;

	if (ip->version != 6 || ip->nexthdr != IPPROTO_UDP)
		return false;
	return local->sin6_family == AF_UNSPEC ||
	       (local->sin6_family == AF_INET6 &&
		(ipv6_addr_any(&local->sin6_addr) ||
		 ipv6_addr_equal(&local->sin6_addr, &ip->daddr)));
}

/*
 * Returns the offset of the UDP header in a packet for the run, or a negative
 * number.
 */
static int find_udp(const struct ktput_config *config,
		    const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb);
	__be16 protocol = skb->protocol;

	/* The outermost tag has been removed from the data already. */
	while (eth_type_vlan(protocol)) {
		const struct vlan_hdr *tag;
		struct vlan_hdr copy;

		tag = skb_header_pointer(skb, offset, sizeof(copy), &copy);
		if (!tag)
			return -1;
		protocol = tag->h_vlan_encapsulated_proto;
		offset += sizeof(copy);
	}
	if (protocol == htons(ETH_P_IP)) {
		const struct iphdr *ip;
		struct iphdr copy;

		ip = skb_header_pointer(skb, offset, sizeof(copy), &copy);
		return ip && to_ipv4(config, ip) ? offset + 4 * ip->ihl : -1;
	}
	if (protocol == htons(ETH_P_IPV6)) {
		const struct ipv6hdr *ip;
		struct ipv6hdr copy;

		ip = skb_header_pointer(skb, offset, sizeof(copy), &copy);
		return ip && to_ipv6(config, ip) ?
			       offset + (int)sizeof(copy) : -1;
	}
	return -1;
}

/*
 * Accounts the datagrams in an skb, which may hold several after GRO, if the
 * first one is the run's.
 */
static bool account(struct ktput_stream *stream, const struct sk_buff *skb,
		    u32 offset, u32 left, u64 begin)
{
	const __be32 cookie = htonl(stream->run->config.cookie);
	const u32 size = skb_is_gso(skb) ? skb_shinfo(skb)->gso_size : left;
	struct ktput_counters delta = { .calls = 1 };
	const u64 now = ktput_datagram_now();
	struct ktput_arrivals *arrivals = arrivals_of(stream);
	const struct ktput_datagram *header;
	struct ktput_datagram copy;

	header = ktput_datagram_find(skb, offset, min(size, left), cookie,
				     &copy);
	if (!header)
		return false;

	spin_lock(&arrivals->lock);
	arrivals->calls++;
	while (left) {
		const u32 length = min(size, left);

		header = ktput_datagram_find(skb, offset, length, cookie,
					     &copy);
		if (header) {
			ktput_arrivals_add(arrivals, header, length, now);
			delta.bytes += length;
			delta.messages++;
		} else {
			arrivals->stats.foreign++;
		}
		offset += length;
		left -= length;
	}
	arrivals->last_cycles = ktput_counters_clock();
	if (!arrivals->first_cycles)
		arrivals->first_cycles = begin;
	delta.call_cycles = arrivals->last_cycles - begin;
	spin_unlock(&arrivals->lock);
	ktput_counters_add(this_cpu_ptr(stream->run->softirq), &delta);
	return true;
}

/**
 * ktput_ingress_find() - find the stream that a frame is for
 * @ingress: hook
 * @skb: frame; bottom halves are disabled, and the RCU read lock is held
 * @offset: set to the offset of its UDP header
 *
 * Return: the stream of the frame's port, or NULL.
 */
struct ktput_stream *ktput_ingress_find(const struct ktput_ingress *ingress,
					const struct sk_buff *skb, int *offset)
{
	const struct ktput_run *run = ingress->run;
	const struct udphdr *udp;
	struct udphdr copy;
	u32 slot;

	*offset = find_udp(&run->config, skb);
	if (*offset < 0)
		return NULL;
	udp = skb_header_pointer(skb, *offset, sizeof(copy), &copy);
	if (!udp)
		return NULL;
	slot = ntohs(udp->dest) - ktput_address_port(&run->config.local);
	return slot < run->stream_count ? run->streams[slot] : NULL;
}

static unsigned int take(struct ktput_stream *stream, struct sk_buff *skb,
			 int offset, u64 begin)
{
	const struct udphdr *udp;
	struct udphdr copy;
	u32 left;

	udp = skb_header_pointer(skb, offset, sizeof(copy), &copy);
	offset += sizeof(copy);
	left = skb->len - offset;
	/* A short frame has padding behind the datagram. */
	if (!skb_is_gso(skb)) {
		const u32 length = ntohs(udp->len) - sizeof(copy);

		if (length > left)
			return NF_ACCEPT;
		left = length;
	}
	if (!account(stream, skb, offset, left, begin))
		return NF_ACCEPT;
	/*
	 * The ingress hook is below the protocols, which the kernel enters with
	 * bottom halves disabled only (netif_receive_skb()). netpoll, which may
	 * be in any context, never receives. So the skb may be cached for the next
	 * built on this CPU.
	 */
	napi_consume_skb(skb, 1);
	return NF_STOLEN;
}

static unsigned int called(void *ingress, struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	return ktput_ingress_called(ingress, skb, take);
}

static int check_device(const struct net_device *dev,
			struct netlink_ext_ack *extack)
{
	if (!dev) {
		NL_SET_ERR_MSG(extack, "dev: none with this index in this network namespace");
		return -ENODEV;
	}
	if (!netif_running(dev)) {
		NL_SET_ERR_MSG(extack, "dev is down; set it up first");
		return -ENETDOWN;
	}
	if (dev->flags & IFF_LOOPBACK) {
		NL_SET_ERR_MSG(extack, "dev: loopback can be a sink at the socket layer only");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Streams, one for each port. */
static int create_streams(struct ktput_run *run)
{
	const u16 port = ktput_address_port(&run->config.local);
	u32 i;

	for (i = 0; i < run->config.streams; i++) {
		struct ktput_stream *stream;

		stream = ktput_run_add_stream(run, NUMA_NO_NODE);
		if (!stream)
			return -ENOMEM;
		stream->local = run->config.local;
		ktput_address_set_port(&stream->local, port + i);
		/* Streams of ping-pong have no such part. */
		if (!stream->pingpong)
			ktput_arrivals_init(arrivals_of(stream));
	}
	return 0;
}

/*
 * From here on frames are taken. Those that come before the run is published
 * are few, and belong to it.
 */
static int hook_in(struct ktput_ingress *ingress, struct net_device *dev,
		   nf_hookfn *called, struct netlink_ext_ack *extack)
{
	struct nf_hook_ops *hook = &ingress->hook;
	int error;

	ASSERT_RTNL();
	error = check_device(dev, extack);
	if (error)
		return error;
	hook->hook = called;
	hook->priv = ingress;
	hook->dev = dev;
	hook->pf = NFPROTO_NETDEV;
	hook->hooknum = NF_NETDEV_INGRESS;
	hook->priority = INT_MIN;
	mutex_lock(&hooks_lock);
	error = nf_register_net_hook(ingress->net, hook);
	if (!error) {
		ingress->dev = dev;
		netdev_hold(dev, &ingress->tracker, GFP_KERNEL);
		list_add(&ingress->node, &hooks);
	}
	mutex_unlock(&hooks_lock);
	if (error == -EOPNOTSUPP)
		NL_SET_ERR_MSG(extack, "dev: this kernel has no netfilter ingress hook there");
	return error;
}

static void hook_out(struct ktput_ingress *ingress)
{
	lockdep_assert_held(&hooks_lock);
	nf_unregister_net_hook(ingress->net, &ingress->hook);
	list_del(&ingress->node);
	netdev_put(ingress->dev, &ingress->tracker);
	ingress->dev = NULL;
}

/**
 * ktput_ingress_prepare() - hook the streams of a run into ingress
 * @run: run, not published yet; a source of ping-pong has its streams already
 * @called: function that netfilter calls with each frame and the run's hook,
 *	built from ktput_ingress_called()
 * @extack: gets the reason of a refusal
 *
 * Return: 0, or the errno of the refusal.
 */
int ktput_ingress_prepare(struct ktput_run *run, nf_hookfn called,
			  struct netlink_ext_ack *extack)
{
	struct net *net = ktput_netns_net(run->netns);
	struct ktput_ingress *ingress;
	int error;

	ingress = kzalloc(sizeof(*ingress), GFP_KERNEL_ACCOUNT);
	if (!ingress)
		return -ENOMEM;
	run->ingress = ingress;
	ingress->run = run;
	ingress->net = net;
	error = run->config.role == KTPUT_ROLE_SINK ? create_streams(run) : 0;
	if (error)
		return error;
	rtnl_lock();
	error = hook_in(ingress, __dev_get_by_index(net, run->config.device),
			called, extack);
	rtnl_unlock();
	return error;
}

/**
 * ktput_ingress_end() - unhook a run
 * @run: run
 *
 * Frames may still be in the hook; the run waits for them.
 */
void ktput_ingress_end(struct ktput_run *run)
{
	struct ktput_ingress *ingress = run->ingress;

	if (!ingress)
		return;
	mutex_lock(&hooks_lock);
	if (ingress->dev)
		hook_out(ingress);
	mutex_unlock(&hooks_lock);
}

/**
 * ktput_ingress_free() - free the memory of the hook
 * @run: run that no frame can reach any more
 */
void ktput_ingress_free(struct ktput_run *run)
{
	kfree(run->ingress);
}

/* Unregisters the hooks on a device that is removed, or leaves its namespace. */
static void leave_device(const struct net_device *dev)
{
	struct ktput_ingress *ingress, *next;

	ASSERT_RTNL();
	mutex_lock(&hooks_lock);
	list_for_each_entry_safe(ingress, next, &hooks, node)
		if (ingress->dev == dev)
			hook_out(ingress);
	mutex_unlock(&hooks_lock);
}

static int device_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	if (event == NETDEV_UNREGISTER)
		leave_device(netdev_notifier_info_to_dev(data));
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = {
	.notifier_call = device_event,
};

/**
 * ktput_ingress_init() - register for device removal
 *
 * Return: 0 or a negative errno.
 */
int __init ktput_ingress_init(void)
{
	return register_netdevice_notifier(&device_notifier);
}

/**
 * ktput_ingress_exit() - undo ktput_ingress_init()
 *
 * No run, and so no hook, is left.
 */
void ktput_ingress_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
}

static int prepare(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	return ktput_ingress_prepare(run, called, extack);
}

static void read_stream(struct ktput_stream_reading *to,
			struct ktput_stream *stream)
{
	ktput_datagram_read(to, stream->run, arrivals_of(stream));
}

const struct ktput_ops ktput_ingress_ops = {
	.stream_size = sizeof(struct ktput_ingress_stream),
	.workerless = true,
	.prepare = prepare,
	.end = ktput_ingress_end,
	.free = ktput_ingress_free,
	.read = read_stream,
	.put = ktput_datagram_put_sink,
};
