// SPDX-License-Identifier: GPL-2.0
/* rungs: what the rungs of a ladder cost, read back. */
#include <math.h>

#include "../lib/json.h"
#include "rungs.h"

static const struct {
	const char *path;
	const char *title;
	bool per_packet;
	bool steps;
} groups[RUNGS_GROUPS] = {
	{ "ladder.tcp", "TCP, both ends", false, false },
	{ "ladder.transmit", "UDP, transmit", true, false },
	{ "ladder.receive", "UDP, receive", true, false },
	{ "ladder.agreement.tcp", "TCP, both ends, by both methods", false,
	  true },
	{ "ladder.agreement.transmit", "UDP, transmit, by both methods", true,
	  true },
	{ "ladder.agreement.receive", "UDP, receive, by both methods", true,
	  true },
};

static void get(struct json_object *from, bool per_packet, struct rung *rung)
{
	struct json_object *cost = json_at(from, per_packet ?
					   "busy_cycles_per_packet" :
					   "busy_cycles_per_byte");
	double mean = json_number(cost, "mean");
	double low = json_number(cost, "ci_low");
	double high = json_number(cost, "ci_high");

	rung->mean = mean >= 0 ? mean : NAN;
	/* Of too few rounds it says nothing, and is as wide as the picture. */
	if (json_is(cost, "too_short") || !(low <= mean && mean <= high)) {
		low = NAN;
		high = NAN;
	}
	rung->ci_low = low;
	rung->ci_high = high;
}

/* What lies between two rungs may be less than nothing. */
static void get_difference(struct json_object *from, const char *method,
			   double half_width, struct rung *rung)
{
	rung->method = method;
	rung->mean = json_number(from, "mean");
	rung->ci_low = rung->mean - half_width;
	rung->ci_high = rung->mean + half_width;
}

static struct rung *add(struct rungs *rungs, const char *name)
{
	if (!name || rungs->count == RUNGS_MAX)
		return NULL;
	rungs->rung[rungs->count] = (struct rung) { .name = name };
	return &rungs->rung[rungs->count++];
}

/* A step has two rows, one below the other. */
static void get_step(struct json_object *from, struct rungs *rungs)
{
	const char *name = json_text(from, "cost");
	struct json_object *cost = json_at(from, rungs->per_packet ?
					   "busy_cycles_per_packet" :
					   "busy_cycles_per_byte");
	struct json_object *sampled = json_at(from, "sampled");
	const double half = json_is(cost, "too_short") ? NAN :
		(json_number(cost, "ci_high") - json_number(cost, "ci_low")) / 2;
	struct rung *ladder = add(rungs, name), *samples = add(rungs, name);

	if (ladder) {
		get_difference(cost, "ladder", half, ladder);
		rungs->results += !isnan(ladder->mean);
	}
	if (samples) {
		get_difference(sampled, "samples",
			       json_number(sampled, "half_width"), samples);
		rungs->results += !isnan(samples->mean);
	}
}

/**
 * rungs_get() - read a group
 * @document: what ktput-ctl -j ladder prints; it owns the names
 * @group: index, below RUNGS_GROUPS
 * @rungs: filled in; rungs without a name, and beyond RUNGS_MAX, are left out
 */
void rungs_get(struct json_object *document, size_t group, struct rungs *rungs)
{
	struct json_object *array = json_array(document, groups[group].path);

	*rungs = (struct rungs) {
		.title = groups[group].title,
		.per_packet = groups[group].per_packet,
		.unit = groups[group].per_packet ? "busy cycles per packet" :
						   "busy cycles per byte",
	};
	for (size_t i = 0; i < json_length(array); i++) {
		struct json_object *from = json_element(array, i);
		struct rung *rung;

		if (groups[group].steps) {
			get_step(from, rungs);
			continue;
		}
		rung = add(rungs, json_text(from, "name"));
		if (!rung)
			continue;
		get(from, rungs->per_packet, rung);
		rungs->results += !isnan(rung->mean);
	}
}

/**
 * rungs_largest() - how far bars and intervals reach
 * @rungs: a group
 *
 * Return: the greatest value, 0 where no rung has a result.
 */
double rungs_largest(const struct rungs *rungs)
{
	double largest = 0;

	for (size_t i = 0; i < rungs->count; i++)
		largest = fmax(largest, fmax(rungs->rung[i].mean,
					     rungs->rung[i].ci_high));
	return largest;
}

/**
 * rungs_least() - how far bars and intervals reach below zero
 * @rungs: a group
 *
 * Return: the least value, 0 where none is negative.
 */
double rungs_least(const struct rungs *rungs)
{
	double least = 0;

	for (size_t i = 0; i < rungs->count; i++)
		least = fmin(least, fmin(rungs->rung[i].mean,
					 rungs->rung[i].ci_low));
	return least;
}
