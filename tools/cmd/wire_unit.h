/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_unit: choose the unit of a table of rates that fits in 80 columns.
 */
#ifndef KTPUT_CTL_WIRE_UNIT_H
#define KTPUT_CTL_WIRE_UNIT_H

#include <stdint.h>

/**
 * struct wire_unit - a unit of rates
 * @bps: bits per second
 * @name: its name
 */
struct wire_unit {
	double bps;
	const char *name;
};

const struct wire_unit *wire_unit(uint64_t rate_bps, uint64_t mbit_max_bps);

#endif
