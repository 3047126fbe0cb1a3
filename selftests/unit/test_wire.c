// SPDX-License-Identifier: GPL-2.0
/* Wire arithmetic, against published figures and against hand-made frames. */
#include <math.h>

#include "../../tools/ceilings/wire.h"
#include "test.h"

#define GBIT	1000000000ULL

static struct wire_frame compute(const char *what,
				 const struct wire_config *config)
{
	struct wire_frame frame = { 0 };
	struct units_error err = { "" };

	if (wire_compute(config, &frame, &err))
		TEST_FAIL("%s: refused: %s", what, err.text);
	return frame;
}

/*
 * Haystack e-VLBI memo of 21 December 2001, tables 3 and 4: each figure to
 * the digits printed there, which are five decimals for MTU 4500.
 */
static void memo_throughput(void)
{
	static const struct {
		uint64_t mtu;
		double mbps, half_digit;
	} rows[] = {
		{ 9000, 991.369772, 5e-7 },
		{ 4500, 982.81181, 5e-6 },
		{ 1500, 949.284785, 5e-7 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct wire_config config = {
			.transport = WIRE_TCP, .ip_version = 4,
			.mtu_bytes = rows[i].mtu, .rate_bps = GBIT,
		};
		struct wire_frame frame = compute("memo", &config);
		double exact = 1e9 * (rows[i].mtu - 40) / (rows[i].mtu + 38);

		if (fabs(frame.goodput_bps / 1e6 - rows[i].mbps) >
		    rows[i].half_digit)
			TEST_FAIL("MTU %llu: %.9f Mb/s, want %.6f",
				  (unsigned long long)rows[i].mtu,
				  frame.goodput_bps / 1e6, rows[i].mbps);
		if (fabs(frame.goodput_bps - exact) > 1e-6)
			TEST_FAIL("MTU %llu: %.9f is not (MTU-40)/(MTU+38)",
				  (unsigned long long)rows[i].mtu,
				  frame.goodput_bps);
	}
}

static void memo_overhead(void)
{
	struct wire_config config = {
		.transport = WIRE_TCP, .ip_version = 4, .mtu_bytes = 9000,
		.rate_bps = GBIT,
	};

	TEST_U64("gap", WIRE_GAP_BYTES, 12);
	TEST_U64("preamble", WIRE_PREAMBLE_BYTES, 8);
	TEST_U64("addresses", WIRE_ADDRESS_BYTES, 12);
	TEST_U64("type", WIRE_TYPE_BYTES, 2);
	TEST_U64("FCS", WIRE_FCS_BYTES, 4);
	TEST_U64("all", compute("all", &config).mac_overhead_bytes, 38);
}

static void frame_rates(void)
{
	static const struct {
		uint64_t size, rate, frames;
	} rows[] = {
		{ 64, 10 * GBIT, 14880952 }, { 512, 10 * GBIT, 2349624 },
		{ 1518, 10 * GBIT, 812743 }, { 64, GBIT, 1488095 },
		{ 64, 100 * GBIT, 148809523 }, { 1518, GBIT, 81274 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct wire_config config = {
			.transport = WIRE_FRAME, .ip_version = 4,
			.size_bytes = rows[i].size, .rate_bps = rows[i].rate,
		};

		TEST_U64("frames/s", compute("frame", &config).frames_per_s,
			 rows[i].frames);
	}
}

/* Bytes of frames put together by hand. */
static void frame_bytes(void)
{
	static const struct {
		const char *what;
		struct wire_config config;
		uint64_t payload, padding, frame, wire;
	} rows[] = {
		{ "TCP with timestamps",
		  { WIRE_TCP, 4, 0, 12, 1500, 0, GBIT }, 1448, 0, 1518, 1538 },
		{ "TCP, IPv6, timestamps",
		  { WIRE_TCP, 6, 0, 12, 1500, 0, GBIT }, 1428, 0, 1518, 1538 },
		{ "TCP, one tag",
		  { WIRE_TCP, 4, 1, 0, 1500, 0, GBIT }, 1460, 0, 1522, 1542 },
		{ "TCP, two tags",
		  { WIRE_TCP, 4, 2, 0, 1500, 0, GBIT }, 1460, 0, 1526, 1546 },
		{ "TCP, one byte",
		  { WIRE_TCP, 4, 0, 0, 1500, 1, GBIT }, 1, 5, 64, 84 },
		{ "UDP", { WIRE_UDP, 4, 0, 0, 1500, 0, GBIT },
		  1472, 0, 1518, 1538 },
		{ "UDP, IPv6", { WIRE_UDP, 6, 0, 0, 1500, 0, GBIT },
		  1452, 0, 1518, 1538 },
		{ "UDP, the last padded byte",
		  { WIRE_UDP, 4, 0, 0, 1500, 17, GBIT }, 17, 1, 64, 84 },
		{ "UDP, nothing padded",
		  { WIRE_UDP, 4, 0, 0, 1500, 18, GBIT }, 18, 0, 64, 84 },
		{ "UDP, tag in place of padding",
		  { WIRE_UDP, 4, 1, 0, 1500, 14, GBIT }, 14, 0, 64, 84 },
		{ "frame of 64", { WIRE_FRAME, 4, 0, 0, 0, 64, GBIT },
		  18, 0, 64, 84 },
		{ "frame, IPv6, two tags", { WIRE_FRAME, 6, 2, 0, 0, 74, GBIT },
		  0, 0, 74, 94 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct wire_frame frame = compute(rows[i].what,
						  &rows[i].config);

		TEST_U64(rows[i].what, frame.payload_bytes, rows[i].payload);
		TEST_U64(rows[i].what, frame.pad_bytes, rows[i].padding);
		TEST_U64(rows[i].what, frame.frame_bytes, rows[i].frame);
		TEST_U64(rows[i].what, frame.wire_bytes, rows[i].wire);
	}
}

/* With timestamps, as Linux sends: 941.48 and 990.04 Mb/s. */
static void layers(void)
{
	struct wire_config config = {
		.transport = WIRE_TCP, .ip_version = 4, .mtu_bytes = 1500,
		.tcp_option_bytes = WIRE_TCP_TIMESTAMPS_BYTES,
		.rate_bps = GBIT,
	};
	struct wire_frame frame = compute("1500", &config);

	TEST_TRUE("layer 1", frame.l1_bps == 1e9);
	TEST_TRUE("layer 2", fabs(frame.l2_bps - 1e9 * 1518 / 1538) < 1e-3);
	TEST_TRUE("layer 3", fabs(frame.l3_bps - 1e9 * 1500 / 1538) < 1e-3);
	TEST_TRUE("layer 4", fabs(frame.l4_bps - 1e9 * 1480 / 1538) < 1e-3);
	TEST_TRUE("goodput", fabs(frame.goodput_bps - 941.48e6) < 5e3);
	TEST_TRUE("share", fabs(frame.efficiency - 0.94148) < 5e-6);
	config.mtu_bytes = 9000;
	frame = compute("9000", &config);
	TEST_TRUE("9000", fabs(frame.goodput_bps - 990.04e6) < 5e3);
	/* Padding is in layer 2 and in no layer above. */
	config.size_bytes = 1;
	config.tcp_option_bytes = 0;
	frame = compute("padded", &config);
	TEST_TRUE("padded", fabs(frame.l3_bps - 1e9 * 41 / 84) < 1e-3);
	TEST_TRUE("padded", fabs(frame.l2_bps - 1e9 * 64 / 84) < 1e-3);
}

static void refusals(void)
{
	static const struct {
		const char *text;
		struct wire_config config;
	} rows[] = {
		{ "neither 4 nor 6", { WIRE_TCP, 5, 0, 0, 1500, 0, GBIT } },
		{ "above the limit, 2", { WIRE_TCP, 4, 3, 0, 1500, 0, GBIT } },
		{ "multiple of 4", { WIRE_TCP, 4, 0, 10, 1500, 0, GBIT } },
		{ "up to 40", { WIRE_TCP, 4, 0, 44, 1500, 0, GBIT } },
		{ "rate of 0", { WIRE_TCP, 4, 0, 0, 1500, 0, 0 } },
		{ "outside 68", { WIRE_TCP, 4, 0, 0, 67, 0, GBIT } },
		{ "outside 1280", { WIRE_TCP, 6, 0, 0, 1279, 0, GBIT } },
		{ "to 65535", { WIRE_UDP, 4, 0, 0, 65536, 0, GBIT } },
		{ "no payload after 80", { WIRE_TCP, 4, 0, 40, 80, 0, GBIT } },
		{ "above the 1460", { WIRE_TCP, 4, 0, 0, 1500, 1461, GBIT } },
		{ "least, 64", { WIRE_FRAME, 4, 0, 0, 0, 63, GBIT } },
		{ "least, 66", { WIRE_FRAME, 6, 0, 0, 0, 65, GBIT } },
		{ "limit, 65553", { WIRE_FRAME, 4, 0, 0, 0, 65554, GBIT } },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct wire_frame frame = { .payload_bytes = 7 };
		struct units_error err = { "" };

		TEST_U64(rows[i].text,
			 wire_compute(&rows[i].config, &frame, &err), -1ULL);
		TEST_CONTAINS(rows[i].text, err.text, rows[i].text);
		TEST_U64(rows[i].text, frame.payload_bytes, 7);
	}
}

static void loads(void)
{
	static const struct {
		const char *what;
		struct wire_datagrams datagrams;
		struct wire_load want;
	} rows[] = {
		{ "none", { 4, 0, 1500, 0, 0 }, { 0, 0, 0 } },
		{ "least frame", { 4, 0, 1500, 10, 10 * 18 },
		  { 10, 640, 840 } },
		{ "padding", { 4, 0, 1500, 10, 10 * 16 }, { 10, 640, 840 } },
		{ "a tag instead of padding", { 4, 1, 1500, 10, 10 * 16 },
		  { 10, 660, 860 } },
		{ "full MTU", { 4, 0, 1500, 1, 1472 }, { 1, 1518, 1538 } },
		{ "IPv6 and two tags", { 6, 2, 1500, 1, 1452 },
		  { 1, 1526, 1546 } },
		{ "a byte more is a fragment", { 4, 0, 1500, 1, 1473 },
		  { 2, 1518 + 64, 1518 + 64 + 40 } },
		{ "largest datagram", { 4, 0, 1500, 1, 65507 },
		  { 45, 44 * 1518 + 18 + 20 + 395, 44 * 1538 + 433 + 20 } },
		/* 1480 bytes fit, of MTU 1499 only 1472. */
		{ "two full fragments", { 4, 0, 1500, 1, 2 * 1480 - 8 },
		  { 2, 2 * 1518, 2 * 1538 } },
		{ "fragments of a multiple of 8", { 4, 0, 1499, 1, 2942 },
		  { 3, 2 * (18 + 20 + 1472) + 64,
		    2 * (18 + 20 + 1472) + 64 + 60 } },
		{ "fragments of IPv6", { 6, 0, 1500, 2, 2 * 2000 },
		  { 4, 2 * (18 + 48 + 1448 + 18 + 48 + 560),
		    2 * (18 + 48 + 1448 + 18 + 48 + 560) + 80 } },
		/* No fragment has less, but for the last: 8, 8 and 2 of 18 bytes. */
		{ "an MTU without room for 8 bytes", { 4, 0, 27, 1, 10 },
		  { 3, 3 * 64, 3 * 84 } },
		/* 7 of 60, 4 of 590 and one of 1514 without FCS. */
		{ "a mix", { 4, 0, 1500, 12, 7 * 18 + 4 * 548 + 1472 },
		  { 12, 7 * 64 + 4 * 594 + 1518, 4342 + 240 } },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct wire_load load;

		wire_load(&rows[i].datagrams, &load);
		TEST_U64(rows[i].what, load.frames, rows[i].want.frames);
		TEST_U64(rows[i].what, load.frame_bytes,
			 rows[i].want.frame_bytes);
		TEST_U64(rows[i].what, load.wire_bytes,
			 rows[i].want.wire_bytes);
	}
}

static const struct test_case cases[] = {
	{ "throughput by MTU as in the 2001 memo", memo_throughput },
	{ "MAC overhead as in the 2001 memo", memo_overhead },
	{ "frames per second", frame_rates },
	{ "bytes of a frame", frame_bytes },
	{ "rates at each layer", layers },
	{ "refusals", refusals },
	{ "what datagrams take on a link", loads },
};

TEST_MAIN(cases)
