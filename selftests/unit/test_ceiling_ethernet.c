// SPDX-License-Identifier: GPL-2.0
/* ceiling_ethernet: from a route and a live socket to frames on a link. */
#include <math.h>

#include "../../tools/result/ceilings.h"
#include "test.h"

static void known(void)
{
	static const struct {
		const char *what;
		struct route route;
		unsigned int ip_version;
		struct tcpinfo tcp;
		uint64_t payload, wire, goodput_bps;
	} rows[] = {
		{ "MTU 1500 without timestamps",
		  { .mtu_bytes = 1500, .rate_bps = 1000000000 }, 4,
		  { .send_mss_bytes = 1460 }, 1460, 1538, 949284785 },
		{ "MTU 1500 as Linux sends it",
		  { .mtu_bytes = 1500, .rate_bps = 1000000000 }, 4,
		  { .timestamps = true, .send_mss_bytes = 1448 },
		  1448, 1538, 941482444 },
		{ "MTU 9000",
		  { .mtu_bytes = 9000, .rate_bps = 1000000000 }, 4,
		  { .send_mss_bytes = 8960 }, 8960, 9038, 991369772 },
		{ "IPv6",
		  { .mtu_bytes = 1500, .rate_bps = 1000000000 }, 6,
		  { .timestamps = true, .send_mss_bytes = 1428 },
		  1428, 1538, 928478543 },
		{ "VLAN",
		  { .mtu_bytes = 1500, .rate_bps = 1000000000,
		    .vlan_tags = 1 }, 4,
		  { .send_mss_bytes = 1460 }, 1460, 1542, 946822308 },
		{ "a virtual device whose rate is given",
		  { .medium = ROUTE_VIRTUAL, .mtu_bytes = 4500,
		    .rate_bps = 100000000 }, 4,
		  { .timestamps = true, .send_mss_bytes = 4448 },
		  4448, 4538, 98016747 },
		{ "MSS below the MTU",
		  { .mtu_bytes = 9000, .rate_bps = 1000000000 }, 4,
		  { .timestamps = true, .send_mss_bytes = 1448 },
		  1448, 1538, 941482444 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct ceiling_ethernet ceiling;
		struct units_error err;

		if (ceiling_ethernet_compute(&rows[i].route,
					     rows[i].ip_version, &rows[i].tcp,
					     &ceiling, &err)) {
			TEST_FAIL("%s: %s", rows[i].what, err.text);
			continue;
		}
		TEST_TRUE(rows[i].what, ceiling.known);
		TEST_U64(rows[i].what, ceiling.frame.payload_bytes,
			 rows[i].payload);
		TEST_U64(rows[i].what, ceiling.frame.wire_bytes, rows[i].wire);
		TEST_U64(rows[i].what, floor(ceiling.frame.goodput_bps),
			 rows[i].goodput_bps);
	}
}

static void absent(void)
{
	static const struct {
		const char *want;
		struct route route;
		uint32_t mss;
	} rows[] = {
		{ "the loopback device has no wire",
		  { .medium = ROUTE_LOOPBACK, .mtu_bytes = 65536 }, 65483 },
		{ "a virtual device has no wire",
		  { .medium = ROUTE_VIRTUAL, .mtu_bytes = 1500 }, 1400 },
		{ "the device does not tell its link speed",
		  { .medium = ROUTE_WIRE, .mtu_bytes = 1500 }, 1400 },
		{ "the loopback device has no wire",
		  { .medium = ROUTE_LOOPBACK, .mtu_bytes = 65536 }, 65536 },
		{ "the path is ATM",
		  { .medium = ROUTE_WIRE, .mtu_bytes = 1500, .rate_bps = 1000,
		    .atm = CEILING_ATM_CLIP }, 1400 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct tcpinfo tcp = {
			.send_mss_bytes = rows[i].mss,
		};
		struct ceiling_ethernet ceiling;
		struct units_error err;

		if (ceiling_ethernet_compute(&rows[i].route, 4, &tcp, &ceiling,
					     &err))
			TEST_FAIL("%s: %s", rows[i].want, err.text);
		TEST_TRUE(rows[i].want, !ceiling.known);
		TEST_TRUE(rows[i].want, ceiling.frame.efficiency > 0.9);
		TEST_STRING("why", ceiling_ethernet_absent(&rows[i].route),
			    rows[i].want);
	}
}

static const struct test_case cases[] = {
	{ "ceilings of links whose rate is known", known },
	{ "no ceiling, and why", absent },
};

TEST_MAIN(cases)
