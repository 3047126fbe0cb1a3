// SPDX-License-Identifier: GPL-2.0
/*
 * stage_programs: stamp each N-th message of a run where it passes.
 *
 * Each hook has a program of its own, so that a kernel without one has the others.
 * A message is known by the cookie and the number in its payload, which is read from
 * the linear part of the packet.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "stage_programs.h"

#define ETHERTYPE_IPV6	0x86dd
#define PROTOCOL_UDP	17
#define FRAGMENT_OFFSET	0x1fff
#define PEEK		2
#define SECOND_NS	1000000000ULL

const char program_license[] SEC("license") = "GPL";

/* What of the kernel's structures is read; their places are those of the kernel. */
struct ns_common {
	unsigned int inum;
} __attribute__((preserve_access_index));

struct net {
	struct ns_common ns;
} __attribute__((preserve_access_index));

struct possible_net {
	struct net *net;
} __attribute__((preserve_access_index));

struct net_device {
	struct possible_net nd_net;
} __attribute__((preserve_access_index));

struct sk_buff {
	struct net_device *dev;
	unsigned int len;
	unsigned int data_len;
	__be16 protocol;
	unsigned short network_header;
	unsigned char *head;
	unsigned char *data;
} __attribute__((preserve_access_index));

/* As struct ktput_datagram, with an alignment of 4. */
struct message {
	__be32 cookie;
	__be32 sequence;
	__be32 time[2];
};

struct ports {
	__be16 source;
	__be16 port;
	__be16 length;
	__be16 checksum;
};

/* Without options, which ktput does not send. */
struct ipv4 {
	__u8 version;
	__u8 service;
	__be16 length;
	__be16 id;
	__be16 fragment;
	__u8 lifetime;
	__u8 protocol;
	__be16 checksum;
	__be32 addresses[2];
	struct ports udp;
	struct message message;
};

struct ipv6 {
	__u8 version;
	__u8 flow[3];
	__be16 length;
	__u8 protocol;
	__u8 lifetime;
	__be32 addresses[8];
	struct ports udp;
	struct message message;
};

union headers {
	struct ipv4 ipv4;
	struct ipv6 ipv6;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, STAGES_RING);
} stamps_map SEC(".maps");

volatile struct stages_run run;

/* Arguments of a hook, and behind them what a function returned. */
#define SKB(context, argument)	((const struct sk_buff *)(context)[argument])

/* With too many in a second, stamp only every other one of them from now on. */
static __always_inline void thin(__u64 now)
{
	if (now - run.second_ns >= SECOND_NS) {
		run.second_ns = now;
		run.count = 0;
	}
	if (__sync_fetch_and_add(&run.count, 1) < STAGES_BUDGET)
		return;
	run.mask = run.mask << 1 | 1;
	run.count = 0;
}

static __always_inline void stamp(const struct sk_buff *skb,
				  const struct ports *udp,
				  const struct message *message,
				  enum stages_place place)
{
	const __u64 now = bpf_ktime_get_tai_ns();
	struct stages_stamp *to;

	if (place == run.first)
		thin(now);
	to = bpf_ringbuf_reserve(&stamps_map, sizeof(*to), 0);
	if (!to) {
		__sync_fetch_and_add(&run.lost, 1);
		return;
	}
	to->time_ns = now;
	to->sent_ns = (__u64)bpf_ntohl(message->time[0]) << 32 |
		      bpf_ntohl(message->time[1]);
	to->packet = (__u64)skb;
	to->number = bpf_ntohl(message->sequence);
	to->ports = (__u32)bpf_ntohs(udp->source) << 16 | bpf_ntohs(udp->port);
	to->place = place;
	to->reserved = 0;
	/* The owner looks by itself. */
	bpf_ringbuf_submit(to, BPF_RB_NO_WAKEUP);
}

/*
 * A packet that ends in pages may have the number there. It is counted by its port, if
 * that can be read.
 */
static __always_inline void count_unread(const union headers *headers, int ipv6)
{
	const __u16 port = bpf_ntohs(ipv6 ? headers->ipv6.udp.port :
					    headers->ipv4.udp.port);

	if (port >= run.port && port - run.port < run.ports)
		__sync_fetch_and_add(&run.unread, 1);
}

static __always_inline int is_udp(const union headers *headers, int ipv6)
{
	if (ipv6)
		return headers->ipv6.version >> 4 == 6 &&
		       headers->ipv6.protocol == PROTOCOL_UDP;
	return headers->ipv4.version == 0x45 &&
	       headers->ipv4.protocol == PROTOCOL_UDP &&
	       !(headers->ipv4.fragment & bpf_htons(FRAGMENT_OFFSET));
}

