// SPDX-License-Identifier: GPL-2.0
/* wire_unit: choose the unit of a table of rates that fits in 80 columns. */
#include "wire_unit.h"

/* In a larger unit, rates are shorter and frames per second longer. */
#define GBIT_FACTOR	100

/**
 * wire_unit() - the unit of a table
 * @rate_bps: rate of the link
 * @mbit_max_bps: highest rate that fits in a table of Mb/s
 *
 * Return: the unit.
 */
const struct wire_unit *wire_unit(uint64_t rate_bps, uint64_t mbit_max_bps)
{
	static const struct wire_unit mbit = { 1e6, "Mb/s" };
	static const struct wire_unit gbit = { 1e9, "Gb/s" };
	static const struct wire_unit tbit = { 1e12, "Tb/s" };
	static const struct wire_unit pbit = { 1e15, "Pb/s" };
	static const struct wire_unit ebit = { 1e18, "Eb/s" };

	if (rate_bps <= mbit_max_bps)
		return &mbit;
	if (rate_bps / GBIT_FACTOR <= mbit_max_bps)
		return &gbit;
	if (rate_bps < 100 * tbit.bps)
		return &tbit;
	return rate_bps < 100 * pbit.bps ? &pbit : &ebit;
}
