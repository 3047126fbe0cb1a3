// SPDX-License-Identifier: GPL-2.0
/* peers of a sink: each visit is told once, when it is over, with what was its own. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/base/json.h"
#include "../../tools/result/report.h"
#include "test.h"

#define SECOND	1000000000ULL
/* A CPU has two cycles in each nanosecond from then on. */
#define BEGIN	(5 * SECOND)
#define SILENCE	(2 * SECOND)
#define STREAMS	3

/* A connection, or a port of datagrams, by its place among those of its peer. */
struct row {
	const char *address;
	uint32_t id;
	bool over;
	/* From the begin on. */
	uint64_t first_ns, last_ns;
	uint64_t bytes, messages, lost;
};

/* What is printed at a look, for each visit that is over. */
struct visit {
	const char *address;
	double connections, bytes, messages, span_ns, lost;
};

static struct visit kept[8];
static char addresses[8][64];
static size_t count;

static void keep(struct json_object *document, void *data)
{
	struct json_object *peer = json_at(document, "peer");

	(void)data;
	snprintf(addresses[count], sizeof(addresses[count]), "%s", json_text(peer, "address"));
	kept[count] = (struct visit) {
		.address = addresses[count],
		.connections = json_number(peer, "connections"),
		.bytes = json_number(peer, "bytes"),
		.messages = json_number(peer, "packets"),
		.span_ns = json_number(peer, "span_ns"),
		.lost = json_number(peer, "lost_datagrams"),
	};
	TEST_TRUE("rate", fabs(json_number(peer, "goodput_bps") * kept[count].span_ns /
			       (kept[count].bytes * 8e9) - 1) < 1e-9);
	count++;
}

static void set(struct session *session, const struct row *rows, size_t rows_count,
		uint64_t now_ns)
{
	struct client_snapshot *last = &session->sink.last;
	struct units_error err;

	last->run.now_ns = now_ns;
	last->cpus[0].time_ns = now_ns;
	last->cpus[0].cycles = 2 * now_ns;
	last->stream_count = session->udp ? 0 : rows_count;
	last->peer_count = session->udp ? rows_count : 0;
	for (size_t i = 0; i < rows_count; i++) {
		struct client_stream *stream = &last->streams[i];
		struct client_peer *peer = &last->peers[i];

		*stream = (struct client_stream) {
			.id = rows[i].id, .cpu = 4,
			.state = rows[i].over ? KTPUT_STATE_ENDED : KTPUT_STATE_RUNNING,
			.first_cycles = 2 * (BEGIN + rows[i].first_ns),
			.last_cycles = 2 * (BEGIN + rows[i].last_ns),
			.counters = { .bytes = rows[i].bytes, .messages = rows[i].messages },
		};
		*peer = (struct client_peer) {
			.id = rows[i].id / STREAMS, .stream = rows[i].id % STREAMS,
			.first_ns = BEGIN + rows[i].first_ns,
			.last_ns = BEGIN + rows[i].last_ns, .bytes = rows[i].bytes,
			.datagrams = rows[i].messages, .lost = rows[i].lost,
		};
		address_parse(rows[i].address, AF_UNSPEC, &stream->remote, &err);
		peer->remote = stream->remote;
	}
}

static void expect(const char *what, const struct visit *want, size_t want_count)
{
	TEST_U64(what, count, want_count);
	for (size_t i = 0; i < count && i < want_count; i++) {
		TEST_STRING(what, kept[i].address, want[i].address);
		TEST_TRUE(what, kept[i].connections == want[i].connections);
		TEST_TRUE(what, kept[i].bytes == want[i].bytes);
		TEST_TRUE(what, fabs(kept[i].span_ns - want[i].span_ns) <= 2);
		if (isnan(want[i].lost))
			continue;
		TEST_TRUE(what, kept[i].messages == want[i].messages);
		TEST_TRUE(what, kept[i].lost == want[i].lost);
	}
	count = 0;
}