static __always_inline int is_in(const struct sk_buff *skb, __u32 netns)
{
	return !netns || skb->dev->nd_net.net->ns.inum == netns;
}

/*
 * @at is where the header of IP is. For most packets, this reads eight bytes: where the
 * cookie and the number are, if it is a message.
 */
static __always_inline int look(const struct sk_buff *skb,
				const unsigned char *at, int ipv6, __u32 netns,
				enum stages_place place)
{
	const __u32 offset = ipv6 ? __builtin_offsetof(struct ipv6, message) :
				    __builtin_offsetof(struct ipv4, message);
	const __u32 size = ipv6 ? sizeof(struct ipv6) : sizeof(struct ipv4);
	const unsigned char *end;
	union headers headers;
	__be32 known[2];

	if (bpf_probe_read_kernel(known, sizeof(known), at + offset))
		return 0;
	if (known[0] != run.cookie ? !skb->data_len :
				     bpf_ntohl(known[1]) & run.mask)
		return 0;
	/* Behind the linear part there is a structure of the kernel: it can be read. */
	if (bpf_probe_read_kernel(&headers, sizeof(headers), at) ||
	    !is_udp(&headers, ipv6) || !is_in(skb, netns))
		return 0;
	end = skb->data + (skb->len - skb->data_len);
	if (at + size > end)
		count_unread(&headers, ipv6);
	else if (known[0] != run.cookie)
		return 0;
	else if (ipv6)
		stamp(skb, &headers.ipv6.udp, &headers.ipv6.message, place);
	else
		stamp(skb, &headers.ipv4.udp, &headers.ipv4.message, place);
	return 0;
}

static __always_inline int is_ipv6(const struct sk_buff *skb)
{
	return skb->protocol == bpf_htons(ETHERTYPE_IPV6);
}

static __always_inline int look_from_head(const struct sk_buff *skb, int ipv6,
					  __u32 netns, enum stages_place place)
{
	return look(skb, skb->head + skb->network_header, ipv6, netns, place);
}

/* On the way to other namespaces there are other devices. */
static __always_inline int look_at_source(const struct sk_buff *skb,
					  enum stages_place place)
{
	return look_from_head(skb, is_ipv6(skb), run.source_netns, place);
}

/* A receiving driver sets no network header; the data begins with it. */
static __always_inline int look_at_sink(const struct sk_buff *skb,
					enum stages_place place)
{
	return look(skb, skb->data, is_ipv6(skb), run.sink_netns, place);
}

/* A socket, whose packet may have no device. */
static __always_inline int look_at_socket(const struct sk_buff *skb,
					  enum stages_place place)
{
	return look_from_head(skb, is_ipv6(skb), 0, place);
}

SEC("fentry/ip_send_skb")
int source_ip(__u64 *context)
{
	return look_from_head(SKB(context, 1), 0, 0, STAGES_SENT);
}

SEC("fentry/ip6_send_skb")
int source_ip6(__u64 *context)
{
	return look_from_head(SKB(context, 0), 1, 0, STAGES_SENT);
}

SEC("tp_btf/net_dev_queue")
int source_queue(__u64 *context)
{
	return look_at_source(SKB(context, 0), STAGES_QUEUED);
}

SEC("tp_btf/net_dev_start_xmit")
int source_driver(__u64 *context)
{
	return look_at_source(SKB(context, 0), STAGES_TRANSMITTED);
}

SEC("tp_btf/napi_gro_receive_entry")
int sink_napi(__u64 *context)
{
	return look_at_sink(SKB(context, 0), STAGES_RECEIVED);
}

SEC("tp_btf/netif_receive_skb_entry")
int sink_driver(__u64 *context)
{
	return look_at_sink(SKB(context, 0), STAGES_RECEIVED);
}

SEC("tp_btf/netif_rx")
int sink_backlog(__u64 *context)
{
	return look_at_sink(SKB(context, 0), STAGES_RECEIVED);
}

SEC("tp_btf/netif_receive_skb")
int sink_stack(__u64 *context)
{
	return look_at_sink(SKB(context, 0), STAGES_ENTERED);
}

SEC("fentry/__udp_enqueue_schedule_skb")
int sink_socket(__u64 *context)
{
	return look_at_socket(SKB(context, 1), STAGES_DELIVERED);
}

SEC("fexit/__skb_recv_udp")
int sink_reader(__u64 *context)
{
	const struct sk_buff *skb = SKB(context, 4);

	return skb && !(context[1] & PEEK) ? look_at_socket(skb, STAGES_TAKEN) :
					     0;
}

SEC("fentry/skb_consume_udp")
int sink_copied(__u64 *context)
{
	return look_at_socket(SKB(context, 1), STAGES_COPIED);
}
