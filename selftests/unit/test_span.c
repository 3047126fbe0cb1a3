// SPDX-License-Identifier: GPL-2.0
/* span: the time that a goodput is over, wherever an outage lies. */
#include "../../tools/analysis/measure.h"
#include "test.h"

#define SECOND	1000000000ULL
#define BEGUN	(100 * SECOND)

/* A source and a sink whose clocks have 2 cycles a nanosecond and differ by an hour. */
#define APART	(3600 * SECOND)

struct fixture {
	struct client_cpu cpus[2][2];
	struct client_stream streams[2][2];
	struct client_snapshot snapshots[2][2];
	struct span_facts facts;
};

/* Times are of the run: a source from @from to @to, a sink likewise. */
static void moved(struct fixture *of, int end, double from, double to)
{
	const uint64_t begun = BEGUN + end * APART;

	for (int i = 0; i < 2; i++) {
		of->streams[end][i].first_cycles = 2 * (begun + from * SECOND);
		of->streams[end][i].last_cycles = 2 * (begun + to * SECOND);
	}
}

static void set_up(struct fixture *to, bool udp)
{
	*to = (struct fixture) { .facts = { .udp = udp } };
	for (uint64_t end = 0; end < 2; end++) {
		const uint64_t begun = BEGUN + end * APART;

		for (uint64_t i = 0; i < 2; i++) {
			to->cpus[end][i] = (struct client_cpu) {
				.time_ns = begun + i * 20 * SECOND,
				.cycles = 2 * (begun + i * 20 * SECOND),
			};
			to->streams[end][i] = (struct client_stream) {
				.counters = { .bytes = 1000 },
				.tcp = { .bytes_acked = 1002, .state = 5 },
			};
			to->snapshots[end][i] = (struct client_snapshot) {
				.run = { .begun_ns = begun,
					 .ended_ns = begun + 6 * SECOND,
					 .reason = KTPUT_REASON_TIME },
				.cpus = &to->cpus[end][i], .cpu_count = 1,
				.streams = &to->streams[end][i],
				.stream_count = 1,
			};
		}
	}
	to->facts.source = (struct span_end) { &to->snapshots[0][0],
					       &to->snapshots[0][1] };
	to->facts.sink = (struct span_end) { &to->snapshots[1][0],
					     &to->snapshots[1][1] };
	moved(to, 0, 0, 6);
	moved(to, 1, 0, 6);
}

static uint64_t ms(const struct fixture *of)
{
	uint64_t ns = 0;

	return span_compute(&of->facts, &ns) ? ns / 1000000 : 0;
}

/* 3 of 6 s are lost: at the beginning, in the middle, at the end. */
static void outage(void)
{
	for (int udp = 0; udp < 2; udp++) {
		struct fixture fixture;

		set_up(&fixture, udp);
		TEST_U64("none", ms(&fixture), 6000);
		moved(&fixture, 1, 3, 6);
		TEST_U64("at the beginning", ms(&fixture), 6000);
		moved(&fixture, 1, 0, 3);
		TEST_U64("at the end", ms(&fixture), 6000);
		/* The source cannot send either. */
		moved(&fixture, 0, 0, 3);
		TEST_U64("at the end, at the source", ms(&fixture), 6000);
		/* A queue, or retransmissions. */
		moved(&fixture, 1, 0, 9.5);
		TEST_U64("and longer at the sink", ms(&fixture), 9500);
	}
}

/* What is sent one by one ends a gap before the run, and has n - 1 gaps. */
static void schedule(void)
{
	struct fixture fixture;

	set_up(&fixture, true);
	fixture.facts.gap_ns = SECOND / 10;
	moved(&fixture, 0, 0, 5.9);
	moved(&fixture, 1, 0, 5.9);
	TEST_U64("59 gaps", ms(&fixture), 5900);
	moved(&fixture, 0, 0, 5.95);
	TEST_U64("a late one", ms(&fixture), 5950);
	moved(&fixture, 0, 0, 3);
	moved(&fixture, 1, 0, 3);
	TEST_U64("an outage at the end", ms(&fixture), 5900);
	fixture.snapshots[0][1].run.reason = KTPUT_REASON_MESSAGES;
	TEST_U64("all were sent by then", ms(&fixture), 3000);
	fixture.snapshots[0][1].run.reason = KTPUT_REASON_BYTES;
	TEST_U64("likewise by bytes", ms(&fixture), 3000);
	fixture.snapshots[0][1].run.reason = KTPUT_REASON_STOPPED;
	fixture.snapshots[0][1].run.ended_ns = BEGUN + 4 * SECOND;
	TEST_U64("stopped", ms(&fixture), 3900);
	fixture.facts.sink = (struct span_end) { 0 };
	TEST_U64("source alone", ms(&fixture), 3900);
}

