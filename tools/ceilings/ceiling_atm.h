/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceiling_atm: capacity of an ATM link, in cells of AAL5.
 *
 * Pure arithmetic. Documentation/measure/ceilings.rst has the formulas.
 */
#ifndef KTPUT_TOOLS_CEILING_ATM_H
#define KTPUT_TOOLS_CEILING_ATM_H

#include <stdint.h>

#include "wire.h"

/* ITU-T I.361: header of 5 octets, information field of 48. */
#define CEILING_ATM_CELL_BYTES		53
#define CEILING_ATM_CELL_PAYLOAD	48
/* ITU-T I.363.5: UU, CPI, length and CRC-32 end the last cell. */
#define CEILING_ATM_TRAILER_BYTES	8
/* ITU-T I.363.5: the length has 16 bits. */
#define CEILING_ATM_SDU_MAX		65535
/* RFC 2684 5.1: LLC AA-AA-03, OUI 00-00-00 and the EtherType. */
#define CEILING_ATM_LLC_SNAP_BYTES	8
/* ATM Forum af-lane-0021.000: LE client identifier before the frame. */
#define CEILING_ATM_LANE_BYTES		2
/* ATM Forum af-lane-0021.000: minimum data frame of 802.3. */
#define CEILING_ATM_LANE_MIN		62
/* RFC 2225 7: default MTU of classical IP. */
#define CEILING_ATM_MTU			9180
/*
 * ITU-T I.432.2: 155520 kbit/s less the overhead columns of the SDH frame,
 * 10 of 270.
 */
#define CEILING_ATM_OC3_BPS		149760000ULL

/**
 * enum ceiling_atm_kind - encapsulation of IP packets in AAL5
 * @CEILING_ATM_NONE: no ATM on the path
 * @CEILING_ATM_CLIP: classical IP, RFC 2225, with LLC/SNAP
 * @CEILING_ATM_VC: a virtual channel for IP alone, RFC 2684 6
 * @CEILING_ATM_LANE: Ethernet frames without FCS by LAN emulation
 */
enum ceiling_atm_kind {
	CEILING_ATM_NONE,
	CEILING_ATM_CLIP,
	CEILING_ATM_VC,
	CEILING_ATM_LANE,
};

/**
 * struct ceiling_atm - one IP packet in cells, and the rates of a full link
 * @packet: the packet; its rates are those of Ethernet
 * @sdu_bytes: SDU of AAL5: the packet and its encapsulation
 * @pad_bytes: padding between SDU and trailer
 * @cells: number of cells
 * @cell_bytes: their bytes: the packet's share of the link
 * @packets_per_s: packets per second
 * @cells_bps: bit rate of cells, the link rate
 * @aal5_bps: bit rate of the cells' payload, including trailer and padding
 * @sdu_bps: bit rate of SDUs of AAL5
 * @l3_bps: bit rate of IP packets
 * @l4_bps: bit rate of TCP segments or UDP datagrams
 * @goodput_bps: bit rate of payload
 * @efficiency: goodput over the link rate, 0 to 1
 */
struct ceiling_atm {
	struct wire_frame packet;
	uint64_t sdu_bytes;
	uint64_t pad_bytes;
	uint64_t cells;
	uint64_t cell_bytes;
	double packets_per_s;
	double cells_bps;
	double aal5_bps;
	double sdu_bps;
	double l3_bps;
	double l4_bps;
	double goodput_bps;
	double efficiency;
};

uint64_t ceiling_atm_cells(enum ceiling_atm_kind kind, unsigned int vlan_tags,
			   uint64_t ip_bytes);
int ceiling_atm_compute(const struct wire_config *config,
			enum ceiling_atm_kind kind, struct ceiling_atm *atm,
			struct units_error *err);
uint64_t ceiling_atm_datagram(enum ceiling_atm_kind kind,
			      const struct wire_datagrams *datagrams);

#endif
