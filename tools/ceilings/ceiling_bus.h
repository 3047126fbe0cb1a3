/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceiling_bus: capacity of the bus between a device and memory.
 *
 * Pure arithmetic. Documentation/measure/ceilings.rst has the formulas. Only the data
 * and the overhead of each transaction are counted: descriptors, flow control and
 * other devices take more.
 */
#ifndef KTPUT_TOOLS_CEILING_BUS_H
#define KTPUT_TOOLS_CEILING_BUS_H

#include <stdint.h>

#include "../base/units.h"

/* PCI Express Base 5.0 7.5.3.4: 128 << n, up to 4096. */
#define CEILING_BUS_PAYLOAD_MIN		128
#define CEILING_BUS_PAYLOAD_MAX		4096
#define CEILING_BUS_GENERATION_MAX	5
#define CEILING_BUS_LANES_MAX		32
/*
 * PCI Express Base 5.0 2.2.1 and 4.2: four double words of header, as for a write
 * to a 64-bit address, LCRC of four bytes, and framing with the sequence number:
 * 1 + 2 + 1 bytes up to generation 2, a token of four bytes from 3.
 */
#define CEILING_BUS_TLP_BYTES		24

/**
 * struct ceiling_bus - a parallel bus or a PCI Express link
 * @clock_hz: clock of a parallel bus, 0 for PCI Express
 * @width_bits: width of a parallel bus
 * @generation: generation of PCI Express, 1 to CEILING_BUS_GENERATION_MAX
 * @lanes: lanes of PCI Express
 * @payload_bytes: maximum payload of a TLP, 0 if unknown: the overhead of TLPs is
 *	not counted then
 */
struct ceiling_bus {
	uint64_t clock_hz;
	uint64_t width_bits;
	uint64_t generation;
	uint64_t lanes;
	uint64_t payload_bytes;
};

int ceiling_bus_check(const struct ceiling_bus *bus, struct units_error *err);
double ceiling_bus_signal_bps(const struct ceiling_bus *bus);
double ceiling_bus_link_bps(const struct ceiling_bus *bus);
double ceiling_bus_bps(const struct ceiling_bus *bus, uint64_t transfer_bytes);

#endif
