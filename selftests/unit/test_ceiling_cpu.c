// SPDX-License-Identifier: GPL-2.0
/* The limits of a session: what a CPU permits. */
#include <math.h>
#include <string.h>

#include "../../tools/result/ceilings.h"
#include "test.h"

#define SECOND	1000000000ULL
#define MS	1000000ULL
#define BYTES	100000000ULL

/* The limits by one CPU, which is read for 2 s of 2e9 cycles each. */
static struct ceilings limits(uint64_t idle_ns, bool idle_known,
			      uint64_t span_ns)
{
	struct client_cpu before = {
		.idle_known = idle_known, .time_ns = SECOND,
	};
	struct client_cpu after = {
		.idle_known = idle_known, .time_ns = 3 * SECOND,
		.cycles = 4 * SECOND, .idle_ns = idle_ns,
	};
	struct client_stream stream = { 0 };
	const struct session session = {
		.source = {
			.present = true,
			.begin = { .cpus = &before, .cpu_count = 1 },
			.last = {
				.cpus = &after, .cpu_count = 1,
				.streams = &stream, .stream_count = 1,
			},
		},
	};
	const struct ceilings_load load = {
		.goodput_bps = 1, .bytes = BYTES, .span_ns = span_ns,
	};
	const struct route route = { .device = "eth0" };
	struct ceilings found;

	ceilings_compute(&session, &route, &load, &found);
	return found;
}

/* What is asked for in @busy_ms of a CPU may take no more than the payload's time. */
static void cpu(void)
{
	static const char unknown[] =
		"the kernel does not tell how long CPUs were idle";
	static const char brief[] =
		"the run is too short for what a byte costs";
	static const struct {
		bool idle_known;
		unsigned int busy_ms, span_ms, byte_ms;
		const char *because;
	} rows[] = {
		{ false, 1000, 1500, 0, unknown },
		{ true, 0, 1500, 0, unknown },
		{ true, 1000, 1500, 1000, NULL },
		{ true, 1000, 1000, 1000, NULL },
		{ true, 1000, 800, 800, NULL },
		{ true, 1000, 500, 500, NULL },
		{ true, 1000, 499, 0, brief },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct ceilings found =
			limits((2000 - rows[i].busy_ms) * MS, rows[i].idle_known,
			       rows[i].span_ms * MS);
		const struct ceiling *limit = &found.limit[1];
		const double want = rows[i].byte_ms ?
				    BYTES * 8e3 / rows[i].byte_ms : 0;

		TEST_STRING("the limit", limit->name, "cpu");
		if (fabs(limit->bps - want) > want / 1e6)
			TEST_FAIL("row %zu: have %.15g, want %.15g", i,
				  limit->bps, want);
		if (rows[i].because)
			TEST_STRING("because", limit->because, rows[i].because);
	}
}

static const struct test_case cases[] = {
	{ "what a CPU permits", cpu },
};

TEST_MAIN(cases)
