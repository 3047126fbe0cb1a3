// SPDX-License-Identifier: GPL-2.0
/* tcp_verdict: what held a stream back, from TCP_INFO. */
#include <math.h>

#include "../../tools/analysis/tcp_verdict.h"
#include "test.h"

/* Ten seconds of a stream over a round trip of 20 ms, busy all the time. */
static struct tcp_verdict_facts plain(void)
{
	return (struct tcp_verdict_facts) {
		.from = { .busy_us = 1000000, .retransmissions = 3,
			  .receive_window_limited_us = 500000,
			  .send_buffer_limited_us = 250000 },
		.to = { .busy_us = 11000000, .retransmissions = 10,
			.receive_window_limited_us = 500000,
			.send_buffer_limited_us = 250000,
			.send_window_bytes = 1000000, .rtt_us = 20000,
			.rtt_min_us = 16000, .send_mss_bytes = 1448,
			.congestion_window = 100 },
		.span_ns = 10000000000,
		.goodput_bps = 10e6,
		.source_busy = 0.5, .sink_busy = NAN,
	};
}

static struct tcp_verdict judged(const struct tcp_verdict_facts *facts,
				 enum tcp_verdict_kind kind, const char *text)
{
	struct tcp_verdict have;

	tcp_verdict(facts, &have);
	TEST_STRING("kind", tcp_verdict_name(have.kind),
		    tcp_verdict_name(kind));
	TEST_STRING("text", have.text, text);
	return have;
}

static void receive_window(void)
{
	struct tcp_verdict_facts facts = plain();
	struct tcp_verdict have;

	facts.to.receive_window_limited_us += 8200000;
	have = judged(&facts, TCP_VERDICT_RECEIVE_WINDOW,
		      "receive window limited 82% of the busy time: 1.00 MB a round trip of 20 ms give 400.00 Mb/s; raise the receive buffer");
	TEST_U64("busy", llround(have.busy_share * 100), 100);
	TEST_U64("limited", llround(have.receive_window_share * 100), 82);
	TEST_U64("window", llround(have.window_bps), 400000000);
	TEST_U64("not known", llround(have.wanted_window_bytes), 0);

	/* 10 Gb/s x 16 ms / 8 */
	facts.wanted_bps = 10e9;
	have = judged(&facts, TCP_VERDICT_RECEIVE_WINDOW,
		      "receive window limited 82% of the busy time: 1.00 MB a round trip of 20 ms give 400.00 Mb/s; raise the receive buffer for a window of 20.00 MB, which 10.00 Gb/s take");
	TEST_U64("product", llround(have.wanted_window_bytes), 20000000);
	facts.wanted_bps = 100e6;
	judged(&facts, TCP_VERDICT_RECEIVE_WINDOW,
	       "receive window limited 82% of the busy time: 1.00 MB a round trip of 20 ms give 400.00 Mb/s; the window is enough for 100.00 Mb/s, so that the receiver drains its socket too slowly");
	/* A kernel that does not tell the window. */
	facts.wanted_bps = 0;
	facts.to.send_window_bytes = 0;
	judged(&facts, TCP_VERDICT_RECEIVE_WINDOW,
	       "receive window limited 82% of the busy time; raise the receive buffer");
	facts.sink_busy = 0.99;
	judged(&facts, TCP_VERDICT_CPU,
	       "CPU limited: that of the sink was busy 99% of the time");
}

static void others(void)
{
	struct tcp_verdict_facts facts = plain();

	facts.to.send_buffer_limited_us += 6000000;
	judged(&facts, TCP_VERDICT_SEND_BUFFER,
	       "send buffer limited 60% of the busy time: all that it holds is under way; raise the send buffer");
	facts.wanted_bps = 1e9;
	judged(&facts, TCP_VERDICT_SEND_BUFFER,
	       "send buffer limited 60% of the busy time: all that it holds is under way; 1.00 Gb/s take 2.00 MB of payload in it");

	/* What the kernel did not notice: 30000 bytes in 20 ms are 12 Mb/s. */
	facts = plain();
	facts.send_buffer_bytes = 30000;
	judged(&facts, TCP_VERDICT_SEND_BUFFER,
	       "send buffer limited: 30.00 kB a round trip of 20 ms give 12.00 Mb/s; raise the send buffer");
	facts.send_buffer_bytes = 300000;
	judged(&facts, TCP_VERDICT_PATH,
	       "none of its limits most of the time: it waited 0% of the busy time for the receive window, 0% for the send buffer");

	/* 100 x 1448 bytes in 20 ms are 57.92 Mb/s. */
	facts = plain();
	facts.goodput_bps = 50e6;
	judged(&facts, TCP_VERDICT_CONGESTION_WINDOW,
	       "congestion window limited: 100 segments of 1448 bytes a round trip of 20 ms give 57.92 Mb/s; retransmissions 7");
	facts.goodput_bps = 90e6;
	judged(&facts, TCP_VERDICT_PATH,
	       "none of its limits most of the time: it waited 0% of the busy time for the receive window, 0% for the send buffer");
	facts.goodput_bps = 50e6;
	facts.pace_bps = 51e6;
	judged(&facts, TCP_VERDICT_PACE,
	       "paced: 51.00 Mb/s are what was asked for");
	/* A full link explains a full CPU, and not the other way round. */
	facts.pace_bps = 500e6;
	facts.source_busy = 1;
	facts.link = "Ethernet";
	facts.link_share = 1.0003;
	judged(&facts, TCP_VERDICT_LINK,
	       "limited by Ethernet: 100.03% of it is reached");
	facts.link = NULL;
	judged(&facts, TCP_VERDICT_CPU,
	       "CPU limited: that of the source was busy 100% of the time");
	facts.sink_busy = 0.96;
	judged(&facts, TCP_VERDICT_CPU,
	       "CPU limited: that of the source and that of the sink was busy 100% of the time");

	facts = plain();
	judged(&facts, TCP_VERDICT_PATH,
	       "none of its limits most of the time: it waited 0% of the busy time for the receive window, 0% for the send buffer");
	facts.to.busy_us = 3000000;
	judged(&facts, TCP_VERDICT_APPLICATION,
	       "application limited: nothing to send 80% of the time");
	facts.to.busy_us = 1040000;
	judged(&facts, TCP_VERDICT_UNKNOWN,
	       "no verdict: too short for the kernel's account of what TCP waits for");
}

