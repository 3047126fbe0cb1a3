/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Split operations appeared in 6.2. If every command of a family is do-only or
 * dump-only, and its do commands have no pre and post hooks, its tables fit
 * struct genl_ops: the same initialisers under other names.
 */
#ifndef KTPUT_COMPAT_NET_GENETLINK_H
#define KTPUT_COMPAT_NET_GENETLINK_H

#include <linux/version.h>
#include_next <net/genetlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)

#define genl_split_ops	genl_ops
#define split_ops	ops
#define n_split_ops	n_ops

#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)

/*
 * Callers need only the attributes of the request behind a dump, which
 * genl_dumpit_info() has in every version.
 */
#define ktput_dump_attrs(cb)	(genl_dumpit_info(cb)->attrs)

#else

#define ktput_dump_attrs(cb)	(genl_info_dump(cb)->attrs)

#endif

#endif /* KTPUT_COMPAT_NET_GENETLINK_H */
