// SPDX-License-Identifier: GPL-2.0
/*
 * drop_reasons: counts the datagrams of a run that the kernel drops, by its reasons.
 *
 * The tracepoint fires for each packet that is freed undelivered, and for no other:
 * consume_skb() has one of its own. In Linux 5.17 it has got the reason.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "drop_reasons.h"

#define PROTOCOL_UDP	17
#define FRAGMENT_OFFSET	0x1fff

const char program_license[] SEC("license") = "GPL";

/* What of the kernel's structures is read; their places are those of the kernel. */
struct sk_buff {
	unsigned int len;
	unsigned int data_len;
	unsigned short network_header;
	unsigned int end;
	unsigned char *head;
	unsigned char *data;
} __attribute__((preserve_access_index));

struct skb_shared_info {
	unsigned short gso_segs;
} __attribute__((preserve_access_index));

/* The start of both headers of IP. */
struct ip_header {
	unsigned char version;
	unsigned char service;
	unsigned short length;
	unsigned short id;
	unsigned short fragment;
	unsigned char lifetime;
	unsigned char protocol;
};

struct udp_payload {
	unsigned short source_port;
	unsigned short port;
	unsigned short length;
	unsigned short checksum;
	unsigned int cookie;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DROPS_REASONS);
	__type(key, __u32);
	__type(value, __u64);
} reasons_map SEC(".maps");

volatile struct drops_run run;

/* UDP header of what has an IP header here, or NULL. */
static __always_inline const unsigned char *find_udp(const unsigned char *at)
{
	struct ip_header ip;

	if (bpf_probe_read_kernel(&ip, sizeof(ip), at))
		return NULL;
	switch (ip.version >> 4) {
	case 4:
		if (ip.protocol != PROTOCOL_UDP ||
		    ip.fragment & bpf_htons(FRAGMENT_OFFSET))
			return NULL;
		return at + 4 * (ip.version & 15);
	case 6:
		/* Its next header is the low byte of the third pair. */
		return (ip.fragment & bpf_htons(0xff00)) ==
		       bpf_htons(PROTOCOL_UDP << 8) ? at + 40 : NULL;
	default:
		return NULL;
	}
}

static __always_inline int is_own(const struct sk_buff *skb,
				  const unsigned char *at)
{
	const unsigned int linear = BPF_CORE_READ(skb, len) -
				    BPF_CORE_READ(skb, data_len);
	const unsigned char *end = BPF_CORE_READ(skb, data) + linear;
	const unsigned char *udp = find_udp(at);
	struct udp_payload payload;
	unsigned short port;

	if (!udp)
		return 0;
	if (udp + sizeof(payload) <= end)
		return !bpf_probe_read_kernel(&payload, sizeof(payload), udp) &&
		       payload.cookie == run.cookie;
	if (bpf_probe_read_kernel(&payload, sizeof(payload.source_port) +
				  sizeof(payload.port), udp))
		return 0;
	port = bpf_ntohs(payload.port);
	return port >= run.port && port - run.port < run.ports;
}

SEC("raw_tp/kfree_skb")
int drops_kfree_skb(struct bpf_raw_tracepoint_args *ctx)
{
	const struct sk_buff *skb = (const struct sk_buff *)ctx->args[0];
	__u32 reason = (__u32)ctx->args[2];
	const unsigned char *head = BPF_CORE_READ(skb, head);
	const struct skb_shared_info *shared;
	unsigned short segments;
	__u64 *count;

	/* A receiving driver sets no network header; the data begins with it. */
	if (!is_own(skb, head + BPF_CORE_READ(skb, network_header)) &&
	    !is_own(skb, BPF_CORE_READ(skb, data)))
		return 0;
	if (reason >= DROPS_REASONS)
		reason = DROPS_REASONS - 1;
	shared = (const struct skb_shared_info *)
		 (head + BPF_CORE_READ(skb, end));
	segments = BPF_CORE_READ(shared, gso_segs);
	count = bpf_map_lookup_elem(&reasons_map, &reason);
	if (count)
		*count += segments ? segments : 1;
	return 0;
}
