/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Until 6.7 the pointer of a policy to a range is not one to a constant, although
 * nothing is written there.
 */
#ifndef KTPUT_COMPAT_NET_NETLINK_H
#define KTPUT_COMPAT_NET_NETLINK_H

#include <linux/version.h>
#include_next <net/netlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)

#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, bounds) {				\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),			\
	.validation_type = NLA_VALIDATE_RANGE_PTR,			\
	.range = (struct netlink_range_validation *)(bounds),		\
}

#endif

#endif /* KTPUT_COMPAT_NET_NETLINK_H */
