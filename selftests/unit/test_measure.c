// SPDX-License-Identifier: GPL-2.0
/* measure: rates and elapsed time from snapshots. */
#include <math.h>

#include "../../tools/analysis/measure.h"
#include "test.h"

#define SECOND	1000000000ULL

/* Two CPUs with clocks of 2 and 3 cycles a nanosecond, a second apart. */
struct fixture {
	struct client_cpu cpus[2][2];
	struct client_stream streams[2][2];
	struct client_snapshot earlier, later;
};

static void set_up(struct fixture *to)
{
	*to = (struct fixture) {
		.cpus = {
			{ { .id = 0, .time_ns = SECOND, .cycles = 5000,
			    .idle_known = true },
			  { .id = 3, .time_ns = SECOND + 10, .cycles = 7000,
			    .idle_known = true } },
			{ { .id = 0, .time_ns = 2 * SECOND,
			    .cycles = 5000 + 2 * SECOND,
			    .idle_ns = SECOND / 4, .idle_known = true,
			    .counters = { .bytes = 700, .calls = 7 } },
			  { .id = 3, .time_ns = 2 * SECOND + 10,
			    .cycles = 7000 + 3 * SECOND,
			    .idle_ns = SECOND * 3 / 4, .idle_known = true,
			    .counters = { .bytes = 300, .calls = 3 } } },
		},
		.streams = {
			{ { .id = 0, .cpu = 0 }, { .id = 1, .cpu = 3 } },
			{ { .id = 0, .cpu = 0, .first_cycles = 5000 + SECOND,
			    .last_cycles = 5000 + SECOND * 3 / 2,
			    .counters = { .bytes = 700 },
			    .tcp = { .bytes_acked = 702, .rtt_us = 30,
				     .rtt_min_us = 9,
				     .retransmissions = 5 } },
			  { .id = 1, .cpu = 3,
			    .first_cycles = 7000 + SECOND * 3 / 10,
			    .last_cycles = 7000 + SECOND * 27 / 10,
			    .counters = { .bytes = 300 }, .copied = true,
			    .tcp = { .bytes_acked = 300, .rtt_us = 50,
				     .rtt_min_us = 7,
				     .retransmissions = 1 } } },
		},
	};
	to->streams[0][0].tcp.retransmissions = 2;
	to->earlier = (struct client_snapshot) {
		.cpus = to->cpus[0], .cpu_count = 2,
		.streams = to->streams[0], .stream_count = 2,
	};
	to->later = (struct client_snapshot) {
		.cpus = to->cpus[1], .cpu_count = 2,
		.streams = to->streams[1], .stream_count = 2,
	};
}

static void totals(void)
{
	struct client_counters total;
	struct fixture fixture;

	set_up(&fixture);
	total = measure_total(&fixture.later);
	TEST_U64("bytes of CPUs", total.bytes, 1000);
	TEST_U64("calls of CPUs", total.calls, 10);
	TEST_U64("bytes of streams",
		 measure_streams_total(&fixture.later).bytes, 1000);
	total = measure_difference(&total, &fixture.cpus[1][1].counters);
	TEST_U64("difference", total.bytes, 700);
	TEST_U64("no earlier", measure_difference(&total, NULL).bytes, 700);
}

#define COUNTERS	(sizeof(struct client_counters) / sizeof(uint64_t))

/* All that is in client_counters, by number. */
union all_counters {
	struct client_counters counters;
	uint64_t number[COUNTERS];
};