/* Nothing is known: no division by zero, and nothing is claimed. */
static void nothing(void)
{
	const struct tcp_verdict_facts facts = {
		.source_busy = NAN, .sink_busy = NAN,
	};
	struct tcp_verdict have;

	tcp_verdict(&facts, &have);
	TEST_U64("kind", have.kind, TCP_VERDICT_UNKNOWN);
	TEST_TRUE("no shares", isnan(have.busy_share) &&
		  isnan(have.receive_window_share) &&
		  isnan(have.send_buffer_share));
	TEST_TRUE("no rates", isnan(have.window_bps) &&
		  isnan(have.congestion_window_bps));
}

/* A little below what decides, and at it. */
static void bounds(void)
{
	static const struct {
		double busy, sink_busy, pace, buffer, window_us, goodput;
		enum tcp_verdict_kind kind;
		bool crowded;
	} rows[] = {
		{ .busy = 0.94, .goodput = 10e6, .kind = TCP_VERDICT_PATH },
		{ .busy = 0.95, .goodput = 10e6, .kind = TCP_VERDICT_CPU },
		{ .sink_busy = 0.94, .goodput = 10e6,
		  .kind = TCP_VERDICT_PATH },
		{ .sink_busy = 0.95, .goodput = 10e6,
		  .kind = TCP_VERDICT_CPU },
		{ .pace = 20e6, .goodput = 18.9e6, .kind = TCP_VERDICT_PATH },
		{ .pace = 20e6, .goodput = 19.1e6, .kind = TCP_VERDICT_PACE },
		/* 40000 bytes in 20 ms are 16 Mb/s, of which 0.7 is 11.2. */
		{ .buffer = 40000, .goodput = 11.1e6,
		  .kind = TCP_VERDICT_PATH },
		{ .buffer = 40000, .goodput = 11.3e6,
		  .kind = TCP_VERDICT_SEND_BUFFER },
		{ .window_us = 4990000, .goodput = 10e6,
		  .kind = TCP_VERDICT_PATH },
		{ .window_us = 5000000, .goodput = 10e6,
		  .kind = TCP_VERDICT_RECEIVE_WINDOW },
		/* Other work makes any of them late, but not a pace. */
		{ .window_us = 5000000, .goodput = 10e6, .crowded = true,
		  .kind = TCP_VERDICT_OTHER_WORK },
		{ .pace = 20e6, .goodput = 19.1e6, .crowded = true,
		  .kind = TCP_VERDICT_PACE },
		/* Of 57.92 Mb/s 0.7 is 40.54. */
		{ .goodput = 40.5e6, .kind = TCP_VERDICT_PATH },
		{ .goodput = 40.6e6, .kind = TCP_VERDICT_CONGESTION_WINDOW },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct tcp_verdict_facts facts = plain();
		struct tcp_verdict have;
		char what[16];

		facts.source_busy = rows[i].busy;
		facts.sink_busy = rows[i].sink_busy;
		facts.pace_bps = rows[i].pace;
		facts.crowded = rows[i].crowded;
		facts.send_buffer_bytes = rows[i].buffer;
		facts.goodput_bps = rows[i].goodput;
		facts.to.receive_window_limited_us += rows[i].window_us;
		tcp_verdict(&facts, &have);
		snprintf(what, sizeof(what), "row %zu", i);
		TEST_STRING(what, tcp_verdict_name(have.kind),
			    tcp_verdict_name(rows[i].kind));
	}
}

static const struct test_case cases[] = {
	{ "what decides, and what is just below", bounds },
	{ "receive window", receive_window },
	{ "other limits", others },
	{ "nothing known", nothing },
};

TEST_MAIN(cases)
