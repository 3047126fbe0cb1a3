// SPDX-License-Identifier: GPL-2.0
/*
 * xdp_sink: takes the datagrams of a run where the driver hands frames over.
 *
 * A frame is the run's own if it is Ethernet with at most two VLAN tags, IPv4
 * without options and not a fragment or IPv6 without extension headers, UDP to
 * the address and a port of the run, and its payload begins with the run's
 * cookie. All others go on as they are. Checksums are not verified.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktput_datagram.h>
#include <linux/udp.h>
#include <stdbool.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "xdp_sink.h"

#define TAGS_MAX	2

/* The flag "more fragments" and the offset; neither is in a UAPI header. */
#define FRAGMENT	0x3fff

const char program_license[] SEC("license") = "GPL";

/* Set before the program is loaded, and constant for the verifier. */
const volatile __u32 cookie;
const volatile __u32 streams;
const volatile __u16 first_port;
/* 0 for any address of either family; else 4 or 6, and the address. */
const volatile __u16 ip_version;
const volatile __u32 address[4];

/* Entries are added for each stream before the program is loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xdp_sink_stream);
} streams_map SEC(".maps");

/**
 * struct tag - a VLAN tag, from behind its own EtherType on
 * @control: priority and number
 * @protocol: EtherType of what follows
 */
struct tag {
	__be16 control;
	__be16 protocol;
};

/**
 * struct packet - how far a frame is read
 * @at: what is read next
 * @end: end of what can be read
 * @offset: of @at in the frame
 * @left: bytes that the IP header says are from @at on
 */
struct packet {
	void *at;
	void *end;
	__u32 offset;
	__u32 left;
};

static __always_inline void *take(struct packet *packet, __u32 length)
{
	void *header = packet->at;

	if (header + length > packet->end)
		return NULL;
	packet->at = header + length;
	packet->offset += length;
	return header;
}

static __always_inline bool is_tag(__be16 protocol)
{
	return protocol == bpf_htons(ETH_P_8021Q) ||
	       protocol == bpf_htons(ETH_P_8021AD);
}

/* The EtherType within all tags, or 0. */
static __always_inline __be16 take_ethernet(struct packet *packet)
{
	const struct ethhdr *ethernet = take(packet, sizeof(*ethernet));
	__be16 protocol;

	if (!ethernet)
		return 0;
	protocol = ethernet->h_proto;
#pragma unroll
	for (int i = 0; i < TAGS_MAX; i++) {
		const struct tag *tag;

		if (!is_tag(protocol))
			break;
		tag = take(packet, sizeof(*tag));
		if (!tag)
			return 0;
		protocol = tag->protocol;
	}
	return protocol;
}

static __always_inline bool take_ipv4(struct packet *packet)
{
	const struct iphdr *ip = take(packet, sizeof(*ip));
	__u32 length;

	if (!ip || ip->version != 4 || ip->ihl != sizeof(*ip) / 4 ||
	    ip->protocol != IPPROTO_UDP ||
	    ip->frag_off & bpf_htons(FRAGMENT))
		return false;
	length = bpf_ntohs(ip->tot_len);
	if (length < sizeof(*ip))
		return false;
	packet->left = length - sizeof(*ip);
	return !ip_version || (ip_version == 4 && ip->daddr == address[0]);
}

static __always_inline bool take_ipv6(struct packet *packet)
{
	const struct ipv6hdr *ip = take(packet, sizeof(*ip));
	const __u32 *to;

	if (!ip || ip->version != 6 || ip->nexthdr != IPPROTO_UDP)
		return false;
	packet->left = bpf_ntohs(ip->payload_len);
	to = ip->daddr.in6_u.u6_addr32;
	return !ip_version ||
	       (ip_version == 6 && to[0] == address[0] &&
		to[1] == address[1] && to[2] == address[2] &&
		to[3] == address[3]);
}

/* Which stream a datagram is to; @streams or above for none. */
static __always_inline __u32 take_udp(struct packet *packet)
{
	const struct udphdr *udp = take(packet, sizeof(*udp));
	__u32 length;

	if (!udp)
		return streams;
	length = bpf_ntohs(udp->len);
	if (length < sizeof(*udp) || length > packet->left)
		return streams;
	packet->left = length - sizeof(*udp);
	return (__u16)(bpf_ntohs(udp->dest) - first_port);
}

static __always_inline void count_foreign(__u32 slot)
{
	struct xdp_sink_stream *stream;

	stream = bpf_map_lookup_elem(&streams_map, &slot);
	if (stream)
		stream->foreign++;
}

static __always_inline void count_stream(__u32 slot, __u32 sequence,
					 __u32 bytes)
{
	__u64 now = bpf_ktime_get_ns();
	struct xdp_sink_stream *stream;

	stream = bpf_map_lookup_elem(&streams_map, &slot);
	if (!stream)
		return;
	if (!stream->first_ns)
		stream->first_ns = now;
	stream->last_ns = now;
	/* A CPU may see a stream from its middle on. */
	if (!stream->datagrams || (__s32)(sequence - stream->next) >= 0)
		stream->next = sequence + 1;
	else
		stream->behind++;
	stream->datagrams++;
	stream->bytes += bytes;
}

/* Frames in several buffers are taken too: headers are in the first of them. */
SEC("xdp.frags")
int xdp_sink(struct xdp_md *ctx)
{
	struct packet packet = {
		.at = (void *)(long)ctx->data,
		.end = (void *)(long)ctx->data_end,
	};
	const struct ktput_datagram *header;
	__be16 protocol;
	__u32 slot;

	protocol = take_ethernet(&packet);
	if (protocol == bpf_htons(ETH_P_IP)) {
		if (!take_ipv4(&packet))
			return XDP_PASS;
	} else if (protocol == bpf_htons(ETH_P_IPV6)) {
		if (!take_ipv6(&packet))
			return XDP_PASS;
	} else {
		return XDP_PASS;
	}
	slot = take_udp(&packet);
	if (slot >= streams)
		return XDP_PASS;
	if (packet.offset + packet.left > bpf_xdp_get_buff_len(ctx))
		return XDP_PASS;
	header = packet.left < sizeof(*header) ? NULL : packet.at;
	if (!header || (void *)(header + 1) > packet.end ||
	    header->cookie != bpf_htonl(cookie)) {
		count_foreign(slot);
		return XDP_PASS;
	}
	count_stream(slot, bpf_ntohl(header->sequence), packet.left);
	return XDP_DROP;
}
