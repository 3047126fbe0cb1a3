/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Split operations appeared in 6.2. A family of which every command is do-only
 * or dump-only, without pre and post hooks on its do commands, has tables that
 * a struct genl_ops holds as well: the same initialisers, other names.
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
 * Of the request behind a dump, callers need what genl_dumpit_info() has in
 * every version: the attributes.
 */
#define ktput_dump_attrs(cb)	(genl_dumpit_info(cb)->attrs)

#else

#define ktput_dump_attrs(cb)	(genl_info_dump(cb)->attrs)

#endif

#endif /* KTPUT_COMPAT_NET_GENETLINK_H */
