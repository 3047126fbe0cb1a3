// SPDX-License-Identifier: GPL-2.0
/* Losses: which place is said to have lost datagrams, and how many. */
#include "../../tools/analysis/loss.h"
#include "test.h"

/* Of 1000 that were sent, @lost; counters that say where, those of protocols too. */
static struct losses of(uint64_t lost, struct arrivals arrivals,
			struct arrivals_terms terms)
{
	struct losses losses;

	arrivals.sent = 1000;
	arrivals.received = 1000 - lost;
	arrivals.lost = lost;
	terms.protocols.known = true;
	loss_compute(&arrivals, &terms, &losses);
	return losses;
}

static void none(void)
{
	struct losses losses = of(0, (struct arrivals) { 0 },
				  (struct arrivals_terms) {
					  .received_drops = 7 });

	TEST_U64("nowhere", losses.most, LOSS_PLACES);
	TEST_U64("of others", losses.count[LOSS_SINK_DEVICE], 0);
	TEST_TRUE("share", losses.share == 0);
}

static void each(void)
{
	static const struct {
		enum loss_place place;
		struct arrivals arrivals;
		struct arrivals_terms terms;
	} rows[] = {
		{ LOSS_TOLD, { .source_drops = 100 }, { .queue_drops = 100 } },
		{ LOSS_TOLD, { .source_drops = 100 }, { .sent_drops = 100 } },
		{ LOSS_QUEUE, { 0 }, { .queue_drops = 100 } },
		{ LOSS_QUEUE, { .source_drops = 10 }, { .queue_drops = 100 } },
		{ LOSS_SOURCE_DEVICE, { 0 }, { .sent_drops = 100 } },
		{ LOSS_KEPT, { .unreturned = 100 }, { 0 } },
		{ LOSS_WAY, { 0 }, { 0 } },
		{ LOSS_WAY, { .socket_drops = 10 }, { .received_drops = 20 } },
		{ LOSS_SINK_DEVICE, { 0 }, { .received_drops = 100 } },
		{ LOSS_BACKLOG, { 0 },
		  { .received_drops = 100, .backlog_drops = 100 } },
		/* veth counts it where it was sent as well. */
		{ LOSS_BACKLOG, { 0 },
		  { .sent_drops = 100, .received_drops = 100,
		    .backlog_drops = 120 } },
		{ LOSS_FILTER, { 0 }, { .filter_drops = 100 } },
		/* What veth could not deliver both devices have counted. */
		{ LOSS_SINK_DEVICE, { 0 },
		  { .pair = true, .sent_drops = 100, .received_drops = 100 } },
		{ LOSS_SOURCE_DEVICE, { 0 },
		  { .pair = true, .sent_drops = 100, .received_drops = 20 } },
		{ LOSS_SOURCE_FILTER, { 0 }, { .source_filter_drops = 100 } },
		{ LOSS_TOLD, { .source_drops = 100 },
		  { .source_filter_drops = 100 } },
		{ LOSS_SOCKET, { .socket_drops = 100 },
		  { .protocols.udp_buffer_errors = 100 } },
		{ LOSS_SOCKET, { .socket_drops = 10 },
		  { .segments = 10, .protocols.udp_buffer_errors = 10 } },
		/* Those of others in a backlog are none of this sink's. */
		{ LOSS_SOCKET, { .socket_drops = 100 },
		  { .backlog_drops = 5000, .protocols.udp_buffer_errors = 100 } },
		/* A socket counts them too; those of short datagrams none does. */
		{ LOSS_CHECKSUM, { .socket_drops = 100 },
		  { .protocols.udp_checksum_errors = 100 } },
		{ LOSS_CHECKSUM, { 0 },
		  { .protocols.udp_checksum_errors = 100 } },
		{ LOSS_CHECKSUM, { .socket_drops = 10 },
		  { .segments = 10, .protocols.udp_checksum_errors = 10 } },
		{ LOSS_MEMORY, { .socket_drops = 100 },
		  { .protocols.udp_memory_errors = 100 } },
		{ LOSS_SOCKET_OTHER, { .socket_drops = 100 }, { 0 } },
		{ LOSS_PROTOCOL, { 0 }, { .protocols.ip_drops = 100 } },
		{ LOSS_PROTOCOL, { 0 }, { .protocols.udp_no_ports = 100 } },
		/* Behind the sink's device, or before. */
		{ LOSS_HOST, { .missing_on_link = 40 },
		  { .nothing_between = true } },
		{ LOSS_WAY, { .missing_on_link = 60 },
		  { .nothing_between = true } },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct losses losses = of(100, rows[i].arrivals,
					  rows[i].terms);
		uint64_t sum = 0;

		TEST_STRING("place", loss_key(losses.most),
			    loss_key(rows[i].place));
		for (enum loss_place j = 0; j < LOSS_PLACES; j++)
			sum += losses.count[j];
		TEST_U64("sum", sum, 100);
		TEST_TRUE("share", losses.share == 0.1);
	}
}

