/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family.
 */
#ifndef KTPUT_GENL_H
#define KTPUT_GENL_H

struct ktput_run;
struct net;

void ktput_genl_run_ended(struct net *net, struct ktput_run *run);

#endif /* KTPUT_GENL_H */
