/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bus: find the bus of a device in sysfs.
 */
#ifndef KTPUT_TOOLS_BUS_H
#define KTPUT_TOOLS_BUS_H

#include "../ceilings/ceiling_bus.h"

#define BUS_SYSFS	"/sys"

int bus_find(const char *sysfs, const char *parent_bus, const char *parent,
	     struct ceiling_bus *bus, struct units_error *err);

#endif
