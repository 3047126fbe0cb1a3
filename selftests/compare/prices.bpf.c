// SPDX-License-Identifier: GPL-2.0
/*
 * prices.bpf.c: programs of the price list, for XDP and clsact
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} packets SEC(".maps");

SEC("xdp")
int pass(struct xdp_md *unused)
{
	return XDP_PASS;
}

SEC("tc/nothing")
int nothing(struct __sk_buff *unused)
{
	return TC_ACT_OK;
}

/* Packets by their IP protocol. */
SEC("tc/count")
int count(struct __sk_buff *skb)
{
	void *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;
	struct ethhdr *mac = data;
	struct iphdr *ip = data + sizeof(*mac);
	__u64 *counted;
	__u32 key;

	if ((void *)(ip + 1) > end || mac->h_proto != bpf_htons(ETH_P_IP))
		return TC_ACT_OK;
	key = ip->protocol;
	counted = bpf_map_lookup_elem(&packets, &key);
	if (counted)
		*counted += 1;
	return TC_ACT_OK;
}

char LICENSE[] SEC("license") = "GPL";
