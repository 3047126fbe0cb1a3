// SPDX-License-Identifier: GPL-2.0
/* ATM: cells of packets put together by hand, and what a link carries. */
#include <math.h>

#include "../../tools/ceilings/ceiling_atm.h"
#include "test.h"

#define OC3	CEILING_ATM_OC3_BPS

/*
 * RFC 2225 7: at the default MTU of 9180, AAL5 is handed 9188 bytes. ATM Forum
 * af-lane-0021: 1516 where the MTU is 1500, and 62 at least.
 */
static void cells(void)
{
	static const struct {
		const char *what;
		struct wire_config config;
		enum ceiling_atm_kind kind;
		uint64_t sdu, pad, cells;
	} rows[] = {
		{ "classical IP, default MTU",
		  { WIRE_TCP, 4, 0, 0, 9180, 0, OC3 }, CEILING_ATM_CLIP,
		  9188, 20, 192 },
		{ "LAN emulation", { WIRE_TCP, 4, 0, 0, 1500, 0, OC3 },
		  CEILING_ATM_LANE, 1516, 12, 32 },
		{ "LAN emulation with a tag",
		  { WIRE_TCP, 4, 1, 0, 1500, 0, OC3 }, CEILING_ATM_LANE,
		  1520, 8, 32 },
		{ "LAN emulation, least frame",
		  { WIRE_UDP, 4, 0, 0, 1500, 1, OC3 }, CEILING_ATM_LANE,
		  62, 26, 2 },
		{ "a channel for IP", { WIRE_TCP, 4, 0, 0, 1500, 0, OC3 },
		  CEILING_ATM_VC, 1500, 28, 32 },
		{ "an ACK, LLC/SNAP",
		  { WIRE_UDP, 4, 0, 0, 1500, 12, OC3 }, CEILING_ATM_CLIP,
		  48, 40, 2 },
		{ "an ACK, a channel for IP",
		  { WIRE_UDP, 4, 0, 0, 1500, 12, OC3 }, CEILING_ATM_VC,
		  40, 0, 1 },
		{ "a byte more", { WIRE_UDP, 4, 0, 0, 1500, 13, OC3 },
		  CEILING_ATM_VC, 41, 47, 2 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct ceiling_atm atm = { 0 };
		struct units_error err;

		if (ceiling_atm_compute(&rows[i].config, rows[i].kind, &atm,
					&err)) {
			TEST_FAIL("%s: %s", rows[i].what, err.text);
			continue;
		}
		TEST_U64(rows[i].what, atm.sdu_bytes, rows[i].sdu);
		TEST_U64(rows[i].what, atm.pad_bytes, rows[i].pad);
		TEST_U64(rows[i].what, atm.cells, rows[i].cells);
		TEST_U64(rows[i].what, atm.cell_bytes, rows[i].cells * 53);
		TEST_U64(rows[i].what,
			 atm.sdu_bytes + atm.pad_bytes + 8, atm.cells * 48);
	}
}

/* 155.52 Mb/s, of whose 270 columns 260 are for cells; then 48 of 53 bytes. */
static void oc3(void)
{
	struct wire_config config = {
		.transport = WIRE_TCP, .ip_version = 4, .mtu_bytes = 9180,
		.rate_bps = OC3,
	};
	struct ceiling_atm atm;
	struct units_error err;

	TEST_TRUE("payload of OC-3", OC3 == 155520000ULL * 260 / 270);
	TEST_U64("status", ceiling_atm_compute(&config, CEILING_ATM_CLIP, &atm,
					       &err), 0);
	TEST_TRUE("AAL5", fabs(atm.aal5_bps - 135.632e6) < 1e3);
	TEST_TRUE("AAL5's user", fabs(atm.sdu_bps -
				      149.76e6 * 9188 / 10176) < 1);
	TEST_TRUE("IP", fabs(atm.l3_bps - 149.76e6 * 9180 / 10176) < 1);
	TEST_TRUE("TCP", fabs(atm.l4_bps - 149.76e6 * 9160 / 10176) < 1);
	TEST_TRUE("goodput", fabs(atm.goodput_bps -
				  149.76e6 * 9140 / 10176) < 1);
	TEST_TRUE("packets", fabs(atm.packets_per_s * 10176 * 8 -
				  149.76e6) < 1);
	TEST_TRUE("share", fabs(atm.efficiency - 9140.0 / 10176) < 1e-12);
}

/*
 * The 1998 memo on LAN emulation and classical IP over 155 Mb/s: nothing that it
 * measured from memory to memory is above the ceiling, and the best is near:
 * 105 Mb/s where the MTU is 1500, which Fast Ethernet could not carry.
 */
static void memo(void)
{
	static const double rtcp_mbps[] = {
		64.74, 63.27, 67.53, 61.32, 68.44, 64.52, 10.21, 35.22, 9.00,
		29.68, 47.99, 41.42, 48.19, 48.86, 27.48, 37.96, 97, 105,
	};
	struct wire_config config = {
		.transport = WIRE_TCP, .ip_version = 4, .mtu_bytes = 1500,
		.rate_bps = OC3,
	};
	struct ceiling_atm lane, clip;
	struct wire_frame frame;
	struct units_error err;

	TEST_U64("LAN emulation", ceiling_atm_compute(&config, CEILING_ATM_LANE,
						      &lane, &err), 0);
	config.mtu_bytes = CEILING_ATM_MTU;
	TEST_U64("classical IP", ceiling_atm_compute(&config, CEILING_ATM_CLIP,
						     &clip, &err), 0);
	for (size_t i = 0; i < TEST_COUNT(rtcp_mbps); i++)
		TEST_TRUE("measured", rtcp_mbps[i] * 1e6 < lane.goodput_bps);
	TEST_TRUE("LAN emulation", fabs(lane.goodput_bps - 128.92e6) < 5e3);
	TEST_TRUE("classical IP", fabs(clip.goodput_bps - 134.51e6) < 5e3);
	TEST_TRUE("best", 105e6 / lane.goodput_bps > 0.8);
	config.mtu_bytes = 1500;
	config.rate_bps = 100000000;
	TEST_U64("Fast Ethernet", wire_compute(&config, &frame, &err), 0);
	TEST_TRUE("Fast Ethernet", 80e6 < frame.goodput_bps &&
		  frame.goodput_bps < 97e6);
}

static void datagrams(void)
{
	static const struct {
		const char *what;
		enum ceiling_atm_kind kind;
		struct wire_datagrams datagrams;
		uint64_t cells;
	} rows[] = {
		{ "one packet", CEILING_ATM_CLIP, { 4, 0, 1500, 3, 3 * 100 },
		  3 },
		{ "fragments", CEILING_ATM_CLIP, { 4, 0, 1500, 1, 4000 },
		  32 + 32 + 23 },
		{ "fragments of IPv6", CEILING_ATM_VC, { 6, 0, 1500, 1, 2000 },
		  32 + 13 },
		{ "LAN emulation, tag", CEILING_ATM_LANE, { 4, 1, 1500, 1, 1 },
		  2 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		TEST_U64(rows[i].what,
			 ceiling_atm_datagram(rows[i].kind, &rows[i].datagrams),
			 rows[i].cells * 53);
}

static void refusals(void)
{
	struct wire_config config = {
		.transport = WIRE_TCP, .ip_version = 4, .mtu_bytes = 65535,
		.rate_bps = OC3,
	};
	struct units_error err = { "" };
	struct ceiling_atm atm;

	TEST_U64("AAL5", ceiling_atm_compute(&config, CEILING_ATM_CLIP, &atm,
					     &err), -1ULL);
	TEST_CONTAINS("AAL5", err.text, "65543 bytes for AAL5");
	config.mtu_bytes = 40;
	TEST_U64("MTU", ceiling_atm_compute(&config, CEILING_ATM_VC, &atm,
					    &err), -1ULL);
	TEST_CONTAINS("MTU", err.text, "MTU 40");
}

static const struct test_case cases[] = {
	{ "cells of a packet", cells },
	{ "layers of OC-3", oc3 },
	{ "the 1998 memo's rates are below", memo },
	{ "cells of a datagram", datagrams },
	{ "refusals", refusals },
};

TEST_MAIN(cases)
