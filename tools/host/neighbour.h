/* SPDX-License-Identifier: GPL-2.0 */
/*
 * neighbour: find the destination MAC address for an IP address.
 */
#ifndef KTPUT_TOOLS_NEIGHBOUR_H
#define KTPUT_TOOLS_NEIGHBOUR_H

#include "ethernet.h"
#include "route.h"

int neighbour_resolve(const char *netns, const struct address *to,
		      const struct route *route, struct ethernet_mac *mac,
		      struct units_error *err);

#endif