static void every_counter(void)
{
	union all_counters one, other, sum, rest;
	struct client_stream streams[2] = { 0 };
	struct client_cpu cpus[2] = { 0 };
	const struct client_snapshot snapshot = {
		.cpus = cpus, .cpu_count = 2,
		.streams = streams, .stream_count = 2,
	};
	char what[32];

	for (size_t i = 0; i < COUNTERS; i++) {
		one.number[i] = 100 + i;
		other.number[i] = 7000 + 10 * i;
	}
	cpus[0].counters = one.counters;
	cpus[1].counters = other.counters;
	sum.counters = measure_total(&snapshot);
	rest.counters = measure_difference(&sum.counters, &one.counters);
	for (size_t i = 0; i < COUNTERS; i++) {
		snprintf(what, sizeof(what), "counter %zu", i);
		TEST_U64(what, sum.number[i], 7100 + 11 * i);
		TEST_U64(what, rest.number[i], other.number[i]);
	}
	streams[0].counters = one.counters;
	streams[1].counters = other.counters;
	rest.counters = measure_streams_total(&snapshot);
	TEST_TRUE("of streams", !memcmp(&rest, &sum, sizeof(sum)));
}

static void busy(void)
{
	struct fixture fixture;
	struct measure_cpu cpu;

	set_up(&fixture);
	TEST_TRUE("CPU 0", measure_cpu(&fixture.earlier, &fixture.later, 0,
				       &cpu));
	TEST_U64("percent", llround(cpu.busy * 100), 75);
	TEST_U64("cycles", cpu.cycles, 2 * SECOND);
	TEST_U64("elapsed", cpu.elapsed_ns, SECOND);
	TEST_TRUE("no CPU 1", !measure_cpu(&fixture.earlier, &fixture.later,
					   1, &cpu));
	TEST_U64("mean percent", llround(100 *
		 measure_busy(&fixture.earlier, &fixture.later)), 50);

	/* The idle task had 0.3 of the time, then 0.05 less than the CPU was idle. */
	TEST_TRUE("no contexts", !cpu.contradiction);
	for (int i = 0; i < 2; i++)
		fixture.cpus[i][0].contexts.known[KTPUT_A_CONTEXTS_IDLE] =
			fixture.cpus[i][0].contexts.known[KTPUT_A_CONTEXTS_KERNEL] =
				true;
	fixture.cpus[1][0].contexts.cycles[KTPUT_A_CONTEXTS_IDLE] =
		2 * SECOND * 3 / 10;
	measure_cpu(&fixture.earlier, &fixture.later, 0, &cpu);
	TEST_U64("as idle as the CPU", cpu.contexts.cycles[KTPUT_A_CONTEXTS_IDLE],
		 2 * SECOND / 4);
	TEST_U64("the rest", cpu.contexts.cycles[KTPUT_A_CONTEXTS_KERNEL],
		 2 * SECOND / 20);
	TEST_TRUE("agree", !cpu.contradiction);
	fixture.cpus[1][0].contexts.cycles[KTPUT_A_CONTEXTS_IDLE] =
		2 * SECOND / 5;
	measure_cpu(&fixture.earlier, &fixture.later, 0, &cpu);
	TEST_U64("percent less", llround(cpu.contradiction * 100), 5);

	/* A reading of idle time that is later than that of the clock. */
	fixture.cpus[1][0].idle_ns = SECOND + 1000;
	measure_cpu(&fixture.earlier, &fixture.later, 0, &cpu);
	TEST_U64("not below 0", llround(cpu.busy * 100), 0);
	fixture.cpus[1][0].idle_known = false;
	measure_cpu(&fixture.earlier, &fixture.later, 0, &cpu);
	TEST_TRUE("not known", isnan(cpu.busy));
	/* A CPU that came online between the two. */
	fixture.earlier.cpu_count = 1;
	TEST_TRUE("CPU 3 is new", !measure_cpu(&fixture.earlier,
					       &fixture.later, 3, &cpu));
}

