// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: their headers, from Ethernet to ktput's own, built once and kept.
 *
 * Only some words differ between consecutive frames. They are replaced in the
 * headers, and the checksums are updated incrementally (RFC 1624). All bytes
 * behind the headers are zero: they add nothing to a checksum, whatever the
 * size of the frame.
 *
 * Those that a frame is passed to may write into its buffer. MACsec and IPsec
 * encrypt in place, and it stays like that where the frame is lost before it is
 * decrypted; tc, XDP and netfilter rewrite packets. So the buffer of a frame that
 * came back does not count as zero, and is cleared unless the device sums. A
 * device that does sums what it sends, whatever that is.
 */
#include <linux/etherdevice.h>
#include <linux/hash.h>
#include <linux/ip.h>
#include <linux/math64.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>

#include "address.h"
#include "cachelines.h"
#include "config.h"
#include "frame.h"

#define TIME_TO_LIVE	64

/* Full period of 2^32, of whose numbers the upper bits count (Numerical Recipes). */
#define RANDOM_FACTOR	1664525
#define RANDOM_STEP	1013904223
/* So that the next stream does not have the order of the next seed. */
#define RANDOM_STREAM	1000003

static struct iphdr *ip_of(struct ktput_frame *frame)
{
	return (struct iphdr *)(frame->headers + frame->network);
}

static struct ipv6hdr *ipv6_of(struct ktput_frame *frame)
{
	return (struct ipv6hdr *)(frame->headers + frame->network);
}

static struct udphdr *udp_of(struct ktput_frame *frame)
{
	return (struct udphdr *)(frame->headers + frame->transport);
}

static __wsum replace(__wsum sum, __wsum from, __wsum to)
{
	return csum_add(csum_sub(sum, from), to);
}

static __wsum word(__be16 value)
{
	return (__force __wsum)value;
}

/* Sets the lengths that follow from the frame's size. */
static void set_length(struct ktput_frame *frame)
{
	__be16 length = htons(frame->size - frame->transport);
	struct udphdr *udp = udp_of(frame);

	/* The pseudo header contains it too. */
	frame->sum = replace(frame->sum, word(udp->len), word(length));
	if (!frame->offload)
		frame->sum = replace(frame->sum, word(udp->len), word(length));
	udp->len = length;
	if (frame->ipv6) {
		ipv6_of(frame)->payload_len = length;
	} else {
		struct iphdr *ip = ip_of(frame);
		__be16 total = htons(frame->size - frame->network);

		csum_replace2(&ip->check, ip->tot_len, total);
		ip->tot_len = total;
	}
}

static void set_port(struct ktput_frame *frame, __be16 *port, u16 number)
{
	__be16 value = htons(number);

	if (!frame->offload)
		frame->sum = replace(frame->sum, word(*port), word(value));
	*port = value;
}

static void set_address(struct ktput_frame *frame, __be32 *address, u32 number)
{
	__be32 value = htonl(number);

	frame->sum = replace(frame->sum, (__force __wsum)*address,
			     (__force __wsum)value);
	if (!frame->ipv6)
		csum_replace4(&ip_of(frame)->check, *address, value);
	*address = value;
}

/* Writes the current port or address of a range into the headers. */
static void set_counter(struct ktput_frame *frame,
			enum ktput_frame_counter counter)
{
	const struct ktput_frame_range *range = &frame->ranges[counter];
	const u32 value = range->first + range->at;

	switch (counter) {
	case KTPUT_FRAME_LOCAL_PORT:
		set_port(frame, &udp_of(frame)->source, value);
		break;
	case KTPUT_FRAME_REMOTE_PORT:
		set_port(frame, &udp_of(frame)->dest, value);
		break;
	case KTPUT_FRAME_LOCAL_ADDRESS:
		set_address(frame, frame->ipv6 ?
			    &ipv6_of(frame)->saddr.s6_addr32[3] :
			    &ip_of(frame)->saddr, value);
		break;
	case KTPUT_FRAME_REMOTE_ADDRESS:
		set_address(frame, frame->ipv6 ?
			    &ipv6_of(frame)->daddr.s6_addr32[3] :
			    &ip_of(frame)->daddr, value);
		break;
	case KTPUT_FRAME_COUNTERS:
		break;
	}
}

/* Draws each port and address that has a range, without a division. */
static void draw_flow(struct ktput_frame *frame)
{
	enum ktput_frame_counter counter;

	for (counter = 0; counter < KTPUT_FRAME_COUNTERS; counter++) {
		struct ktput_frame_range *range = &frame->ranges[counter];

		if (range->count == 1)
			continue;
		frame->random = frame->random * RANDOM_FACTOR + RANDOM_STEP;
		range->at = mul_u32_u32(frame->random, range->count) >> 32;
		set_counter(frame, counter);
	}
}

static void next_flow(struct ktput_frame *frame)
{
	enum ktput_frame_counter counter;

	if (frame->random_flows) {
		draw_flow(frame);
		return;
	}
	for (counter = 0; counter < KTPUT_FRAME_COUNTERS; counter++) {
		struct ktput_frame_range *range = &frame->ranges[counter];

		if (range->count == 1)
			continue;
		if (++range->at == range->count)
			range->at = 0;
		set_counter(frame, counter);
		if (range->at)
			break;
	}
}

