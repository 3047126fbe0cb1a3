// SPDX-License-Identifier: GPL-2.0
/*
 * sockmap: puts each TCP socket of a cgroup into a sockmap, as soon as it
 * listens or is connected, if one of its ports is PORT.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#ifndef PORT
#error "PORT is not set"
#endif

const char program_license[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_SOCKHASH);
	__uint(max_entries, 4096);
	__type(key, __u32[2]);
	__type(value, __u64);
} sockets SEC(".maps");

/* By event of a socket, BPF_SOCK_OPS_...: attempts, and successes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 32);
	__type(key, __u32);
	__type(value, __u64[2]);
} counts SEC(".maps");

SEC("sockops")
int take(struct bpf_sock_ops *ops)
{
	__u32 ports[2] = { ops->local_port, bpf_ntohl(ops->remote_port) };
	__u32 op = ops->op;
	__u64 *count;

	if ((ports[0] != PORT && ports[1] != PORT) ||
	    (op != BPF_SOCK_OPS_TCP_LISTEN_CB &&
	     op != BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB &&
	     op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB))
		return 1;
	count = bpf_map_lookup_elem(&counts, &op);
	if (!count)
		return 1;
	__sync_fetch_and_add(&count[0], 1);
	if (!bpf_sock_hash_update(ops, &sockets, ports, BPF_ANY))
		__sync_fetch_and_add(&count[1], 1);
	return 1;
}
