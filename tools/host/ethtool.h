/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ethtool: ethtool netlink requests.
 */
#ifndef KTPUT_TOOLS_ETHTOOL_H
#define KTPUT_TOOLS_ETHTOOL_H

#include "netlink.h"

void ethtool_ask(const char *netns, uint32_t index, int command,
		 int header_type, netlink_reply reply, void *data);

#endif