static void next_size(struct ktput_frame *frame)
{
	u32 size = frame->size;

	if (frame->sizes) {
		if (++frame->size_at == frame->size_count)
			frame->size_at = 0;
		size = frame->sizes[frame->size_at];
	} else if (++size > frame->size_max) {
		size = frame->size_min;
	}
	if (size == frame->size)
		return;
	frame->size = size;
	set_length(frame);
}

/* The device completes the sum of the pseudo header. */
static void set_partial(struct ktput_frame *frame)
{
	if (frame->offload)
		udp_of(frame)->check = ~csum_fold(frame->sum);
}

/**
 * ktput_frame_advance() - go on to the next size and flow
 * @frame: frame that was written, not fixed
 */
void ktput_frame_advance(struct ktput_frame *frame)
{
	next_size(frame);
	next_flow(frame);
	set_partial(frame);
}

/**
 * ktput_frame_describe() - tell an sk_buff what the frames of a stream have in common
 * @frame: frame
 * @skb: empty, with room for the frame
 */
void ktput_frame_describe(const struct ktput_frame *frame, struct sk_buff *skb)
{
	skb->protocol = frame->protocol;
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, frame->network);
	skb_set_transport_header(skb, frame->transport);
	if (frame->offload) {
		skb->ip_summed = CHECKSUM_PARTIAL;
		skb->csum_start = skb_headroom(skb) + frame->transport;
		skb->csum_offset = offsetof(struct udphdr, check);
	}
}