/* Counters of all traffic have more than the run has lost. */
static void others(void)
{
	struct losses losses = of(5, (struct arrivals) { .socket_drops = 3 },
				  (struct arrivals_terms) {
					  .queue_drops = 9000,
					  .protocols.udp_buffer_errors = 700 });

	TEST_U64("as the socket has it", losses.count[LOSS_SOCKET], 3);
	TEST_U64("no more than are left", losses.count[LOSS_QUEUE], 2);
	TEST_U64("most", losses.most, LOSS_SOCKET);
}

/* What the source was told of, its device has counted too: it is not lost twice. */
static void told(void)
{
	static const struct arrivals_terms rows[] = {
		{ .source_filter_drops = 60 },
		{ .queue_drops = 60 },
		{ .sent_drops = 60 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct losses losses =
			of(100, (struct arrivals) { .source_drops = 60 },
			   rows[i]);

		TEST_U64("told", losses.count[LOSS_TOLD], 60);
		TEST_U64("on the path", losses.count[LOSS_WAY], 40);
	}
}

/* Each reason of the sockets has its part, and no more. */
static void reasons(void)
{
	struct losses losses = of(100, (struct arrivals) { .socket_drops = 90 },
				  (struct arrivals_terms) {
					  .protocols = {
						  .udp_buffer_errors = 50,
						  .udp_memory_errors = 20,
						  .udp_checksum_errors = 15 },
				  });

	TEST_U64("full buffers", losses.count[LOSS_SOCKET], 50);
	TEST_U64("memory", losses.count[LOSS_MEMORY], 20);
	TEST_U64("checksums", losses.count[LOSS_CHECKSUM], 15);
	TEST_U64("no reason", losses.count[LOSS_SOCKET_OTHER], 5);
	TEST_U64("elsewhere", losses.count[LOSS_WAY], 10);
}

/* An earlier record tells no counters of protocols: a full buffer is what is likely. */
static void unknown(void)
{
	const struct arrivals arrivals = {
		.sent = 100, .received = 90, .lost = 10, .socket_drops = 10,
	};
	const struct arrivals_terms terms = { 0 };
	struct losses losses;

	loss_compute(&arrivals, &terms, &losses);
	TEST_U64("full buffers", losses.count[LOSS_SOCKET], 10);
	TEST_U64("no other reason", losses.count[LOSS_SOCKET_OTHER], 0);
}

static void segments(void)
{
	static const struct {
		enum loss_place place;
		struct arrivals_terms terms;
	} rows[] = {
		{ LOSS_WAY, { 0 } },
		{ LOSS_WAY, { .queue_drops = 2 } },
		{ LOSS_HOST, { .queue_drops = 2, .nothing_between = true } },
		{ LOSS_QUEUE, { .queue_drops = 3 } },
		{ LOSS_SOURCE_DEVICE, { .sent_drops = 100 } },
		{ LOSS_SINK_DEVICE, { .pair = true, .sent_drops = 100,
				      .received_drops = 100 } },
		{ LOSS_BACKLOG, { .received_drops = 100, .backlog_drops = 100 } },
		{ LOSS_FILTER, { .filter_drops = 100 } },
		{ LOSS_PROTOCOL, { .protocols.ip_drops = 100 } },
		{ LOSS_PROTOCOL, { .queue_drops = 2, .protocols.ip_drops = 50 } },
		{ LOSS_WAY, { .protocols.ip_drops = 49 } },
		{ LOSS_QUEUE, { .queue_drops = 3, .protocols.ip_drops = 49 } },
		{ LOSS_WAY, { .protocols.tcp_checksum_errors = 49 } },
		{ LOSS_CHECKSUM, { .queue_drops = 90,
				   .protocols.tcp_checksum_errors = 100 } },
		{ LOSS_WAY, { .protocols.udp_checksum_errors = 100 } },
		{ LOSS_SOCKET, { .protocols.tcp_socket_drops = 100 } },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		TEST_STRING("place", loss_key(loss_of_segments(&rows[i].terms, 100)),
			    loss_key(rows[i].place));
}

static void names(void)
{
	for (enum loss_place i = 0; i < LOSS_PLACES; i++) {
		TEST_TRUE("key", loss_key(i));
		TEST_TRUE("where", loss_where(i));
		TEST_TRUE("remedy", loss_remedies(i, false)->what);
		TEST_TRUE("of TCP", loss_remedies(i, true)->what);
		TEST_TRUE("in the order of the chain",
			  !i || loss_link(i) >= loss_link(i - 1));
	}
}

static const struct test_case cases[] = {
	{ "nothing is lost", none },
	{ "each place", each },
	{ "other traffic", others },
	{ "told to the source", told },
	{ "reasons of sockets", reasons },
	{ "counters that are not known", unknown },
	{ "segments of TCP", segments },
	{ "places have names", names },
};

TEST_MAIN(cases)
