/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formatted extended ACK messages appeared in 6.2 together with the buffer that
 * holds them. Before it, the text must outlive the handler: the ACK is built
 * after the handler returned, without a lock that a handler could hold.
 */
#ifndef KTPUT_COMPAT_LINUX_NETLINK_H
#define KTPUT_COMPAT_LINUX_NETLINK_H

#include_next <linux/netlink.h>

#ifndef NL_SET_ERR_MSG_FMT

#define KTPUT_COMPAT_EXTACK
#define NETLINK_MAX_FMTMSG_LEN 80

__printf(1, 2) const char *ktput_extack_text(const char *fmt, ...);

#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {			\
	struct netlink_ext_ack *__extack = (extack);			\
									\
	if (__extack)							\
		__extack->_msg = ktput_extack_text(fmt, ##args);	\
} while (0)

#define NL_SET_ERR_MSG_ATTR_POL_FMT(extack, attr, pol, fmt, args...) do { \
	struct netlink_ext_ack *__extack = (extack);			\
									\
	if (__extack) {							\
		__extack->_msg = ktput_extack_text(fmt, ##args);	\
		__extack->bad_attr = (attr);				\
		__extack->policy = (pol);				\
	}								\
} while (0)

#define NL_SET_ERR_MSG_ATTR_FMT(extack, attr, fmt, args...)		\
	NL_SET_ERR_MSG_ATTR_POL_FMT(extack, attr, NULL, fmt, ##args)

#endif /* NL_SET_ERR_MSG_FMT */

#endif /* KTPUT_COMPAT_LINUX_NETLINK_H */
