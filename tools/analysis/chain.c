// SPDX-License-Identifier: GPL-2.0
/* chain: the places that payload passes, and which of them is the bottleneck. */
#include <math.h>

#include "chain.h"

/* Share of the time that one of two servers was busy: the remainder is negligible. */
#define IN_TURN	0.95
/* Strength of half a proof: it stands for want of another, and nearly. */
#define HALF_PROOF	((CHAIN_STANDS + CHAIN_NEARLY) / 2)

/*
 * The place, and from which share on its server is saturated: none where the share is of a
 * rate that varies, or there is no server that could be seen.
 */
static const struct {
	const char *key, *title;
	double full;
} places[CHAIN_PLACES] = {
	[CHAIN_APPLICATION] = { "application", "application", INFINITY },
	[CHAIN_SOURCE] = { "source", "source's CPU", 0.9 },
	[CHAIN_SEND_BUFFER] = { "send_buffer", "send buffer", INFINITY },
	[CHAIN_WINDOW] = { "window", "receive window", INFINITY },
	[CHAIN_CONGESTION] = {
		"congestion_window", "congestion window", INFINITY,
	},
	[CHAIN_QUEUE] = { "queue", "source's qdisc", INFINITY },
	[CHAIN_LINK] = { "link", "link", 0.9 },
	[CHAIN_PATH] = { "path", "path", INFINITY },
	[CHAIN_DEVICE] = { "sink_device", "sink's device", INFINITY },
	[CHAIN_SOFTIRQ] = { "softirq", "receiving CPU", 0.95 },
	[CHAIN_HOST] = { "sink_host", "sink's host", INFINITY },
	[CHAIN_READER] = { "sink", "sink", 0.9 },
	[CHAIN_DEMAND] = { "demand", "rate asked for", 0.95 },
};

/**
 * chain_key() - key of a place in records
 * @place: place
 *
 * Return: a word.
 */
const char *chain_key(enum chain_place place)
{
	return places[place].key;
}

/**
 * chain_title() - name of a place in text
 * @place: place
 *
 * Return: a noun.
 */
const char *chain_title(enum chain_place place)
{
	return places[place].title;
}

static bool is_full(const struct chain *chain, enum chain_place place)
{
	return chain->link[place].busy >= places[place].full;
}

/**
 * chain_strength() - share of the time that a place limited
 * @chain: the chain
 * @place: place
 *
 * A server that is saturated while its queue was seen to be empty is half a proof.
 *
 * Return: 0 to 1.
 */
double chain_strength(const struct chain *chain, enum chain_place place)
{
	const struct chain_link *link = &chain->link[place];
	const bool full = is_full(chain, place);
	double strength;

	/* More does not pass, whatever stands elsewhere. */
	if (link->exact && full)
		return 1;
	if (isnan(link->queue))
		strength = full ? link->busy : 0;
	else
		strength = fmax(link->queue, full ? HALF_PROOF : 0);
	if (place > CHAIN_SOURCE && !isnan(chain->pressure))
		strength = fmin(strength, chain->pressure);
	return fmin(strength, 1);
}

/**
 * chain_share() - share of the time that a queue stood, or its server was busy
 * @chain: the chain
 * @place: place
 *
 * Return: the greater, 0 to 1; 0 if neither is known.
 */
double chain_share(const struct chain *chain, enum chain_place place)
{
	const struct chain_link *link = &chain->link[place];
	const double busy = isinf(places[place].full) ? 0 : link->busy;

	return fmin(fmax(fmax(link->queue, busy), 0), 1);
}

/**
 * chain_nearest() - the place that limited most, if little
 * @chain: the chain
 *
 * Return: the place, the first of several; CHAIN_PLACES if nothing is known.
 */
enum chain_place chain_nearest(const struct chain *chain)
{
	enum chain_place nearest = CHAIN_PLACES;
	double most = 0;

	for (int i = 0; i < CHAIN_PLACES; i++) {
		if (chain_share(chain, i) <= most)
			continue;
		most = chain_share(chain, i);
		nearest = i;
	}
	return nearest;
}

/* The last place that limited for such a share of the time, or CHAIN_PLACES. */
static enum chain_place last_above(const struct chain *chain, double share)
{
	for (int i = CHAIN_PLACES - 1; i >= 0; i--)
		if (chain_strength(chain, i) >= share)
			return i;
	return CHAIN_PLACES;
}

/* The last place whose rate is known and reached, or CHAIN_PLACES. */
static enum chain_place last_reached(const struct chain *chain)
{
	for (int i = CHAIN_PLACES; i--;)
		if (chain->link[i].exact && chain->link[i].busy >= CHAIN_REACHED)
			return i;
	return CHAIN_PLACES;
}

static double busy(const struct chain *chain, enum chain_place place)
{
	return fmax(chain->link[place].busy, 0);
}

/**
 * chain_walk() - find the bottleneck
 * @chain: the chain
 * @found: filled in
 */
void chain_walk(const struct chain *chain, struct chain_found *found)
{
	const enum chain_place reached = last_reached(chain);
	const enum chain_place stands = last_above(chain, CHAIN_STANDS);

	*found = (struct chain_found) {
		.place = reached < CHAIN_PLACES ? reached :
			 stands < CHAIN_PLACES ? stands :
			 last_above(chain, CHAIN_NEARLY),
		.also = CHAIN_PLACES,
	};
	if ((found->place == CHAIN_PLACES || chain->link[found->place].rest) &&
	    busy(chain, CHAIN_SOURCE) + busy(chain, CHAIN_READER) >= IN_TURN) {
		found->in_turn = true;
		found->place = busy(chain, CHAIN_SOURCE) >
			       busy(chain, CHAIN_READER) ? CHAIN_SOURCE :
							   CHAIN_READER;
	}
	if (found->place == CHAIN_PLACES)
		return;
	found->strength = chain_strength(chain, found->place);
	for (int i = 0; i < CHAIN_PLACES; i++) {
		/* A rate that is not known is not there. */
		if (i > (int)found->place && !chain->link[i].exact &&
		    isnan(chain->link[i].queue) && isnan(chain->link[i].busy))
			found->unknown++;
		if (i != (int)found->place && is_full(chain, i))
			found->also = i;
	}
}
