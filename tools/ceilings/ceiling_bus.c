// SPDX-License-Identifier: GPL-2.0
/* ceiling_bus: capacity of the bus between a device and memory. */
#include <inttypes.h>

#include "ceiling_bus.h"

/*
 * PCI Express Base 5.0 4.2.1, 4.2.2 and 8.2: transfers per second of each lane,
 * and the share of data bits in the bits sent.
 */
static const struct {
	double transfers_per_s, data_bits, sent_bits;
} generations[CEILING_BUS_GENERATION_MAX + 1] = {
	[1] = { 2.5e9, 8, 10 },
	[2] = { 5e9, 8, 10 },
	[3] = { 8e9, 128, 130 },
	[4] = { 16e9, 128, 130 },
	[5] = { 32e9, 128, 130 },
};

/**
 * ceiling_bus_check() - check that a bus is valid
 * @bus: bus
 * @err: why not
 */
int ceiling_bus_check(const struct ceiling_bus *bus, struct units_error *err)
{
	uint64_t lanes = bus->lanes, payload = bus->payload_bytes;

	if (bus->clock_hz)
		return 0;
	if (!bus->generation || bus->generation > CEILING_BUS_GENERATION_MAX)
		return units_refuse(err, "PCIe generation %" PRIu64
				    " is not within 1 to %d", bus->generation,
				    CEILING_BUS_GENERATION_MAX);
	if (!lanes || lanes > CEILING_BUS_LANES_MAX ||
	    (lanes != 12 && lanes & (lanes - 1)))
		return units_refuse(err, "no PCIe link has %" PRIu64
				    " lanes, but 1, 2, 4, 8, 12, 16 or 32",
				    lanes);
	if (payload && (payload < CEILING_BUS_PAYLOAD_MIN ||
			payload > CEILING_BUS_PAYLOAD_MAX ||
			payload & (payload - 1)))
		return units_refuse(err, "a PCIe payload of %" PRIu64
				    " bytes is not a power of 2 from %d to %d",
				    payload, CEILING_BUS_PAYLOAD_MIN,
				    CEILING_BUS_PAYLOAD_MAX);
	return 0;
}

/**
 * ceiling_bus_signal_bps() - raw bit rate of the lines
 * @bus: valid bus
 *
 * Return: bit/s.
 */
double ceiling_bus_signal_bps(const struct ceiling_bus *bus)
{
	if (bus->clock_hz)
		return (double)bus->clock_hz * bus->width_bits;
	return generations[bus->generation].transfers_per_s * bus->lanes;
}

/**
 * ceiling_bus_link_bps() - bit rate after decoding
 * @bus: valid bus
 *
 * Return: bit/s; for a parallel bus during one long burst.
 */
double ceiling_bus_link_bps(const struct ceiling_bus *bus)
{
	double bps = ceiling_bus_signal_bps(bus);

	if (bus->clock_hz)
		return bps;
	return bps * generations[bus->generation].data_bits /
	       generations[bus->generation].sent_bits;
}

/**
 * ceiling_bus_bps() - data rate in one direction
 * @bus: valid bus
 * @transfer_bytes: size of a contiguous transfer, such as a frame; each begins a
 *	new TLP
 *
 * Return: bit/s of data.
 */
double ceiling_bus_bps(const struct ceiling_bus *bus, uint64_t transfer_bytes)
{
	uint64_t payload = bus->payload_bytes, packets;

	if (bus->clock_hz || !payload)
		return ceiling_bus_link_bps(bus);
	packets = (transfer_bytes + payload - 1) / payload;
	return ceiling_bus_link_bps(bus) * transfer_bytes /
	       (transfer_bytes + packets * CEILING_BUS_TLP_BYTES);
}
