// SPDX-License-Identifier: GPL-2.0
/* tcp_report: what ktput-ctl tells of TCP streams, one by one and all together. */
#include "../../tools/result/report.h"
#include "../../tools/result/tcp_report.h"
#include "result.h"

/*
 * Segments that were sent again are lost only if the sink has fewer than were sent, or had
 * some that were damaged.
 */
static void sent_in_vain(void)
{
	static const struct {
		uint64_t taken, damaged;
		bool lost;
	} rows[] = {
		{ 1000, 0, false },
		{ 950, 0, true },
		{ 1000, 200, true },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct fixture fixture;

		set_up(&fixture, false, OUTPUT_TEXT);
		fixture.session.warmup_ns = 0;
		for (int j = 0; j < SNAPSHOTS; j++) {
			struct tcpinfo *from = &fixture.streams[0][j][0].tcp;
			struct tcpinfo *to = &fixture.streams[1][j][0].tcp;

			from->retransmissions = 50 * j;
			from->segments_out = 1000 * j;
			to->segments_in = rows[i].taken * j;
			from->receive_window_limited_us = 0;
			from->send_buffer_limited_us = 0;
		}
		fixture.session.sink.protocols_begin.known = true;
		fixture.session.sink.protocols_last = (struct protocols) {
			.known = true, .tcp_checksum_errors = rows[i].damaged,
		};
		play(&fixture);
		TEST_TRUE(fixture.text, !strstr(fixture.text, "Bottleneck       loss") ==
			  !rows[i].lost);
		tear_down(&fixture);
	}
}

/* Streams in another order, and one that was not there; how many were undrained. */
static void streams(void)
{
	struct client_stream before[2] = { { .id = 7 }, { .id = 8 } };
	struct client_stream now[3] = { { .id = 8 }, { .id = 7 }, { .id = 9 } };
	const struct client_snapshot earlier = {
		.streams = before, .stream_count = 2,
	};
	struct fixture fixture;
	struct session *session = &fixture.session;

	for (int i = 0; i < 3; i++) {
		now[i].tcp.busy_us = 1000 * (i + 1);
		now[i].counters.bytes = 1000 * (i + 1);
		now[i].tcp.bytes_acked = 1001 * (i + 1) - 200;
		now[i].tcp.state = i < 2 ? TCPINFO_FIN_WAIT1 : 0;
	}
	before[0].tcp.busy_us = 200;
	before[1].tcp.busy_us = 30;
	set_up(&fixture, false, OUTPUT_JSON);
	session->source.last = (struct client_snapshot) {
		.streams = now, .stream_count = 3,
	};
	tcp_report_interval(session, &earlier);
	payload_print_unsent(session);
	TEST_U64("written", output_document_end(session->out), 0);
	fflush(fixture.file);
	fixture.json = json_tokener_parse(fixture.text);
	TEST_U64("the one that was second", number(fixture.json, "tcp.0.busy_us"), 970);
	TEST_U64("first", number(fixture.json, "tcp.1.busy_us"), 1800);
	TEST_U64("new", number(fixture.json, "tcp.2.busy_us"), 3000);
	TEST_U64("unsent", number(fixture.json, "unsent_bytes"), 200 + 199);
	tear_down(&fixture);

	set_up(&fixture, false, OUTPUT_TEXT);
	session->source.last = (struct client_snapshot) {
		.streams = now, .stream_count = 3,
	};
	payload_print_unsent(session);
	fflush(fixture.file);
	TEST_CONTAINS("of two", fixture.text, "of the 3.00 kB that");
	tear_down(&fixture);
}

static struct tcp_report_verdict
verdict_of(size_t count, const struct attribute_disturbance *disturbance)
{
	static const struct ceilings ceilings;
	struct client_stream begin[2], last[2];
	struct tcp_report_verdict most;
	struct fixture fixture;
	struct session *session = &fixture.session;

	set_up(&fixture, false, OUTPUT_JSON);
	session->source.begin = fixture.snapshots[0][1];
	session->source.last = fixture.snapshots[0][SNAPSHOTS - 1];
	for (size_t i = 0; i < count; i++) {
		begin[i] = session->source.begin.streams[0];
		last[i] = session->source.last.streams[0];
		begin[i].id = i;
		last[i].id = i;
		last[i].tcp.segments_out = begin[i].tcp.segments_out + 1000;
	}
	session->source.begin.streams = begin;
	session->source.last.streams = last;
	session->source.begin.stream_count = count;
	session->source.last.stream_count = count;
	tcp_report_print(session, &fixture.route, 3 * SECOND, &ceilings,
			 disturbance, &most);
	TEST_U64("written", output_document_end(session->out), 0);
	fflush(fixture.file);
	fixture.json = json_tokener_parse(fixture.text);
	TEST_U64("the last", number(fixture.json, count == 1 ? "tcp.0.id" : "tcp.1.id"),
		 count - 1);
	tear_down(&fixture);
	return most;
}

/* Means of two streams that are alike are those of one, and sums are twice as much. */
static void alike(void)
{
	static const struct { const char *what; size_t at; } means[] = {
		{ "window", offsetof(struct tcp_report_verdict, window_waits) },
		{ "send buffer", offsetof(struct tcp_report_verdict, send_buffer_waits) },
		{ "busy", offsetof(struct tcp_report_verdict, busy_share) },
		{ "congestion", offsetof(struct tcp_report_verdict, congestion_share) },
		{ "window's rate", offsetof(struct tcp_report_verdict, window_used) },
		{ "window's size", offsetof(struct tcp_report_verdict, window_bytes) },
		{ "rtt", offsetof(struct tcp_report_verdict, rtt_us) },
		{ "least rtt", offsetof(struct tcp_report_verdict, rtt_min_us) },
		{ "losses", offsetof(struct tcp_report_verdict, loss_used) },
		{ "sent again", offsetof(struct tcp_report_verdict, resent_share) },
	};
	static const struct attribute_disturbance none;
	const struct tcp_report_verdict one = verdict_of(1, &none);
	const struct tcp_report_verdict two = verdict_of(2, &none);

	TEST_U64("known", two.known, 2);
	TEST_U64("sent again", two.resent, 2 * one.resent);
	TEST_TRUE("something was", one.resent > 0);
	for (size_t i = 0; i < TEST_COUNT(means); i++) {
		double of_one = *(const double *)((const char *)&one + means[i].at);
		double of_two = *(const double *)((const char *)&two + means[i].at);

		TEST_TRUE(means[i].what, of_one > 0 &&
			  fabs(of_two - of_one) <= 1e-9 * of_one);
	}
}

/* What others have of a CPU that is full decides whose it is. */
static void crowded(void)
{
	static const struct {
		double own, foreign;
		bool others;
	} of[] = {
		{ .93, .07, false }, { .86, .14, true }, { .07, .93, true },
		{ .5, .3, false },
	};

	for (size_t i = 0; i < TEST_COUNT(of); i++) {
		const struct tcp_report_verdict most =
			verdict_of(1, &(struct attribute_disturbance) {
				.disturbed = true,
				.cpu = { .own = of[i].own, .foreign = of[i].foreign },
			});

		TEST_U64(most.text, !!strstr(most.text, "other work"), of[i].others);
	}
}

static const struct test_case cases[] = {
	{ "a CPU that others have a share of", crowded },
	{ "segments that were sent again, and had come", sent_in_vain },
	{ "streams by their number, and those that are undrained", streams },
	{ "two streams that are alike", alike },
};

TEST_MAIN(cases)