static void build_ethernet(struct ktput_frame *frame,
			   const struct ktput_config *config,
			   const struct net_device *dev)
{
	static const u16 outer[] = { 0, ETH_P_8021Q, ETH_P_8021AD };
	const struct ktput_frame_config *part = &config->frame;
	struct ethhdr *eth = (struct ethhdr *)frame->headers;
	__be16 *type = &eth->h_proto;
	unsigned int i;

	ether_addr_copy(eth->h_dest, part->destination_mac);
	ether_addr_copy(eth->h_source, is_zero_ether_addr(part->source_mac) ?
			dev->dev_addr : part->source_mac);
	for (i = 0; i < part->tags; i++) {
		*type++ = htons(i ? ETH_P_8021Q : outer[part->tags]);
		*type++ = htons(part->tci[i]);
	}
	*type++ = htons(frame->ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	frame->protocol = eth->h_proto;
	frame->network = (u8 *)type - frame->headers;
}

static void build_ip(struct ktput_frame *frame,
		     const struct ktput_config *config)
{
	if (frame->ipv6) {
		struct ipv6hdr *ip = ipv6_of(frame);

		ip6_flow_hdr(ip, config->tos, 0);
		ip->nexthdr = IPPROTO_UDP;
		ip->hop_limit = TIME_TO_LIVE;
		ip->saddr = ((struct sockaddr_in6 *)&config->local)->sin6_addr;
		ip->daddr = ((struct sockaddr_in6 *)&config->remote)->sin6_addr;
		frame->transport = frame->network + sizeof(*ip);
	} else {
		struct iphdr *ip = ip_of(frame);

		ip->version = IPVERSION;
		ip->ihl = sizeof(*ip) / 4;
		ip->tos = config->tos;
		ip->frag_off = htons(IP_DF);
		ip->ttl = TIME_TO_LIVE;
		ip->protocol = IPPROTO_UDP;
		ip->saddr = ((struct sockaddr_in *)&config->local)->sin_addr.s_addr;
		ip->daddr = ((struct sockaddr_in *)&config->remote)->sin_addr.s_addr;
		ip_send_check(ip);
		frame->transport = frame->network + sizeof(*ip);
	}
}

/* Sums with lengths and ports of 0, which are replaced later. */
static void build_sum(struct ktput_frame *frame)
{
	struct ktput_datagram *datagram = ktput_frame_datagram(frame);

	if (frame->ipv6) {
		const struct ipv6hdr *ip = ipv6_of(frame);

		frame->sum = ~csum_unfold(csum_ipv6_magic(&ip->saddr,
							  &ip->daddr, 0,
							  IPPROTO_UDP, 0));
	} else {
		const struct iphdr *ip = ip_of(frame);

		frame->sum = csum_tcpudp_nofold(ip->saddr, ip->daddr, 0,
						IPPROTO_UDP, 0);
	}
	if (!frame->offload)
		frame->sum = csum_add(frame->sum,
				      (__force __wsum)datagram->cookie);
}

static void build_ranges(struct ktput_frame *frame,
			 const struct ktput_config *config, u32 slot)
{
	const struct ktput_frame_config *part = &config->frame;
	struct ktput_frame_range *range = frame->ranges;
	enum ktput_frame_counter counter;

	range[KTPUT_FRAME_LOCAL_PORT] = (struct ktput_frame_range) {
		ktput_address_port(&config->local) + slot * part->local_ports,
		part->local_ports };
	range[KTPUT_FRAME_REMOTE_PORT] = (struct ktput_frame_range) {
		ktput_address_port(&config->remote) + slot * part->remote_ports,
		part->remote_ports };
	range[KTPUT_FRAME_LOCAL_ADDRESS] = (struct ktput_frame_range) {
		ntohl(frame->ipv6 ? ipv6_of(frame)->saddr.s6_addr32[3] :
				    ip_of(frame)->saddr),
		part->local_addresses };
	range[KTPUT_FRAME_REMOTE_ADDRESS] = (struct ktput_frame_range) {
		ntohl(frame->ipv6 ? ipv6_of(frame)->daddr.s6_addr32[3] :
				    ip_of(frame)->daddr),
		part->remote_addresses };
	for (counter = 0; counter < KTPUT_FRAME_COUNTERS; counter++) {
		frame->fixed &= range[counter].count == 1;
		set_counter(frame, counter);
	}
	frame->random_flows = part->random_flows;
	if (part->random_flows) {
		frame->random = (part->flow_seed + slot * RANDOM_STREAM) *
				GOLDEN_RATIO_32;
		draw_flow(frame);
	}
}

/*
 * Spreads each size of a mix over the round in proportion to its weight: the
 * next size is always the one that lags most.
 */
static int build_mix(struct ktput_frame *frame,
		     const struct ktput_frame_config *part)
{
	s32 lag[KTPUT_MIX_SIZES] = {};
	unsigned int i, most;
	u32 at;

	for (i = 0; i < part->mix_count; i++)
		frame->size_count += part->mix[i].weight;
	frame->sizes = kzalloc(ktput_cachelines_size(frame->size_count *
						     sizeof(*frame->sizes)),
			       GFP_KERNEL_ACCOUNT);
	if (!frame->sizes)
		return -ENOMEM;
	for (at = 0; at < frame->size_count; at++) {
		for (i = 0, most = 0; i < part->mix_count; i++) {
			lag[i] += part->mix[i].weight;
			if (lag[i] > lag[most])
				most = i;
		}
		lag[most] -= frame->size_count;
		frame->sizes[at] = part->mix[most].size;
	}
	return 0;
}

/*
 * The frame's VLAN tags are in its data. Only a device that can sum from any
 * offset can be trusted to look behind them.
 */
static bool can_offload(const struct ktput_frame *frame,
			const struct ktput_config *config,
			const struct net_device *dev)
{
	const netdev_features_t of_ip = frame->ipv6 ? NETIF_F_IPV6_CSUM :
						      NETIF_F_IP_CSUM;

	/* Only an sk_buff can say so. */
	if (config->layer == KTPUT_LAYER_XDP)
		return false;
	if (config->frame.tags)
		return dev->features & dev->vlan_features & NETIF_F_HW_CSUM;
	return dev->features & (NETIF_F_HW_CSUM | of_ip);
}

/**
 * ktput_frame_create() - allocate memory for the frames of a stream
 * @frame: zeroed; undone by ktput_frame_destroy(), after an error as well
 * @config: configuration of the source
 *
 * Return: 0 or -ENOMEM.
 */
int ktput_frame_create(struct ktput_frame *frame,
		       const struct ktput_config *config)
{
	const struct ktput_frame_config *part = &config->frame;
	size_t size = part->remote_ports * sizeof(*frame->sequences);

	frame->sequences = kvzalloc(ktput_cachelines_size(size),
				    GFP_KERNEL_ACCOUNT);
	if (!frame->sequences)
		return -ENOMEM;
	return part->mix_count ? build_mix(frame, part) : 0;
}

/**
 * ktput_frame_begin() - build the first frame of a stream
 * @frame: from ktput_frame_create()
 * @config: configuration of the source
 * @dev: device that will send it; the caller holds RTNL
 * @slot: index of the stream in the run
 */
void ktput_frame_begin(struct ktput_frame *frame,
		       const struct ktput_config *config,
		       const struct net_device *dev, u32 slot)
{
	const struct ktput_frame_config *part = &config->frame;

	ASSERT_RTNL();
	frame->size_min = part->size_min;
	frame->size_max = part->size_max;
	frame->size = frame->sizes ? frame->sizes[0] : part->size_min;
	frame->fixed = part->size_min == part->size_max;

	frame->ipv6 = config->remote.ss_family == AF_INET6;
	frame->offload = can_offload(frame, config, dev);
	build_ethernet(frame, config, dev);
	build_ip(frame, config);
	frame->length = ktput_frame_headers(config);
	ktput_frame_datagram(frame)->cookie = htonl(config->cookie);
	build_sum(frame);
	build_ranges(frame, config, slot);
	set_length(frame);
	set_partial(frame);
}

/**
 * ktput_frame_destroy() - undo ktput_frame_create()
 * @frame: frame, created or zeroed
 */
void ktput_frame_destroy(struct ktput_frame *frame)
{
	kfree(frame->sizes);
	kvfree(frame->sequences);
}