static void acknowledged(void)
{
	struct fixture fixture;
	struct client_stream *stream = &fixture.streams[0][1];

	set_up(&fixture, false);
	fixture.facts.sink = (struct span_end) { 0 };
	/* Sockets took all at 0.3 ms; the peer has acknowledged it at 8 s. */
	fixture.snapshots[0][1].run.reason = KTPUT_REASON_BYTES;
	fixture.snapshots[0][1].run.ended_ns = BEGUN + 300000;
	moved(&fixture, 0, 0, 8);
	TEST_U64("until its ACK", ms(&fixture), 8000);
	TEST_U64("all", measure_acknowledged(stream), 1000);
	/* Of some it never did: the latest was seen at 4 s. */
	stream->tcp.state = TCPINFO_FIN_WAIT1;
	stream->tcp.bytes_acked = 401;
	moved(&fixture, 0, 0, .0003);
	fixture.facts.acknowledged_ns = BEGUN + 4 * SECOND;
	TEST_U64("the last acknowledgment", ms(&fixture), 4000);
	TEST_U64("some", measure_acknowledged(stream), 400);
	fixture.snapshots[0][1].run.ended_ns = BEGUN + 6 * SECOND;
	fixture.snapshots[0][1].run.reason = KTPUT_REASON_TIME;
	TEST_U64("not before the source stopped", ms(&fixture), 6000);
	stream->tcp.bytes_acked = 0;
	TEST_U64("nothing", measure_acknowledged(stream), 0);
}

static void undrained(void)
{
	static const bool want[] = {
		[1] = true, [4] = true, [8] = true, [9] = true, [11] = true,
		[12] = false,
	};
	struct client_stream stream = { .counters = { .bytes = 1 } };

	for (uint32_t i = 0; i < sizeof(want); i++) {
		stream.tcp.state = i;
		TEST_U64("state", measure_undrained(&stream), want[i]);
	}
	stream.tcp.state = 1;
	stream.counters.bytes = 0;
	TEST_TRUE("nothing to drain", !measure_undrained(&stream));
}

static void sink_alone(void)
{
	struct fixture fixture;

	set_up(&fixture, true);
	fixture.facts.source = (struct span_end) { 0 };
	/* 100 kB in 70 us, and nothing in the 3 s thereafter. */
	moved(&fixture, 1, 3, 3.00007);
	TEST_U64("from the first", ms(&fixture), 3000);
	fixture.facts.timed = true;
	TEST_U64("as long as it was told", ms(&fixture), 6000);
	fixture.snapshots[1][1].run.reason = KTPUT_REASON_PEERS;
	TEST_U64("until the last peer went", ms(&fixture), 6000);
	fixture.snapshots[1][1].run.reason = KTPUT_REASON_MESSAGES;
	fixture.facts.timed = false;
	moved(&fixture, 1, 3, 4);
	TEST_U64("until it had all", ms(&fixture), 1000);
}

static void warm_up(void)
{
	struct fixture fixture;

	set_up(&fixture, false);
	fixture.facts.warmed_up = true;
	for (int end = 0; end < 2; end++) {
		fixture.cpus[end][0].time_ns += SECOND;
		fixture.cpus[end][0].cycles += 2 * SECOND;
	}
	TEST_U64("from its end", ms(&fixture), 5000);
	moved(&fixture, 1, 0, 3);
	TEST_U64("an outage at the end", ms(&fixture), 5000);
	moved(&fixture, 1, 3, 7);
	TEST_U64("an outage at the beginning", ms(&fixture), 6000);
	moved(&fixture, 1, 0, .5);
	TEST_U64("before it", ms(&fixture), 5000);
}

static void none(void)
{
	struct fixture fixture;

	set_up(&fixture, false);
	for (int end = 0; end < 2; end++)
		fixture.streams[end][1].last_cycles = 0;
	TEST_U64("no payload", ms(&fixture), 0);
}

static const struct test_case cases[] = {
	{ "an outage counts alike wherever it lies", outage },
	{ "the schedule of a source of datagrams", schedule },
	{ "a TCP source alone, until all is acknowledged", acknowledged },
	{ "states in which not all is acknowledged", undrained },
	{ "a sink alone", sink_alone },
	{ "after a warm-up", warm_up },
	{ "no payload", none },
};

TEST_MAIN(cases)
