// SPDX-License-Identifier: GPL-2.0
/* Losses: which place is said to have lost datagrams, and how many. */
#include "../../tools/analysis/loss.h"
#include "test.h"

/* Of 1000 that were sent, @lost; counters that say where. */
static struct losses of(uint64_t lost, struct arrivals arrivals,
			struct arrivals_terms terms)
{
	struct losses losses;

	arrivals.sent = 1000;
	arrivals.received = 1000 - lost;
	arrivals.lost = lost;
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
		{ LOSS_SOCKET, { .socket_drops = 100 }, { 0 } },
		{ LOSS_SOCKET, { .socket_drops = 10 }, { .segments = 10 } },
		/* Those of others in a backlog are none of this sink's. */
		{ LOSS_SOCKET, { .socket_drops = 100 },
		  { .backlog_drops = 5000 } },
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
					  .queue_drops = 9000 });

	TEST_U64("no more than were lost", losses.count[LOSS_QUEUE], 5);
	TEST_U64("as it is", losses.count[LOSS_SOCKET], 3);
}

static void names(void)
{
	for (enum loss_place i = 0; i < LOSS_PLACES; i++) {
		TEST_TRUE("key", loss_key(i));
		TEST_TRUE("where", loss_where(i));
		TEST_TRUE("remedy", loss_remedy(i));
	}
}

static const struct test_case cases[] = {
	{ "nothing is lost", none },
	{ "each place", each },
	{ "other traffic", others },
	{ "places have names", names },
};

TEST_MAIN(cases)
