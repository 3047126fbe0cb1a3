// SPDX-License-Identifier: GPL-2.0
/* arrivals: loss and its account from two snapshots. */
#include <math.h>

#include "../../tools/analysis/arrivals.h"
#include "test.h"

/* 1000 datagrams of 100 bytes on two streams, of which all arrive. */
struct fixture {
	struct client_cpu source_cpu, sink_cpu;
	struct client_stream source_streams[2], sink_streams[2];
	struct client_snapshot source, sink;
};

static const struct arrivals_terms plain = { .segments = 1 };

static void set_up(struct fixture *to)
{
	*to = (struct fixture) {
		.source_cpu.counters = { .messages = 1000, .bytes = 100000 },
		.sink_cpu.counters = { .messages = 1000, .bytes = 100000 },
		.source_streams = {
			{ .id = 0, .counters = { .messages = 600,
						 .bytes = 60000 } },
			{ .id = 1, .counters = { .messages = 400,
						 .bytes = 40000 } },
		},
		.sink_streams = {
			{ .id = 0, .counters = { .messages = 600,
						 .bytes = 60000 },
			  .datagrams = { .present = true, .received = 600,
					 .jitter_ns = 10, .delay_known = true,
					 .delay_min_ns = -5,
					 .delay_max_ns = 20,
					 .delay_sum_ns = 3000 } },
			{ .id = 1, .counters = { .messages = 400,
						 .bytes = 40000 },
			  .datagrams = { .present = true, .received = 400,
					 .jitter_ns = 30, .delay_known = true,
					 .delay_min_ns = 2,
					 .delay_max_ns = 50,
					 .delay_sum_ns = 7000 } },
		},
	};
	to->source = (struct client_snapshot) {
		.cpus = &to->source_cpu, .cpu_count = 1,
		.streams = to->source_streams, .stream_count = 2,
	};
	to->sink = (struct client_snapshot) {
		.cpus = &to->sink_cpu, .cpu_count = 1,
		.streams = to->sink_streams, .stream_count = 2,
	};
}

/* Takes datagrams from a stream of the sink and from its CPU. */
static void lose(struct fixture *from, int stream, uint64_t count)
{
	from->sink_streams[stream].counters.messages -= count;
	from->sink_streams[stream].counters.bytes -= count * 100;
	from->sink_streams[stream].datagrams.received -= count;
	from->sink_cpu.counters.messages -= count;
	from->sink_cpu.counters.bytes -= count * 100;
}

/* An hour between the clocks of two hosts, and more datagrams than that sum holds. */
static void far_clocks(void)
{
	const int64_t hour = 3600000000000;
	const uint64_t received = 4000000000;
	struct client_datagrams *datagrams;
	struct arrivals arrivals;
	struct fixture fixture;

	for (int sign = -1; sign <= 1; sign += 2) {
		set_up(&fixture);
		datagrams = &fixture.sink_streams[0].datagrams;
		fixture.sink.stream_count = 1;
		datagrams->received = received;
		datagrams->delay_min_ns = sign * hour + 10;
		datagrams->delay_max_ns = sign * hour + 50;
		/* Of each 20 above the hour. */
		datagrams->delay_sum_ns = received * (sign * hour + 20);
		arrivals_compute(NULL, &fixture.sink, &plain, &arrivals);
		TEST_TRUE("mean of a sum beyond 64 bits",
			  fabs(arrivals.delay_mean_ns -
			       (sign * hour + 20)) < 0.1);
	}
	datagrams->delay_max_ns = datagrams->delay_min_ns + 2 * hour;
	arrivals_compute(NULL, &fixture.sink, &plain, &arrivals);
	TEST_TRUE("no mean of what cannot be added up",
		  isnan(arrivals.delay_mean_ns));
}

static void sums(void)
{
	struct arrivals arrivals;
	struct fixture fixture;

	set_up(&fixture);
	arrivals_compute(&fixture.source, &fixture.sink, &plain, &arrivals);
	TEST_U64("sent", arrivals.sent, 1000);
	TEST_U64("received", arrivals.received, 1000);
	TEST_U64("lost", arrivals.lost, 0);
	TEST_TRUE("jitter", arrivals.jitter_ns == 20);
	TEST_TRUE("least delay", arrivals.delay_min_ns == -5);
	TEST_TRUE("greatest delay", arrivals.delay_max_ns == 50);
	TEST_TRUE("mean delay", arrivals.delay_mean_ns == 10);
	arrivals_compute(NULL, &fixture.sink, &plain, &arrivals);
	TEST_U64("without a source", arrivals.sent, 0);
	arrivals_compute(&fixture.source, NULL, &plain, &arrivals);
	TEST_U64("no sink, no loss", arrivals.lost, 0);
}

