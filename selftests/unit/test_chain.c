// SPDX-License-Identifier: GPL-2.0
/* chain: the bottleneck is the server behind the last queue that stands. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/analysis/chain.h"
#include "test.h"

/* Nothing is known. */
static struct chain blank(void)
{
	struct chain chain = { .pressure = NAN };

	for (int i = 0; i < CHAIN_PLACES; i++)
		chain.link[i] = (struct chain_link) {
			.queue = NAN, .busy = NAN,
			.exact = i == CHAIN_LINK || i == CHAIN_DEMAND,
		};
	return chain;
}

static struct chain_found walked(const struct chain *chain)
{
	struct chain_found found;

	chain_walk(chain, &found);
	return found;
}

static void place_is(const char *what, const struct chain *chain,
		     enum chain_place place)
{
	const struct chain_found found = walked(chain);

	TEST_STRING(what, found.place == CHAIN_PLACES ? "none" :
			  chain_key(found.place),
		    place == CHAIN_PLACES ? "none" : chain_key(place));
}

static void queues(void)
{
	struct chain chain = blank();

	place_is("nothing is known", &chain, CHAIN_PLACES);
	chain.link[CHAIN_SEND_BUFFER].queue = 0.9;
	place_is("one queue", &chain, CHAIN_SEND_BUFFER);
	chain.link[CHAIN_QUEUE].queue = 0.6;
	place_is("the last of two", &chain, CHAIN_QUEUE);
	chain.link[CHAIN_PATH].queue = 0.45;
	place_is("and not one that stood less", &chain, CHAIN_QUEUE);
	chain.link[CHAIN_QUEUE].queue = 0;
	chain.link[CHAIN_SEND_BUFFER].queue = 0;
	place_is("but for want of another", &chain, CHAIN_PATH);
	chain.link[CHAIN_PATH].queue = 0.39;
	place_is("unless it stood too seldom", &chain, CHAIN_PLACES);
}

/* Where a known queue is empty, its server is no bottleneck, however busy. */
static void servers(void)
{
	struct chain chain = blank();

	chain.link[CHAIN_SOURCE].busy = 0.89;
	place_is("a server that is not full", &chain, CHAIN_PLACES);
	chain.link[CHAIN_SOURCE].busy = 0.97;
	place_is("one that is", &chain, CHAIN_SOURCE);
	chain.link[CHAIN_READER] = (struct chain_link) {
		.queue = 0, .busy = 0.99,
	};
	place_is("one whose queue is empty", &chain, CHAIN_SOURCE);
	TEST_U64("is told", walked(&chain).also, CHAIN_READER);
	chain.link[CHAIN_SOURCE].busy = 0.3;
	place_is("which is half a proof", &chain, CHAIN_READER);
	chain.link[CHAIN_READER].busy = 0.6;
	place_is("two that are not full", &chain, CHAIN_PLACES);
	chain.link[CHAIN_SOURCE].busy = 0.4;
	TEST_TRUE("and take turns", walked(&chain).in_turn);
	place_is("of which the busier one is named", &chain, CHAIN_READER);
	chain.link[CHAIN_CONGESTION] = (struct chain_link) {
		.queue = 0.7, .busy = NAN, .rest = true,
	};
	place_is("for which the rest of the time is no evidence", &chain,
		 CHAIN_READER);
	chain.link[CHAIN_LINK].busy = 0.91;
	place_is("a link that is reached", &chain, CHAIN_LINK);
	chain.link[CHAIN_READER].queue = 0.9;
	place_is("and a reader that is slower", &chain, CHAIN_READER);
	chain.link[CHAIN_LINK].busy = 0.99;
	place_is("or as fast by chance", &chain, CHAIN_LINK);
	chain.link[CHAIN_READER].queue = 0;
	chain.link[CHAIN_LINK].busy = 0.91;
	chain.link[CHAIN_DEMAND].busy = 0.95;
	place_is("what was asked for", &chain, CHAIN_DEMAND);
}

/* Nothing downstream stood longer than the source waited for room. */
static void pressure(void)
{
	struct chain chain = blank();

	chain.link[CHAIN_PATH].queue = 1;
	chain.link[CHAIN_SOURCE].busy = 0.97;
	place_is("it is not known", &chain, CHAIN_PATH);
	chain.pressure = 0.03;
	place_is("the source never waits", &chain, CHAIN_SOURCE);
	chain.pressure = 0.8;
	place_is("it waits", &chain, CHAIN_PATH);
	TEST_U64("for so long", lround(100 * walked(&chain).strength), 80);
	chain.pressure = 0;
	chain.link[CHAIN_LINK].busy = 0.95;
	place_is("a rate that is known", &chain, CHAIN_LINK);
}

static void unknown(void)
{
	struct chain chain = blank();

	chain.link[CHAIN_QUEUE].queue = 1;
	TEST_U64("path, device, softirq, host, sink", walked(&chain).unknown, 5);
	chain.link[CHAIN_PATH].queue = 0;
	chain.link[CHAIN_SOFTIRQ].busy = 0;
	TEST_U64("known by queue or server", walked(&chain).unknown, 3);
}

/*
 * A proof by examples: with any evidence, what is found stands, nothing behind it does, and
 * a longer queue anywhere upstream changes nothing.
 */
static void properties(void)
{
	srandom(37);
	for (int round = 0; round < 2000; round++) {
		struct chain chain = blank();
		struct chain_found found;

		for (int i = 0; i < CHAIN_PLACES; i++)
			chain.link[i].queue = random() % 1000 / 999.0;
		found = walked(&chain);
		if (found.place == CHAIN_PLACES)
			continue;
		for (int i = found.place + 1; i < CHAIN_PLACES; i++)
			TEST_TRUE("behind it", chain_strength(&chain, i) <
				  CHAIN_STANDS);
		if (found.strength < CHAIN_STANDS || !found.place)
			continue;
		chain.link[random() % found.place].queue = 1;
		TEST_U64("upstream", walked(&chain).place, found.place);
	}
}

static const struct test_case cases[] = {
	{ "the last queue that stands", queues },
	{ "servers that are full", servers },
	{ "the source waits for room", pressure },
	{ "what is not known", unknown },
	{ "any evidence", properties },
};

TEST_MAIN(cases)
