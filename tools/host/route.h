/* SPDX-License-Identifier: GPL-2.0 */
/*
 * route: find the route to an address and the properties of its link.
 */
#ifndef KTPUT_TOOLS_ROUTE_H
#define KTPUT_TOOLS_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/units.h"
#include "../ceilings/ceiling_atm.h"
#include "../ceilings/ceiling_bus.h"
#include "address.h"
#include "device.h"

/**
 * enum route_medium - kind of the last device of a route
 * @ROUTE_WIRE: a device with a rate of its own, physical or emulated
 * @ROUTE_LOOPBACK: the loopback device
 * @ROUTE_VIRTUAL: a virtual device without a rate: veth, bridge, tunnel
 */
enum route_medium {
	ROUTE_WIRE,
	ROUTE_LOOPBACK,
	ROUTE_VIRTUAL,
};

/**
 * struct route - the route to an address
 * @local: the address belongs to this network namespace
 * @broadcast: the address is a broadcast address
 * @gateway: address of the next hop, AF_UNSPEC if that is the address itself
 * @source: source address of packets, AF_UNSPEC if unknown
 * @index: index of the device
 * @device: name of the device
 * @kind: kind of virtual device, or empty
 * @medium: kind of the last device
 * @mtu_bytes: MTU of the route, or of the device if the route has none
 * @vlan_tags: tags added by devices on the way
 * @rate_bps: speed of the link, 0 if unknown
 * @rate_given: @rate_bps was not reported by the device
 * @atm: encapsulation on ATM on the path, which no device reports
 * @parent: parent of the last device, see struct device
 * @parent_bus: kernel bus of @parent
 * @bus_known: @bus is the bus between @parent and memory
 * @bus: that bus
 * @bus_unknown: why it is unknown
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

bool path_is_veth(const char *netns, uint32_t device, const char *peer_netns,
		  uint32_t peer);
bool path_is_single(const char *netns, const struct address *to);

int neighbour_resolve(const char *netns, const struct address *to,
		      const struct route *route, struct ethernet_mac *mac,
		      struct units_error *err);

#endif
