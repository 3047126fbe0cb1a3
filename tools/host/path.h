/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path: properties of the path between two ends.
 */
#ifndef KTPUT_TOOLS_PATH_H
#define KTPUT_TOOLS_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "address.h"

bool path_is_veth(const char *netns, uint32_t device, const char *peer_netns,
		  uint32_t peer);
bool path_is_single(const char *netns, const struct address *to);

#endif
