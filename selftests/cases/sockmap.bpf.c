// SPDX-License-Identifier: GPL-2.0
/*
 * sockmap: puts each TCP socket of a cgroup into a sockmap, as soon as it
 * listens or is connected, if one of its ports is PORT, and tries to give it to
 * TLS. Verdicts pass what sockets of the sockmap send and receive.
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

/*
 * Those that listen have a sockmap without verdicts: their connections inherit
 * the callback that runs the verdict, and Linux 6.1 calls it without end if
 * they are put into the sockmap, too.
 */
struct {
	__uint(type, BPF_MAP_TYPE_SOCKHASH);
	__uint(max_entries, 64);
	__type(key, __u32[2]);
	__type(value, __u64);
} listeners SEC(".maps");

/* Of linux/in.h and linux/tcp.h. */
#define SOL_TCP	6
#define TCP_ULP	31

/* Entries of counts, besides those of events. */
#define SENT		20
#define RECEIVED	21
#define ULP		22

/*
 * By event of a socket, BPF_SOCK_OPS_...: attempts, and successes. In SENT and
 * RECEIVED: verdicts, and their bytes.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 32);
	__type(key, __u32);
	__type(value, __u64[2]);
} counts SEC(".maps");

static void add(__u32 entry, __u64 first, __u64 second)
{
	__u64 *count = bpf_map_lookup_elem(&counts, &entry);

	if (!count)
		return;
	__sync_fetch_and_add(&count[0], first);
	__sync_fetch_and_add(&count[1], second);
}

SEC("sk_msg")
int sends(struct sk_msg_md *message)
{
	add(SENT, 1, message->size);
	return SK_PASS;
}

SEC("sk_skb/stream_verdict")
int receives(struct __sk_buff *skb)
{
	add(RECEIVED, 1, skb->len);
	return SK_PASS;
}

SEC("sockops")
int take(struct bpf_sock_ops *ops)
{
	__u32 ports[2] = { ops->local_port, bpf_ntohl(ops->remote_port) };
	__u32 op = ops->op;
	char tls[] = "tls";

	if ((ports[0] != PORT && ports[1] != PORT) ||
	    (op != BPF_SOCK_OPS_TCP_LISTEN_CB &&
	     op != BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB &&
	     op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB))
		return 1;
	add(ULP, 1, !bpf_setsockopt(ops, SOL_TCP, TCP_ULP, tls, sizeof(tls)));
	if (op == BPF_SOCK_OPS_TCP_LISTEN_CB)
		add(op, 1, !bpf_sock_hash_update(ops, &listeners, ports,
						 BPF_ANY));
	else
		add(op, 1, !bpf_sock_hash_update(ops, &sockets, ports,
						 BPF_ANY));
	return 1;
}
