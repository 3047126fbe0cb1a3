// SPDX-License-Identifier: GPL-2.0
/* peers: who has sent datagrams to a stream. */
#include <linux/ktput_peers.h>
#include <string.h>

#include "test.h"

#define SILENCE	1000

/* A datagram of 10 bytes from a port, at a time. */
static void arrive(struct ktput_peers *peers, uint16_t port, uint32_t sequence,
		   uint64_t now)
{
	const struct ktput_peer from = {
		.address = { 1 }, .port = port, .next = sequence, .last = now,
		.bytes = 10,
	};

	ktput_peers_add(peers, &from);
}

static void is(const char *name, const struct ktput_peer *peer, uint32_t id,
	       uint64_t datagrams, uint32_t lost, uint64_t first, uint64_t last)
{
	TEST_U64(name, peer->id, id);
	TEST_U64(name, peer->datagrams, datagrams);
	TEST_U64(name, peer->bytes, 10 * datagrams);
	TEST_U64(name, ktput_peer_lost(peer), lost);
	TEST_U64(name, peer->first, first);
	TEST_U64(name, peer->last, last);
}

static void in_turns(void)
{
	struct ktput_peers peers = { .silence = SILENCE };

	for (uint32_t i = 0; i < 5; i++) {
		arrive(&peers, 1, 2 * i, 100 + i);
		arrive(&peers, 2, i, 200 + i);
	}
	is("every second one lost", &peers.peer[0], 0, 5, 4, 100, 104);
	is("none lost", &peers.peer[1], 1, 5, 0, 200, 204);
}

static void again(void)
{
	struct ktput_peers peers = { .silence = SILENCE };

	arrive(&peers, 1, 7, 100);
	arrive(&peers, 1, 10, 100 + SILENCE - 1);
	arrive(&peers, 1, 8, 100 + SILENCE);
	is("numbers from the first on, out of order", &peers.peer[0], 0, 3, 1,
	   100, 100 + SILENCE);
	arrive(&peers, 1, 10, 100 + 2 * SILENCE - 1);
	arrive(&peers, 1, 10, 100 + 2 * SILENCE - 1);
	is("more duplicates than lost", &peers.peer[0], 0, 5, 0, 100,
	   100 + 2 * SILENCE - 1);
	arrive(&peers, 1, 0, 100 + 3 * SILENCE);
	is("another after the silence", &peers.peer[1], 1, 1, 0,
	   100 + 3 * SILENCE, 100 + 3 * SILENCE);
}

static void wrap(void)
{
	struct ktput_peers peers = { .silence = SILENCE };

	arrive(&peers, 1, UINT32_MAX - 1, 100);
	arrive(&peers, 1, 1, 100);
	is("numbers that begin again", &peers.peer[0], 0, 2, 2, 100, 100);
}

static void crowd(void)
{
	struct ktput_peers peers = { .silence = SILENCE };

	for (uint16_t port = 1; port <= KTPUT_MAX_PEERS + 1; port++)
		arrive(&peers, port, 0, 100 + port);
	TEST_U64("places", peers.count, KTPUT_MAX_PEERS);
	arrive(&peers, 3, 1, 200);
	arrive(&peers, 1000, 0, 101 + SILENCE);
	is("the oldest yields its place", &peers.peer[0], KTPUT_MAX_PEERS, 1, 0,
	   101 + SILENCE, 101 + SILENCE);
	is("another keeps it", &peers.peer[2], 2, 2, 0, 103, 200);
}

static const struct test_case cases[] = {
	{ "two peers in turns", in_turns },
	{ "a peer that comes again", again },
	{ "sequence numbers that wrap", wrap },
	{ "more peers than places", crowd },
};

TEST_MAIN(cases)
