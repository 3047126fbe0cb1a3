/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family.
 */
#ifndef KTPUT_GENL_H
#define KTPUT_GENL_H

#include <linux/types.h>

struct ktput_run;
struct net;

void ktput_genl_notify(struct net *net, struct ktput_run *run, u8 command);

#endif /* KTPUT_GENL_H */