/* Each stream has some of all that is counted; the order does not matter. */
static void every_count(void)
{
	struct client_datagrams *one, *other;
	struct arrivals arrivals;
	struct fixture fixture;

	set_up(&fixture);
	one = &fixture.sink_streams[0].datagrams;
	other = &fixture.sink_streams[1].datagrams;
	one->reordered = 3;
	other->reordered = 4;
	one->late = 5;
	other->late = 6;
	one->foreign = 7;
	other->foreign = 8;
	one->drops = 9;
	other->drops = 10;
	fixture.source_streams[0].datagrams.refusals = 11;
	fixture.source_streams[1].datagrams.refusals = 12;
	fixture.source_streams[0].unreturned = 13;
	fixture.source_streams[1].unreturned = 14;
	fixture.source_streams[1].copied = true;
	fixture.source_streams[0].recycled = true;
	fixture.source_streams[1].recycled = true;
	fixture.source_streams[0].counters.busy = 15;
	fixture.source_streams[1].counters.stopped = 16;
	one->delay_max_ns = 60;
	other->delay_min_ns = -7;
	arrivals_compute(&fixture.source, &fixture.sink, &plain, &arrivals);
	TEST_U64("reordered", arrivals.reordered, 7);
	TEST_U64("late", arrivals.late, 11);
	TEST_U64("foreign", arrivals.foreign, 15);
	TEST_U64("socket drops", arrivals.socket_drops, 19);
	TEST_U64("refusals", arrivals.refusals, 23);
	TEST_U64("unreturned", arrivals.unreturned, 27);
	TEST_U64("copied", arrivals.copied, 1);
	TEST_U64("recycled", arrivals.recycled, 2);
	TEST_U64("busy", arrivals.busy, 15);
	TEST_U64("stopped", arrivals.stopped, 16);
	TEST_TRUE("greatest delay is the first's", arrivals.delay_max_ns == 60);
	TEST_TRUE("least delay is the second's", arrivals.delay_min_ns == -7);

	/* A stream without any has no jitter to say. */
	other->received = 0;
	other->jitter_ns = 0;
	arrivals_compute(&fixture.source, &fixture.sink, &plain, &arrivals);
	TEST_TRUE("jitter of one", arrivals.jitter_ns == 10);
}

static void losses(void)
{
	struct arrivals arrivals;
	struct fixture fixture;

	set_up(&fixture);
	lose(&fixture, 0, 7);
	fixture.sink_streams[0].datagrams.drops = 4;
	fixture.source_streams[1].counters.drops = 2;
	arrivals_compute(&fixture.source, &fixture.sink, &plain, &arrivals);
	TEST_U64("lost", arrivals.lost, 7);
	TEST_U64("at the socket", arrivals.socket_drops, 4);
	TEST_U64("at the source", arrivals.source_drops, 2);
	TEST_U64("on the way", arrivals.unaccounted, 1);

	/* One drop of a GRO packet stands for all its segments. */
	fixture.source_streams[1].counters.drops = 0;
	fixture.sink_streams[0].datagrams.drops = 1;
	arrivals_compute(&fixture.source, &fixture.sink,
			 &(struct arrivals_terms) { .segments = 8 }, &arrivals);
	TEST_U64("segments", arrivals.unaccounted, 0);

	/* What the source was told of is in the device's count as well. */
	fixture.sink_streams[0].datagrams.drops = 0;
	fixture.source_streams[1].counters.drops = 2;
	arrivals_compute(&fixture.source, &fixture.sink,
			 &(struct arrivals_terms) { .queue_drops = 5 },
			 &arrivals);
	TEST_U64("by devices alone", arrivals.device_drops, 3);
	TEST_U64("neither", arrivals.unaccounted, 2);

	/* What was dropped at once was never sent, and is not lost. */
	fixture.source_streams[1].counters.calls = 401;
	arrivals_compute(&fixture.source, &fixture.sink,
			 &(struct arrivals_terms) { .queue_drops = 5 },
			 &arrivals);
	TEST_U64("not among those sent", arrivals.source_refused, 1);
	TEST_U64("nor accounted twice", arrivals.unaccounted, 3);
	/* Frames that were given back are calls as well. */
	fixture.source_streams[1].counters.calls = 402;
	fixture.source_streams[1].counters.busy = 7;
	fixture.source_streams[1].counters.calls += 7;
	arrivals_compute(&fixture.source, &fixture.sink, &plain, &arrivals);
	TEST_U64("none of those sent", arrivals.source_refused, 2);
	TEST_U64("none accounted", arrivals.unaccounted, 7);
	fixture.source_streams[0].unreturned = 5;
	arrivals_compute(&fixture.source, &fixture.sink, &plain, &arrivals);
	TEST_U64("still on their way", arrivals.unaccounted, 2);
	fixture.source_streams[0].unreturned = 0;

	fixture.sink_streams[0].datagrams.lost = 5;
	fixture.sink_streams[1].datagrams.lost = 1;
	arrivals_compute(NULL, &fixture.sink, &plain, &arrivals);
	TEST_U64("by the sequence alone", arrivals.lost, 6);
}

