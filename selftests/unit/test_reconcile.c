// SPDX-License-Identifier: GPL-2.0
/* reconcile: which counters contradict each other, and where. */
#include "../../tools/analysis/reconcile.h"
#include "test.h"

/* 1000 bytes in 10 datagrams on two streams, of which all arrive. */
struct fixture {
	struct client_cpu cpus[2];
	struct client_stream streams[2][2];
	struct client_snapshot source, sink;
	struct arrivals arrivals;
	struct reconcile_facts facts;
	struct reconcile result;
	struct units_error why;
};

static void set_up(struct fixture *to, bool udp)
{
	*to = (struct fixture) {
		.cpus = {
			{ .counters = { .messages = 10, .bytes = 1000 } },
			{ .counters = { .messages = 10, .bytes = 1000 } },
		},
		.streams = {
			{ { .id = 4, .counters = { .messages = 7,
						   .bytes = 700 },
			    .tcp = { .bytes_acked = 702, .bytes_sent = 900,
				     .bytes_retransmitted = 200 } },
			  { .id = 5, .counters = { .messages = 3,
						   .bytes = 300 },
			    .tcp = { .bytes_acked = 300,
				     .bytes_sent = 300 } } },
			{ { .id = 0, .counters = { .messages = 7,
						   .bytes = 700 },
			    .tcp = { .bytes_received = 701 } },
			  { .id = 1, .counters = { .messages = 3,
						   .bytes = 300 },
			    .tcp = { .bytes_received = 300 } } },
		},
		.arrivals = { .sent = 10, .received = 10 },
		.facts = {
			.nothing_between = true,
			.source_device = {
				.name = "eth0", .certain = true,
				.counters = { .known = true,
					      .sent_packets = 12,
					      .sent_bytes = 1400 },
			},
			.sink_device = {
				.name = "eth1", .certain = true,
				.counters = { .known = true,
					      .received_packets = 12,
					      .received_bytes = 1400 },
			},
		},
	};
	to->source = (struct client_snapshot) {
		.cpus = &to->cpus[0], .cpu_count = 1,
		.streams = to->streams[0], .stream_count = 2,
	};
	to->sink = (struct client_snapshot) {
		.cpus = &to->cpus[1], .cpu_count = 1,
		.streams = to->streams[1], .stream_count = 2,
	};
	to->facts.source = &to->source;
	to->facts.sink = &to->sink;
	if (udp)
		to->facts.arrivals = &to->arrivals;
}

/* The first sentence, or none; how many compared go to @count. */
static const char *first(struct fixture *fixture, uint64_t count)
{
	reconcile_compute(&fixture->facts, &fixture->result);
	TEST_U64("comparisons", fixture->result.count, count);
	if (reconcile_agrees(&fixture->result, &fixture->why))
		return "";
	return fixture->why.text;
}

static void tcp(void)
{
	struct fixture fixture;

	set_up(&fixture, false);
	TEST_STRING("agree", first(&fixture, 8), "");
	TEST_U64("without SYN and FIN", fixture.result.items[1].counted, 1000);

	fixture.facts.sink = NULL;
	TEST_STRING("source alone", first(&fixture, 4), "");
	fixture.streams[0][1].tcp.bytes_acked = 299;
	TEST_STRING("not acknowledged", first(&fixture, 4),
		    "source, stream 5: the source sent 300 bytes, TCP has acknowledgements for 299");
	fixture.streams[0][1].tcp.bytes_acked = 303;
	TEST_STRING("too much acknowledged", first(&fixture, 4),
		    "source, stream 5: the source sent 300 bytes, TCP has acknowledgements for 303");

	set_up(&fixture, false);
	fixture.streams[0][0].tcp.bytes_retransmitted = 201;
	TEST_STRING("sent again what was never sent", first(&fixture, 8),
		    "source, stream 4: the source sent 700 bytes, TCP 699");
	fixture.streams[0][0].tcp.bytes_retransmitted = 100;
	TEST_STRING("sent twice", first(&fixture, 8), "");
	fixture.cpus[0].counters.bytes++;
	TEST_STRING("source's CPUs", first(&fixture, 8),
		    "source: the streams count 1000 bytes, the CPUs 1001");
}

/* The kernel tells counters of a subflow, which are not those of the connection. */
static void mptcp(void)
{
	struct fixture fixture;

	set_up(&fixture, false);
	fixture.streams[0][1].tcp.bytes_acked = 0;
	fixture.streams[0][1].tcp.bytes_sent = 0;
	fixture.source.run.mptcp = true;
	TEST_STRING("at the source", first(&fixture, 6), "");
	fixture.streams[1][1].tcp.bytes_received = 0;
	TEST_STRING("not at the sink", first(&fixture, 6),
		    "sink, stream 1: the sink received 300 bytes, TCP 0");
	fixture.sink.run.mptcp = true;
	TEST_STRING("at both", first(&fixture, 5), "");
	fixture.cpus[0].counters.bytes++;
	TEST_STRING("what is counted here", first(&fixture, 5),
		    "source: the streams count 1000 bytes, the CPUs 1001");
}

