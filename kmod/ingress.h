/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sinks at the netfilter ingress hook of a device.
 */
#ifndef KTPUT_INGRESS_H
#define KTPUT_INGRESS_H

struct ktput_run;
struct net_device;
struct netlink_ext_ack;

extern const struct ktput_ops ktput_ingress_ops;

int ktput_ingress_prepare(struct ktput_run *run, struct netlink_ext_ack *extack);
void ktput_ingress_end(struct ktput_run *run);
void ktput_ingress_free(struct ktput_run *run);
void ktput_ingress_leave_device(const struct net_device *dev);

#endif /* KTPUT_INGRESS_H */
