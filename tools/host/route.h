/* SPDX-License-Identifier: GPL-2.0 */
/*
 * route: which way packets to an address take, and what the link is like.
 */
#ifndef KTPUT_TOOLS_ROUTE_H
#define KTPUT_TOOLS_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "address.h"
#include "../ceilings/ceiling_atm.h"
#include "../ceilings/ceiling_bus.h"
#include "device.h"
#include "../base/units.h"

/**
 * enum route_medium - what the last device of a route is
 * @ROUTE_WIRE: a device with a rate of its own, physical or emulated
 * @ROUTE_LOOPBACK: the loopback device
 * @ROUTE_VIRTUAL: a device of the kernel without a rate: veth, bridge, tunnel
 */
enum route_medium {
	ROUTE_WIRE,
	ROUTE_LOOPBACK,
	ROUTE_VIRTUAL,
};

/**
 * struct route - the way to an address
 * @local: the address is one of this network namespace
 * @broadcast: the address is one of a broadcast
 * @gateway: address of the next hop, AF_UNSPEC where that is the address itself
 * @source: address that packets are sent from, AF_UNSPEC where not known
 * @index: number of the device
 * @device: name of the device
 * @kind: what kind of virtual device it is, or empty
 * @medium: what the packets go onto
 * @mtu_bytes: MTU of the route, or of the device where the route has none
 * @vlan_tags: tags that devices on the way add
 * @rate_bps: speed of the link, 0 where not known
 * @rate_given: @rate_bps is not what the device tells
 * @atm: how packets travel on ATM that is on the way, which no device tells
 * @parent: device that drives the last one, see struct device
 * @parent_bus: bus of the kernel that it is on
 * @bus_known: @bus is the bus between it and memory
 * @bus: that bus
 * @bus_unknown: why it is not known
 */
struct route {
	bool local;
	bool broadcast;
	struct address gateway;
	struct address source;
	uint32_t index;
	char device[DEVICE_NAME_MAX];
	char kind[DEVICE_NAME_MAX];
	enum route_medium medium;
	uint32_t mtu_bytes;
	unsigned int vlan_tags;
	uint64_t rate_bps;
	bool rate_given;
	enum ceiling_atm_kind atm;
	char parent[DEVICE_PARENT_MAX];
	char parent_bus[DEVICE_NAME_MAX];
	bool bus_known;
	struct ceiling_bus bus;
	struct units_error bus_unknown;
};

int route_find(const char *netns, const struct address *to, uint32_t device,
	       struct route *route, struct units_error *err);
int route_by_device(const char *netns, uint32_t device, struct route *route,
		    struct units_error *err);
int route_device(const char *netns, const char *name, uint32_t *index,
		 struct units_error *err);

#endif
