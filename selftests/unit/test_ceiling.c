// SPDX-License-Identifier: GPL-2.0
/* The least of several limits, what a CPU permits, and what a window does. */
#include <math.h>

#include "../../tools/ceilings/ceiling.h"
#include "test.h"

static void binding(void)
{
	struct ceiling list[3] = { { .name = "a" }, { .name = "b" },
				   { .name = "c" } };

	ceiling_unknown(&list[0], "nobody tells");
	ceiling_unknown(&list[1], "nobody tells");
	ceiling_unknown(&list[2], "nobody tells");
	TEST_TRUE("none", ceiling_binding(list, 3) == CEILING_NONE);
	ceiling_set(&list[1], 2e9, "%d and %d", 1, 1);
	TEST_STRING("why", list[1].because, "1 and 1");
	TEST_U64("one", ceiling_binding(list, 3), 1);
	ceiling_set(&list[2], 1e9, "less");
	TEST_U64("the least", ceiling_binding(list, 3), 2);
	ceiling_set(&list[0], 1e9, "as little, and sooner");
	TEST_U64("the first of them", ceiling_binding(list, 3), 0);
}

/*
 * The memo of 2001, table 6: a CPU of 1 GHz, busy to 98 % at 990 Mb/s, would be
 * busy all the time at 1010.
 */
static void cpu(void)
{
	double cycles_per_byte = 0.98 * 1e9 / (990.061369e6 / 8);

	TEST_TRUE("rate", fabs(ceiling_cpu_bps(1e9, cycles_per_byte) / 1e6 -
			       1010.266703) < 1e-5);
}

#define KIB	1024ULL
#define MS	1000000ULL

/*
 * SLAC's memo on SC2003, "Results - measurement set 2": single streams at MTU
 * 9000, by window and round-trip time. Linux 2.4 announced three quarters of the
 * buffer: tcp_adv_win_scale was 2. Those that the window limits are predicted
 * within 3 %; the others, which hosts limit at 4.3 Gb/s, stay below.
 */
static void memo(void)
{
	static const struct {
		uint64_t window, rtt_ms;
		double mbps;
		bool limited;
	} rows[] = {
		{ 8192, 17, 2892, true }, { 8192, 17, 2899, true },
		{ 8192, 17, 2900, true }, { 8192, 65, 767, true },
		{ 16384, 65, 1530, true },
		{ 16384, 17, 4328, false }, { 32768, 17, 4293, false },
		{ 16384, 17, 4287, false }, { 32768, 17, 4343, false },
		{ 16384, 17, 4304, false }, { 32768, 17, 4314, false },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		uint64_t window = ceiling_window_share(rows[i].window * KIB, 2);
		double bps = ceiling_window_bps(window, rows[i].rtt_ms * MS);
		double ratio = rows[i].mbps * 1e6 / bps;

		if (rows[i].limited && fabs(ratio - 1) > 0.03)
			TEST_FAIL("%llu KB, %llu ms: %.1f Mb/s, and %.0f measured",
				  (unsigned long long)rows[i].window,
				  (unsigned long long)rows[i].rtt_ms, bps / 1e6,
				  rows[i].mbps);
		if (!rows[i].limited && ratio > 0.75)
			TEST_FAIL("%llu KB, %llu ms: %.1f Mb/s",
				  (unsigned long long)rows[i].window,
				  (unsigned long long)rows[i].rtt_ms,
				  bps / 1e6);
	}
}

/* "nominal optimum window ~ 20 MBytes", and "about 80 MBytes". */
static void needed(void)
{
	TEST_TRUE("17 ms", fabs(ceiling_window_needed(10e9, 17 * MS) -
				21.25e6) < 1);
	TEST_TRUE("65 ms", fabs(ceiling_window_needed(10e9, 65 * MS) -
				81.25e6) < 1);
	TEST_TRUE("back", fabs(ceiling_window_bps(21250000, 17 * MS) -
			       10e9) < 1);
}

/* Documentation/networking/ip-sysctl.rst of Linux 6.1, tcp_adv_win_scale. */
static void shares(void)
{
	static const struct {
		uint64_t buffer;
		int scale;
		uint64_t window;
	} rows[] = {
		{ 131072, 1, 65536 }, { 131072, 2, 98304 },
		{ 131072, 31, 131072 }, { 131072, 0, 131072 },
		{ 131072, -1, 65536 }, { 131072, -2, 32768 },
		{ 131071, 1, 65536 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		TEST_U64("window", ceiling_window_share(rows[i].buffer,
							rows[i].scale),
			 rows[i].window);
}

static const struct test_case cases[] = {
	{ "the least that is known binds", binding },
	{ "what the busiest CPU permits", cpu },
	{ "window-limited rows of the 2003 memo, within 3 %", memo },
	{ "window that a rate needs", needed },
	{ "what the kernel announces of a buffer", shares },
};

TEST_MAIN(cases)
