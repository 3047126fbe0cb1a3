// SPDX-License-Identifier: GPL-2.0
/* rungs: what the rungs of a ladder cost, read back. */
#include <math.h>

#include "../lib/json.h"
#include "rungs.h"

static const struct {
	const char *path;
	const char *title;
	bool per_packet;
} groups[RUNGS_GROUPS] = {
	{ "ladder.tcp", "TCP, both ends", false },
	{ "ladder.transmit", "UDP, transmit", true },
	{ "ladder.receive", "UDP, receive", true },
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
		struct rung *rung = &rungs->rung[rungs->count];

		if (!json_text(from, "name") || rungs->count == RUNGS_MAX)
			continue;
		rung->name = json_text(from, "name");
		get(from, rungs->per_packet, rung);
		rungs->count++;
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
