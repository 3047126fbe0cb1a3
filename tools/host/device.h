/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device: a network device, as rtnetlink and ethtool describe it.
 */
#ifndef KTPUT_TOOLS_DEVICE_H
#define KTPUT_TOOLS_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "../ceilings/ceiling_bus.h"
#include "address.h"
#include "netlink.h"

#define DEVICE_NAME_MAX		16
#define DEVICE_PARENT_MAX	64

/**
 * struct device - a device
 * @index: its index
 * @lower: index of the lower device or the peer, or 0
 * @lower_elsewhere: @lower is in another network namespace
 * @mtu_bytes: MTU
 * @type: of ARPHRD_...
 * @no_neighbours: it does not resolve addresses (IFF_NOARP)
 * @queues: transmit queues that it was created with
 * @mac: MAC address, all zero if there is none
 * @name: name
 * @kind: kind of virtual device, or empty
 * @parent: name of the parent device, on @parent_bus, or empty
 * @parent_bus: kernel bus of @parent, or empty
 */
struct device {
	uint32_t index;
	uint32_t lower;
	bool lower_elsewhere;
	uint32_t mtu_bytes;
	unsigned int type;
	bool no_neighbours;
	uint32_t queues;
	struct ethernet_mac mac;
	char name[DEVICE_NAME_MAX];
	char kind[DEVICE_NAME_MAX];
	char parent[DEVICE_PARENT_MAX];
	char parent_bus[DEVICE_NAME_MAX];
};

int device_get(struct netlink *nl, uint32_t index, const char *name,
	       struct device *device, struct units_error *err);
int device_find(const char *netns, uint32_t index, struct device *device,
		struct units_error *err);
bool device_is_virtual(const struct device *device);
uint64_t device_speed(const char *netns, uint32_t index);
uint32_t device_queues(const char *netns, const struct device *device);
uint32_t device_of_address(const char *netns, const struct address *address);
bool device_address(const char *netns, uint32_t index, int family,
		    struct address *address);

/* bus: find the bus of a device in sysfs. */
#define BUS_SYSFS	"/sys"

int bus_find(const char *sysfs, const char *parent_bus, const char *parent,
	     struct ceiling_bus *bus, struct units_error *err);

#endif