/* What a socket held at the end contradicts nothing. */
static void undrained(void)
{
	struct fixture fixture;
	struct client_stream *source = fixture.streams[0];
	struct client_stream *sink = fixture.streams[1];

	set_up(&fixture, false);
	source[0].tcp.state = TCPINFO_FIN_WAIT1;
	source[0].tcp.bytes_acked = 401;
	source[0].tcp.bytes_sent = 450;
	source[0].tcp.bytes_retransmitted = 50;
	sink[0].counters.bytes = 400;
	sink[0].tcp.bytes_received = 400;
	fixture.cpus[1].counters.bytes = 700;
	fixture.facts.source_device.counters.sent_bytes = 700;
	fixture.facts.sink_device.counters.received_bytes = 700;
	TEST_STRING("agree", first(&fixture, 8), "");
	/* The reset came before the last 7 bytes were read. */
	sink[0].tcp.bytes_received = 407;
	TEST_STRING("unread", first(&fixture, 8), "");
	sink[0].tcp.bytes_received = 399;
	TEST_STRING("read, not received", first(&fixture, 8),
		    "sink, stream 0: the sink received 400 bytes, TCP 399");
	sink[0].tcp.bytes_received = 400;
	source[0].tcp.bytes_sent = 449;
	TEST_STRING("acknowledged, not sent", first(&fixture, 8),
		    "source, stream 4: the source sent 400 bytes, TCP 399");
	source[0].tcp.bytes_sent = 450;
	fixture.facts.source_device.counters.sent_bytes = 699;
	TEST_STRING("acknowledged, not at the device", first(&fixture, 8),
		    "source, eth0: the source sent 700 bytes, its device 699");
	source[0].tcp.bytes_acked = 703;
	TEST_STRING("more than was sent", first(&fixture, 8),
		    "source, stream 4: the source sent 700 bytes, TCP has acknowledgements for 703");
}

static void tcp_sink(void)
{
	struct fixture fixture;

	set_up(&fixture, false);
	fixture.streams[1][0].counters.bytes--;
	TEST_STRING("sink's CPUs", first(&fixture, 8),
		    "sink: the streams count 999 bytes, the CPUs 1000");
	fixture.cpus[1].counters.bytes--;
	TEST_STRING("one byte less than TCP", first(&fixture, 8),
		    "sink, stream 0: the sink received 699 bytes, TCP 701");
	fixture.streams[1][0].tcp.bytes_received--;
	TEST_STRING("one byte lost", first(&fixture, 8),
		    "source to sink: the source sent 1000 bytes, the sink received 999");

	/* Alone it may leave something unread, and serve more peers. */
	set_up(&fixture, false);
	fixture.facts.source = NULL;
	fixture.streams[1][1].tcp.bytes_received = 5000;
	TEST_STRING("unread", first(&fixture, 3), "");
	fixture.cpus[1].counters.bytes = 3000;
	TEST_STRING("not more peers", first(&fixture, 3),
		    "sink: the streams count 1000 bytes, the CPUs 3000");
	fixture.sink.run.accepted = 3;
	TEST_STRING("more peers", first(&fixture, 3), "");
	fixture.streams[1][1].tcp.bytes_received = 299;
	TEST_STRING("more than TCP", first(&fixture, 3),
		    "sink, stream 1: the sink received 300 bytes, TCP 299");
}

static void of_datagrams(void)
{
	struct fixture fixture;

	set_up(&fixture, true);
	TEST_STRING("agree", first(&fixture, 9), "");
	fixture.cpus[0].counters.messages++;
	TEST_STRING("source's CPUs", first(&fixture, 9),
		    "source: the streams count 10 datagrams, the CPUs 11");

	set_up(&fixture, true);
	fixture.arrivals.received = 13;
	fixture.arrivals.duplicates = 2;
	fixture.facts.sink_device.certain = false;
	TEST_STRING("more than were sent", first(&fixture, 7),
		    "source to sink: the source sent 10 datagrams, the sink received different 11");
	fixture.arrivals.late = 1;
	TEST_STRING("which may be again", first(&fixture, 7), "");
}

