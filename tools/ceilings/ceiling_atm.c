// SPDX-License-Identifier: GPL-2.0
/* ceiling_atm: capacity of an ATM link, in cells of AAL5. */
#include <inttypes.h>

#include "ceiling_atm.h"

static uint64_t sdu(enum ceiling_atm_kind kind, unsigned int vlan_tags,
		    uint64_t ip_bytes)
{
	uint64_t frame;

	switch (kind) {
	case CEILING_ATM_VC:
		return ip_bytes;
	case CEILING_ATM_LANE:
		frame = CEILING_ATM_LANE_BYTES + WIRE_ADDRESS_BYTES +
			vlan_tags * WIRE_TAG_BYTES + WIRE_TYPE_BYTES +
			ip_bytes;
		return frame < CEILING_ATM_LANE_MIN ?
		       CEILING_ATM_LANE_MIN : frame;
	default:
		return CEILING_ATM_LLC_SNAP_BYTES + ip_bytes;
	}
}

/**
 * ceiling_atm_cells() - number of cells for an IP packet
 * @kind: its encapsulation in AAL5
 * @vlan_tags: tags of the Ethernet frame in LAN emulation
 * @ip_bytes: its length
 *
 * Return: the number of cells.
 */
uint64_t ceiling_atm_cells(enum ceiling_atm_kind kind, unsigned int vlan_tags,
			   uint64_t ip_bytes)
{
	return (sdu(kind, vlan_tags, ip_bytes) + CEILING_ATM_TRAILER_BYTES +
		CEILING_ATM_CELL_PAYLOAD - 1) / CEILING_ATM_CELL_PAYLOAD;
}

/**
 * ceiling_atm_compute() - one IP packet and the rates of a link full of it
 * @config: the packet, and the rate of the cells
 * @kind: its encapsulation in AAL5
 * @atm: the result, written on success only
 * @err: why there is none
 */
int ceiling_atm_compute(const struct wire_config *config,
			enum ceiling_atm_kind kind, struct ceiling_atm *atm,
			struct units_error *err)
{
	struct ceiling_atm out = { 0 };
	uint64_t l3, l4;
	double per_byte;

	if (wire_compute(config, &out.packet, err))
		return -1;
	l4 = out.packet.transport_bytes + out.packet.payload_bytes;
	l3 = out.packet.ip_bytes + l4;
	out.sdu_bytes = sdu(kind, config->vlan_tags, l3);
	if (out.sdu_bytes > CEILING_ATM_SDU_MAX)
		return units_refuse(err, "%" PRIu64
				    " bytes for AAL5 are above the limit, %d",
				    out.sdu_bytes, CEILING_ATM_SDU_MAX);
	out.cells = ceiling_atm_cells(kind, config->vlan_tags, l3);
	out.pad_bytes = out.cells * CEILING_ATM_CELL_PAYLOAD - out.sdu_bytes -
			CEILING_ATM_TRAILER_BYTES;
	out.cell_bytes = out.cells * CEILING_ATM_CELL_BYTES;

	per_byte = (double)config->rate_bps / out.cell_bytes;
	out.packets_per_s = per_byte / 8;
	out.cells_bps = config->rate_bps;
	out.aal5_bps = per_byte * out.cells * CEILING_ATM_CELL_PAYLOAD;
	out.sdu_bps = per_byte * out.sdu_bytes;
	out.l3_bps = per_byte * l3;
	out.l4_bps = per_byte * l4;
	out.goodput_bps = per_byte * out.packet.payload_bytes;
	out.efficiency = (double)out.packet.payload_bytes / out.cell_bytes;
	*atm = out;
	return 0;
}

/**
 * ceiling_atm_datagram() - bytes of cells for a datagram
 * @kind: encapsulation of its packets in AAL5
 * @datagrams: datagrams of one size
 *
 * Return: bytes, for all fragments together.
 */
uint64_t ceiling_atm_datagram(enum ceiling_atm_kind kind,
			      const struct wire_datagrams *datagrams)
{
	struct wire_fragments fragments;
	uint64_t cells;

	wire_fragment(datagrams, WIRE_UDP_BYTES +
		      datagrams->payload_bytes / datagrams->count, &fragments);
	cells = ceiling_atm_cells(kind, datagrams->vlan_tags,
				  fragments.last_bytes);
	if (fragments.count > 1)
		cells += (fragments.count - 1) *
			 ceiling_atm_cells(kind, datagrams->vlan_tags,
					   fragments.full_bytes);
	return cells * CEILING_ATM_CELL_BYTES;
}
