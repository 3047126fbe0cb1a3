/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames without sk_buff, for the driver's transmit routine of XDP.
 */
#ifndef KTPUT_FRAME_XDP_H
#define KTPUT_FRAME_XDP_H

#include <linux/types.h>

struct ktput_counters;
struct ktput_frame_source;
struct net_device;
struct netlink_ext_ack;

int ktput_frame_xdp_check(struct net_device *dev,
			  struct netlink_ext_ack *extack);
bool ktput_frame_xdp_send(struct ktput_frame_source *source, u32 frames,
			  struct ktput_counters *delta);

#endif /* KTPUT_FRAME_XDP_H */
