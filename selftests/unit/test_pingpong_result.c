// SPDX-License-Identifier: GPL-2.0
/* pingpong_result: what ktput-ctl prints of round trips that are known, by hand. */
#include "result.h"

/*
 * Of 100 round trips 99 take 1000 ns, in the bucket of 1000 to 1007 whose middle
 * they are told by, and one 2^20.
 */
static void pingpong(void)
{
	static const struct figure want[] = {
		{ "intervals.1.round_trips", 25 },
		{ "intervals.1.round_trips_per_s", 25 },
		{ "intervals.1.timeouts", 2 },
		{ "intervals.3.latency_p50_ns", 1003 },
		{ "intervals.0.sink.streams.0.cpu", 1 },
		{ "intervals.0.source.streams.0.cpu", 0 },
		{ "result.latency_ns.p50_ci_low", 1000 },
		{ "result.latency_ns.p50_ci_high", 1007 },
		{ "result.round_trips", 100 },
		{ "result.span_ns", 4 * SECOND },
		{ "result.round_trips_per_s", 25 },
		{ "result.latency_ns.count", 100 },
		{ "result.latency_ns.min", 1000 },
		{ "result.latency_ns.max", 1048576 },
		{ "result.latency_ns.mean", (99 * 1000 + 1048576) / 100.0 },
		{ "result.latency_ns.p90", 1003 },
		{ "result.histogram.0.count", 99 },
		{ "result.histogram.1.count", 1 },
		{ "result.timeouts", 8 },
		{ "result.late_responses", 4 },
		{ "result.cpus.0.busy_share", 0.75 },
		/* 8e9 cycles in four seconds. */
		{ "result.cpus.0.busy_cycles_per_round_trip", 6e7 },
		{ "result.cpus.0.source_cycles_per_round_trip", 4.8e7 },
		{ "result.cpus.0.sink_cycles_per_round_trip", 0 },
		{ "result.cpus.1.sink_cycles_per_round_trip", 1.8e7 },
		{ "result.busy_cycles_per_round_trip", 9.2e7 },
		{ "result.valid", 1 },
	};
	static const char *const text[] = {
		"Round trips      100 in 4.000000 s: 25/s\n",
		"Latency          1.00 us min, 11.48 us mean, 1048.58 us max\n",
		"                 50% 1.00 us (1.00 to 1.01 us)\n"
		"                 90% 1.00 us (1.00 to 1.01 us)\n"
		"                 99% and above: not known from 100 round trips\n",
		"Given up         8 requests, 4 late responses\n",
		/* All columns of an interval: the last has the long one. */
		"    2.00-3.00         25        25       1.00       1.00          -         2\n",
		"    3.00-4.00         25        25      42.90       1.00          -         2\n",
		"Busy cycles      92000000 per round trip, all CPUs together\n",
	};
	static const enum output_form forms[] = { OUTPUT_JSON, OUTPUT_TEXT };
	static struct histogram latency[SNAPSHOTS];

	for (size_t i = 0; i < TEST_COUNT(forms); i++) {
		struct fixture fixture;

		set_up(&fixture, false, forms[i]);
		make_pingpong(&fixture);
		fixture.session.warmup_ns = 0;
		for (int j = 0; j < SNAPSHOTS; j++) {
			histogram_init(&latency[j]);
			for (int trip = 0; trip < 25 * j; trip++)
				histogram_add(&latency[j], trip == 99 ?
					      1048576 : 1000);
			latency[j].timeouts = 2 * j;
			latency[j].late = j;
			fixture.cpus[0][j][0].counters.messages = 25 * j;
			fixture.cpus[1][j][1].counters.messages = 25 * j;
			fixture.streams[0][j][0].counters.messages = 25 * j;
			fixture.snapshots[0][j].latency = &latency[j];
		}
		check(&fixture, forms[i], want, TEST_COUNT(want), text,
		      TEST_COUNT(text));
	}
}

/* @trips round trips in each second, of @ns, which both ends count. */
static void make_trips(struct fixture *of, int trips, uint64_t ns)
{
	static struct histogram latency[SNAPSHOTS];

	make_pingpong(of);
	of->session.warmup_ns = 0;
	for (int j = 0; j < SNAPSHOTS; j++) {
		histogram_init(&latency[j]);
		for (int trip = 0; trip < trips * j; trip++)
			histogram_add(&latency[j], ns);
		of->snapshots[0][j].latency = &latency[j];
		of->streams[0][j][0].tcp.retransmissions = 0;
		of->streams[0][j][0].counters.messages = trips * j;
		for (int end = 0; end < 2; end++)
			of->cpus[end][j][end].counters.messages = trips * j;
	}
}

/* Wake-ups of both ends: of a round trip one of the source and two of the sink. */
static void woken(void)
{
	struct fixture fixture;

	set_up(&fixture, false, OUTPUT_TEXT);
	make_trips(&fixture, 25, 40000000);
	for (int j = 0; j < SNAPSHOTS; j++) {
		fixture.streams[0][j][0].tcp.rtt_min_us = 1;
		for (int end = 0; end < 2; end++)
			fixture.cpus[end][j][end].counters =
				(struct client_counters) {
				.messages = 25 * j, .calls = 50 * j,
				.wake_ups = 25 * (end + 1) * j,
				.call_cycles = j * 1000000,
			};
	}
	play(&fixture);
	TEST_CONTAINS("of both", fixture.text, "3.0 threads are woken");
	tear_down(&fixture);
}

/* The run's own work, of both CPUs, is a part of a round trip: 1.13 s of 25 of them. */
static void worked(void)
{
	struct fixture fixture;

	set_up(&fixture, false, OUTPUT_TEXT);
	make_trips(&fixture, 25, 56500000);
	add_contexts(&fixture, false);
	play(&fixture);
	TEST_CONTAINS("its own", fixture.text,
		      "CPU work: 80% of the round trip of 56500.00 us");
	tear_down(&fixture);
}

/* The default screen has room for three lines of percentiles, however many are known. */
static void screen(void)
{
	static const struct {
		int trips;
		const char *last;
	} of[] = {
		{ 25, "99% and above: not known from 100 round trips" },
		{ 250, "99.9% and above: not known from 1000 round trips" },
		{ 5000, "99.9% " },
		{ 50000, "99.99% " },
	};

	for (size_t i = 0; i < TEST_COUNT(of); i++) {
		static const char indent[] = "\n                 ";
		struct fixture fixture;
		const char *at, *last = "";
		int lines = 0;

		set_up(&fixture, false, OUTPUT_TEXT);
		fixture.context.statistics = false;
		make_trips(&fixture, of[i].trips, 40000);
		play(&fixture);
		at = strstr(fixture.text, "\nLatency ");
		TEST_TRUE("the latency", at);
		for (at = strchr(at + 1, '\n'); strncmp(at, indent, strlen(indent)) == 0;
		     at = strchr(at + 1, '\n')) {
			last = at + strlen(indent);
			if (!lines++)
				TEST_TRUE("the median", !strncmp(last, "50", 2));
		}
		TEST_U64("lines", lines, 3);
		TEST_TRUE("the highest", !strncmp(last, of[i].last, strlen(of[i].last)));
		tear_down(&fixture);
	}
}

static const struct test_case cases[] = {
	{ "round trips", pingpong },
	{ "percentiles of a screen", screen },
	{ "threads that a round trip wakes", woken },
	{ "the run's own work in a round trip", worked },
};

TEST_MAIN(cases)