static void losses(void)
{
	struct fixture fixture;

	set_up(&fixture, true);
	fixture.arrivals.received = 7;
	fixture.arrivals.lost = 3;
	TEST_STRING("that somebody dropped", first(&fixture, 9), "");
	fixture.arrivals.unaccounted = 2;
	TEST_STRING("that nobody counts, behind the sink's device",
		    first(&fixture, 9), "");
	fixture.arrivals.missing_on_link = 1;
	TEST_STRING("on the way", first(&fixture, 9),
		    "source to sink: there are lost 3 datagrams, counts of drops, and what is behind the sink's device, have 2");
	fixture.facts.source_device.counters.sent_packets = 8;
	TEST_STRING("before the way", first(&fixture, 9),
		    "before the source's device: there are lost 3 datagrams, counts of drops, and what is behind the sink's device, have 2");
	fixture.facts.source_device.counters.ingress_drops = 2;
	fixture.arrivals.missing_on_link = 0;
	TEST_STRING("in a filter", first(&fixture, 9), "");
	fixture.facts.source_device.counters.ingress_drops = 0;
	fixture.facts.reasons = 2;
	TEST_STRING("for a reason", first(&fixture, 9), "");
	fixture.facts.reasons = 0;
	fixture.arrivals.missing_on_link = 1;
	fixture.facts.nothing_between = false;
	TEST_STRING("by a network", first(&fixture, 8),
		    "source, eth0: the source sent 10 packets, its device 8");
	fixture.facts.source_device.counters.queue_drops = 2;
	TEST_STRING("dropped before", first(&fixture, 8), "");
	/* Which are not among the 10. */
	fixture.arrivals.source_refused = 1;
	TEST_STRING("dropped when it was offered", first(&fixture, 8),
		    "source, eth0: the source sent 9 packets, its device 8");
	fixture.facts.source_device.counters.sent_drops = 1;
	TEST_STRING("dropped by either", first(&fixture, 8), "");
	fixture.facts.source_device.counters.queue_drops = 1;
	TEST_STRING("one fewer", first(&fixture, 8),
		    "source, eth0: the source sent 9 packets, its device 8");
	fixture.arrivals.unreturned = 1;
	TEST_STRING("the driver has one yet", first(&fixture, 8), "");
	fixture.arrivals.unreturned = 0;
	fixture.arrivals.source_refused = 3;
	TEST_STRING("and not counted by the device", first(&fixture, 8),
		    "source, eth0: the source sent 10 packets, its device 8");
	fixture.facts.source_device.counters.received_drops = 2;
	TEST_STRING("dropped by its other half", first(&fixture, 8),
		    "source, eth0: the source sent 10 packets, its device 8");
	fixture.facts.source_device.counters.loopback = true;
	TEST_STRING("dropped by the backlog", first(&fixture, 8), "");
	fixture.facts.source_device.counters.received_drops = 1;
	TEST_STRING("dropped by the backlog, but for one", first(&fixture, 8),
		    "source, eth0: the source sent 9 packets, its device 8");
}

static void by_devices(void)
{
	struct fixture fixture;

	set_up(&fixture, false);
	fixture.facts.source_device.counters.sent_bytes = 999;
	TEST_STRING("source's device", first(&fixture, 8),
		    "source, eth0: the source sent 1000 bytes, its device 999");
	fixture.facts.source_device.certain = false;
	fixture.facts.sink_device.counters.received_bytes = 999;
	TEST_STRING("sink's device", first(&fixture, 7),
		    "sink, eth1: the sink received 1000 bytes, its device 999");
	fixture.facts.sink_device.counters.known = false;
	TEST_STRING("not known", first(&fixture, 6), "");

	set_up(&fixture, true);
	fixture.facts.sink_device.counters.received_packets = 9;
	TEST_STRING("packets", first(&fixture, 9),
		    "sink, eth1: the sink received 10 packets, its device 9");
	/* 4, 4 and 2 datagrams. */
	fixture.facts.segments = 4;
	fixture.facts.source_device.counters.sent_packets = 3;
	TEST_STRING("several as one", first(&fixture, 8), "");
	fixture.facts.source_device.counters.sent_packets = 2;
	TEST_STRING("several as one", first(&fixture, 8),
		    "source, eth0: the source sent 3 packets, its device 2");
	reconcile_devices(&fixture.facts, &fixture.result);
	TEST_U64("devices alone", fixture.result.count, 2);
}

static const struct test_case cases[] = {
	{ "TCP, from the source", tcp },
	{ "TCP, not drained", undrained },
	{ "TCP, at the sink", tcp_sink },
	{ "MPTCP", mptcp },
	{ "datagrams", of_datagrams },
	{ "datagrams that are lost", losses },
	{ "devices", by_devices },
};

TEST_MAIN(cases)
