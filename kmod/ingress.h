/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sinks at the netfilter ingress hook of a device.
 */
#ifndef KTPUT_INGRESS_H
#define KTPUT_INGRESS_H

struct net_device;

extern const struct ktput_ops ktput_ingress_ops;

void ktput_ingress_leave_device(const struct net_device *dev);

#endif /* KTPUT_INGRESS_H */
