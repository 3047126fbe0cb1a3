/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chain: the places that payload passes, and which of them is the bottleneck.
 *
 * Each place is a queue and its server. Upstream of the bottleneck queues stand,
 * downstream of it they are empty: the bottleneck is the server behind the last queue that
 * stands. For each place there is evidence over the same time, as shares of it: how long
 * its queue stood, and how long its server was busy. chain_walk() goes from the sink to
 * the source.
 *
 * What stands upstream makes the source wait for room. So no queue of TCP stood longer
 * than the source waited, as far as that is known (pressure).
 *
 * Between two servers whose queue is short neither is busy all the time, but one of them
 * is at any time: both together are the bottleneck.
 *
 * The last place is what the user asked for: where that is reached, nothing else limits. Nor
 * does it where the rate of a link is: what stands behind it is as fast by chance.
 */
#ifndef KTPUT_TOOLS_CHAIN_H
#define KTPUT_TOOLS_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which payload passes them. */
enum chain_place {
	CHAIN_APPLICATION,
	CHAIN_SOURCE,
	CHAIN_SEND_BUFFER,
	CHAIN_WINDOW,
	CHAIN_CONGESTION,
	CHAIN_QUEUE,
	CHAIN_LINK,
	CHAIN_PATH,
	CHAIN_DEVICE,
	CHAIN_SOFTIRQ,
	CHAIN_HOST,
	CHAIN_READER,
	CHAIN_DEMAND,
	CHAIN_PLACES,
};

/* Share of the time from which a queue stood, as the last of them. */
#define CHAIN_STANDS	0.5
/* Likewise, if no other stood: the evidence is weak. */
#define CHAIN_NEARLY	0.4
/* Share of a rate that is known from which nothing else can limit. */
#define CHAIN_REACHED	0.98
/* Share of the time from which a queue stood beyond doubt. */
#define CHAIN_SURELY	0.75

/**
 * struct chain_link - evidence of a place
 * @queue: share of the time that its queue stood; NaN if unknown
 * @busy: share of the time, or of its rate, that its server was busy; NaN if unknown
 * @drops: packets that were lost there
 * @exact: @busy is the share of a rate that is known
 * @rest: @queue is what is left of the time: CPUs that are late are in it too
 */
struct chain_link {
	double queue;
	double busy;
	uint64_t drops;
	bool exact;
	bool rest;
};

/**
 * struct chain - evidence of all places, over the same time
 * @link: each place
 * @pressure: share of the time that the source waited for room; NaN if unknown
 */
struct chain {
	struct chain_link link[CHAIN_PLACES];
	double pressure;
};

/**
 * struct chain_found - the bottleneck
 * @place: its place, CHAIN_PLACES for none
 * @strength: share of the time that it limited
 * @in_turn: no queue stood, since the CPUs of source and sink wait for each other: one of
 *	them was busy at any time. @place is that of the busier one
 * @unknown: number of places downstream of it that nothing is known of
 * @also: another place whose server was busy all the time; CHAIN_PLACES for none
 */
struct chain_found {
	enum chain_place place;
	double strength;
	bool in_turn;
	unsigned int unknown;
	enum chain_place also;
};

double chain_share(const struct chain *chain, enum chain_place place);
double chain_strength(const struct chain *chain, enum chain_place place);
void chain_walk(const struct chain *chain, struct chain_found *found);
enum chain_place chain_nearest(const struct chain *chain);
const char *chain_key(enum chain_place place);
const char *chain_title(enum chain_place place);

#endif
