// SPDX-License-Identifier: GPL-2.0
/*
 * reuseport: sets SO_REUSEPORT of each socket that is bound to PORT, and of each
 * that listens on LATER, once it listens.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#if !defined(PORT) || !defined(LATER)
#error "PORT or LATER is not set"
#endif

/* Of asm-generic/socket.h. */
#define SOL_SOCKET	1
#define SO_REUSEPORT	15

const char program_license[] SEC("license") = "GPL";

SEC("cgroup/bind4")
int share(struct bpf_sock_addr *address)
{
	int on = 1;

	if (address->user_port == bpf_htons(PORT))
		bpf_setsockopt(address, SOL_SOCKET, SO_REUSEPORT, &on,
			       sizeof(on));
	return 1;
}

SEC("sockops")
int share_later(struct bpf_sock_ops *ops)
{
	int on = 1;

	if (ops->op == BPF_SOCK_OPS_TCP_LISTEN_CB && ops->local_port == LATER)
		bpf_setsockopt(ops, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	return 1;
}