static void span(void)
{
	struct fixture fixture;
	uint64_t ns;

	set_up(&fixture);
	/* First on CPU 3 at 0.1 s, last there at 0.9 s. */
	TEST_TRUE("from the first", measure_span(&fixture.earlier,
						 &fixture.later, false, &ns));
	TEST_U64("from the first", ns, SECOND * 8 / 10);
	TEST_TRUE("after a warm-up", measure_span(&fixture.earlier,
						  &fixture.later, true, &ns));
	TEST_U64("after a warm-up", ns, SECOND * 9 / 10);

	/* The first stream begins first and ends last: from 0.1 s to 0.95 s. */
	fixture.streams[1][0].first_cycles = 5000 + SECOND / 5;
	fixture.streams[1][0].last_cycles = 5000 + SECOND * 19 / 10;
	fixture.streams[1][1].first_cycles = 7000 + SECOND * 6 / 10;
	TEST_TRUE("of the first", measure_span(&fixture.earlier,
					       &fixture.later, false, &ns));
	TEST_U64("of the first", ns, SECOND * 85 / 100);

	set_up(&fixture);
	fixture.streams[1][1].last_cycles = 0;
	TEST_TRUE("one stream", measure_span(&fixture.earlier, &fixture.later,
					     false, &ns));
	TEST_U64("one stream", ns, SECOND / 4);
	/* Both before the earlier snapshot. */
	fixture.streams[1][0].first_cycles = 1000;
	fixture.streams[1][0].last_cycles = 4000;
	TEST_TRUE("over before the warm-up was",
		  !measure_span(&fixture.earlier, &fixture.later, true, &ns));
	TEST_TRUE("before the first snapshot",
		  measure_span(&fixture.earlier, &fixture.later, false, &ns));
	TEST_U64("before the first snapshot", ns, 1500);
	fixture.streams[1][0].last_cycles = 0;
	TEST_TRUE("no payload",
		  !measure_span(&fixture.earlier, &fixture.later, false, &ns));
}

/* 700 bytes on CPU 0 in a second, 300 on CPU 3 in half of one. */
static void window(void)
{
	struct fixture fixture;

	set_up(&fixture);
	fixture.earlier.run = (struct client_run) {
		.begun_ns = SECOND / 2, .now_ns = SECOND,
	};
	fixture.cpus[1][1].time_ns = SECOND + 10 + SECOND / 2;
	TEST_U64("of an interval", llround(measure_window_ns(&fixture.earlier,
							     &fixture.later)),
		 SECOND * 85 / 100);
	/* The first begins with the run, not when its CPUs were read. */
	fixture.earlier.run.now_ns = SECOND / 2;
	TEST_U64("of the first", llround(measure_window_ns(&fixture.earlier,
							   &fixture.later)),
		 SECOND * 7 / 10 * 3 / 2 + (SECOND + 10) * 3 / 10);
	fixture.cpus[1][0].counters.bytes = 0;
	fixture.cpus[1][1].counters.bytes = 0;
	TEST_TRUE("without payload", isnan(measure_window_ns(&fixture.earlier,
							     &fixture.later)));
}

static void tcp(void)
{
	struct measure_tcp tcp;
	struct fixture fixture;

	set_up(&fixture);
	measure_tcp(&fixture.earlier, &fixture.later, &tcp);
	TEST_U64("retransmissions", tcp.retransmissions, 4);
	TEST_U64("round trip", tcp.rtt_us, 40);
	TEST_U64("least", tcp.rtt_min_us, 7);
	TEST_U64("copied", tcp.copied, 1);
	measure_tcp(NULL, &fixture.later, &tcp);
	TEST_U64("and before the first snapshot", tcp.retransmissions, 6);
	fixture.streams[1][1].tcp.rtt_min_us = 11;
	measure_tcp(&fixture.earlier, &fixture.later, &tcp);
	TEST_U64("least is the first", tcp.rtt_min_us, 9);
	fixture.later.stream_count = 0;
	measure_tcp(&fixture.earlier, &fixture.later, &tcp);
	TEST_U64("no streams", tcp.rtt_min_us, 0);
}

static const struct test_case cases[] = {
	{ "totals and differences", totals },
	{ "every counter in sums and differences", every_counter },
	{ "busy share", busy },
	{ "span from the clocks of several CPUs", span },
	{ "window of an interval", window },
	{ "TCP of several streams", tcp },
};

TEST_MAIN(cases)
