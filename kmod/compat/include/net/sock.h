/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Since 6.18 a UDP socket no longer counts its drops in sk_drops; these
 * functions read and increment the count.
 */
#ifndef KTPUT_COMPAT_NET_SOCK_H
#define KTPUT_COMPAT_NET_SOCK_H

#include <linux/version.h>
#include_next <net/sock.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)

static inline int sk_drops_read(const struct sock *sk)
{
	return atomic_read(&sk->sk_drops);
}

static inline void sk_drops_inc(struct sock *sk)
{
	atomic_inc(&sk->sk_drops);
}

#endif

#endif /* KTPUT_COMPAT_NET_SOCK_H */