static void doubles(void)
{
	struct arrivals arrivals;
	struct fixture fixture;

	set_up(&fixture);
	fixture.sink_streams[0].datagrams.duplicates = 30;
	arrivals_compute(&fixture.source, &fixture.sink, &plain, &arrivals);
	TEST_U64("duplicates hide no loss", arrivals.lost, 30);

	fixture.sink_streams[0].datagrams.duplicates = 998;
	arrivals_compute(&fixture.source, &fixture.sink,
			 &(struct arrivals_terms) { .reuse = true }, &arrivals);
	TEST_U64("frames that are all the same", arrivals.lost, 0);
}

/* Of 10 that are lost: what counters, reasons and devices have of them. */
static void accounts(void)
{
	static const struct {
		const char *what;
		struct arrivals_terms terms;
		uint64_t drops, devices, protocols, unaccounted, missing;
	} rows[] = {
		{ "nothing is known", { 0 }, 0, 0, 0, 10, 10 },
		{ "both devices of a pair have the same",
		  { .pair = true, .sent_drops = 4, .received_drops = 4 },
		  0, 4, 0, 6, 6 },
		{ "two devices have not", { .sent_drops = 4, .received_drops = 4 },
		  0, 8, 0, 2, 2 },
		{ "a filter at either end",
		  { .source_filter_drops = 2, .filter_drops = 3 }, 0, 5, 0, 5, 5 },
		{ "checksums at sockets are drops there",
		  { .protocols = { .udp_checksum_errors = 6 } }, 6, 0, 0, 4, 4 },
		{ "and before",
		  { .protocols = { .udp_checksum_errors = 9,
				   .udp_buffer_errors = 1 } }, 4, 0, 6, 0, 0 },
		{ "IP and ports",
		  { .protocols = { .ip_drops = 2, .udp_no_ports = 3 } },
		  0, 0, 5, 5, 5 },
		{ "reasons of the kernel", { .reasons = 7 }, 0, 0, 0, 3, 3 },
		{ "which have what counters have", { .reasons = 7 }, 8, 0, 0, 2, 2 },
		/* A firewall: all has come to the sink's device. */
		{ "behind the sink's device",
		  { .nothing_between = true, .received_known = true,
		    .received_packets = 1003 }, 0, 0, 0, 10, 0 },
		{ "some of it",
		  { .nothing_between = true, .received_known = true,
		    .received_packets = 996 }, 0, 0, 0, 10, 4 },
		{ "packets of several",
		  { .nothing_between = true, .received_known = true,
		    .sent_segments = 10, .received_packets = 99 },
		  0, 0, 0, 10, 10 },
		{ "the queue had dropped them",
		  { .nothing_between = true, .received_known = true,
		    .queue_drops = 10, .received_packets = 990 },
		  0, 10, 0, 0, 0 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct arrivals arrivals;
		struct fixture fixture;

		set_up(&fixture);
		lose(&fixture, 0, 10);
		fixture.sink_streams[0].datagrams.drops = rows[i].drops;
		arrivals_compute(&fixture.source, &fixture.sink, &rows[i].terms,
				 &arrivals);
		TEST_U64(rows[i].what, arrivals.lost, 10);
		TEST_U64(rows[i].what, arrivals.device_drops, rows[i].devices);
		TEST_U64(rows[i].what, arrivals.protocol_drops,
			 rows[i].protocols);
		TEST_U64(rows[i].what, arrivals.unaccounted,
			 rows[i].unaccounted);
		TEST_U64(rows[i].what, arrivals.missing_on_link,
			 rows[i].missing);
	}
}

static const struct test_case cases[] = {
	{ "accounts of what is lost", accounts },
	{ "sums over streams", sums },
	{ "delays between clocks that differ by an hour", far_clocks },
	{ "losses, and who accounts for them", losses },
	{ "every count of two streams", every_count },
	{ "duplicates", doubles },
};

TEST_MAIN(cases)
