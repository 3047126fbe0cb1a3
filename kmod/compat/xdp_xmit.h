/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a device takes frames of XDP as it is: since 6.3 it says so.
 */
#ifndef KTPUT_COMPAT_XDP_XMIT_H
#define KTPUT_COMPAT_XDP_XMIT_H

#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/version.h>

/**
 * ktput_xdp_xmit_ready() - whether ndo_xdp_xmit() of a device refuses nothing at once
 * @dev: device that is up and has it; the caller holds RTNL
 *
 * Before 6.3 a device of software is asked by a call without frames. Drivers of
 * hardware may not be prepared for that; what they lack shows at the first frame.
 *
 * Return: false if it would refuse all frames.
 */
static inline bool ktput_xdp_xmit_ready(struct net_device *dev)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	int error;

	if (!dev->rtnl_link_ops)
		return true;
	local_bh_disable();
	rcu_read_lock();
	error = dev->netdev_ops->ndo_xdp_xmit(dev, 0, NULL, 0);
	rcu_read_unlock();
	local_bh_enable();
	return error >= 0;
#else
	return dev->xdp_features & NETDEV_XDP_ACT_NDO_XMIT;
#endif
}

#endif /* KTPUT_COMPAT_XDP_XMIT_H */
