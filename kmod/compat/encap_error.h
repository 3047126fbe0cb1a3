/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ICMP errors for UDP sockets that receive as tunnels do: encap_err_rcv, whose
 * arguments changed in 6.2.
 */
#ifndef KTPUT_COMPAT_ENCAP_ERROR_H
#define KTPUT_COMPAT_ENCAP_ERROR_H

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/if_ether.h>
#include <linux/skbuff.h>
#include <linux/version.h>

/* Arguments of such a function. All versions have @sk and @skb. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define KTPUT_ENCAP_ERROR_ARGS \
	struct sock *sk, struct sk_buff *skb, unsigned int offset
#else
#define KTPUT_ENCAP_ERROR_ARGS \
	struct sock *sk, struct sk_buff *skb, int error, __be16 port, \
	u32 info, u8 *payload
#endif

/**
 * ktput_encap_error_refuses() - whether an error means that no socket receives
 * @skb: as passed to encap_err_rcv
 *
 * Return: true if an ordinary socket would report ECONNREFUSED.
 */
static inline bool ktput_encap_error_refuses(const struct sk_buff *skb)
{
	if (skb->protocol == htons(ETH_P_IPV6))
		return icmp6_hdr(skb)->icmp6_type == ICMPV6_DEST_UNREACH &&
		       icmp6_hdr(skb)->icmp6_code == ICMPV6_PORT_UNREACH;
	return icmp_hdr(skb)->type == ICMP_DEST_UNREACH &&
	       icmp_hdr(skb)->code == ICMP_PORT_UNREACH;
}

#endif /* KTPUT_COMPAT_ENCAP_ERROR_H */