static void check(bool udp)
{
	/* Two of one address at a time, one that stays, and one whose number is great. */
	static const struct row first[] = {
		{ "192.0.2.1", 2, true, 1000, 501000, 100, 10, 1 },
		{ "192.0.2.2", 0, false, 2000, 3 * SECOND, 7000, 70, 0 },
		{ "192.0.2.1", 1, true, 500, 400500, 3000, 30, 2 },
		{ "2001:db8::3", 400, true, 7000, 707000, 900, 9, 3 },
		/* This one is of an address that still sends. */
		{ "192.0.2.2", 4, true, 3000, 4000, 50, 5, 0 },
	};
	/* The one that stayed is over; the first comes again. */
	static const struct row second[] = {
		{ "192.0.2.1", 2, true, 1000, 501000, 100, 10, 1 },
		{ "192.0.2.2", 0, true, 2000, 3 * SECOND, 7000, 70, 5 },
		{ "192.0.2.1", 1, true, 500, 400500, 3000, 30, 2 },
		{ "2001:db8::3", 400, true, 7000, 707000, 900, 9, 3 },
		{ "192.0.2.2", 4, true, 3000, 4000, 50, 5, 6 },
		{ "192.0.2.1", 9, true, 2 * SECOND, 3 * SECOND, 60, 6, 0 },
	};
	const double none = udp ? 0 : NAN;
	const struct visit at_first[] = {
		{ "192.0.2.1", 2, 3100, 40, 500500, udp ? 3 : none },
		{ "2001:db8::3", 1, 900, 9, 700000, udp ? 3 : none },
	};
	const struct visit then[] = {
		{ "192.0.2.2", 2, 7050, 75, 3 * SECOND - 2000, udp ? 11 : none },
		{ "192.0.2.1", 1, 60, 6, SECOND, udp ? 0 : none },
	};
	const char *const lines[] = {
		udp ? "192.0.2.1: 3100 bytes, 49.55 Mb/s in 0.000500 s, "
		      "3 of 43 datagrams lost, 2 flows\n" :
		      "192.0.2.1: 3100 bytes, 49.55 Mb/s in 0.000500 s, 2 connections\n",
		udp ? "192.0.2.1: 60 bytes, 480 b/s in 1.000000 s, "
		      "0 of 6 datagrams lost, 1 flow\n" :
		      "192.0.2.1: 60 bytes, 480 b/s in 1.000000 s, 1 connection\n",
	};
	struct client_cpu cpus[2] = {
		{ .id = 4, .time_ns = BEGIN, .cycles = 2 * BEGIN }, { .id = 4 },
	};
	struct session *session = calloc(1, sizeof(*session));
	struct peers peers = { 0 };
	size_t size = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	session->udp = udp;
	session->out = output_new(file, stderr, OUTPUT_TEXT, "test");
	output_keep(session->out, keep, NULL);
	session->sink.begin = (struct client_snapshot) {
		.run.now_ns = BEGIN, .cpus = &cpus[0], .cpu_count = 1,
	};
	session->sink.last = (struct client_snapshot) {
		.run.streams = STREAMS, .cpus = &cpus[1], .cpu_count = 1,
		.streams = calloc(8, sizeof(struct client_stream)),
		.peers = calloc(8, sizeof(struct client_peer)),
	};
	config_set(&session->sink.config, KTPUT_A_CONFIG_PEER_SILENCE, SILENCE);
	set(session, first, TEST_COUNT(first), BEGIN + 3 * SECOND);
	peers_look(&peers, session);
	expect("at first", at_first, TEST_COUNT(at_first));
	peers_look(&peers, session);
	expect("not again", NULL, 0);
	/* One tick before the silence is long enough, and then. */
	set(session, second, TEST_COUNT(second), BEGIN + 5 * SECOND - 1);
	if (udp) {
		peers_look(&peers, session);
		expect("not yet", NULL, 0);
	}
	set(session, second, TEST_COUNT(second), BEGIN + 5 * SECOND);
	peers_look(&peers, session);
	expect("then", then, TEST_COUNT(then));
	peers_free(&peers);
	free(session->sink.last.streams);
	free(session->sink.last.peers);
	TEST_U64("free", output_free(session->out), 0);
	fclose(file);
	for (size_t i = 0; i < TEST_COUNT(lines); i++)
		TEST_CONTAINS("text", text, lines[i]);
	free(text);
	free(session);
}

static void connections(void)
{
	check(false);
}

static void datagrams(void)
{
	check(true);
}

static const struct test_case cases[] = {
	{ "of connections", connections },
	{ "of datagrams", datagrams },
};

TEST_MAIN(cases)
