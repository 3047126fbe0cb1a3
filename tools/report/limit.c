// SPDX-License-Identifier: GPL-2.0
/* limit: the ceilings that a record has for its goodput. */
#include <math.h>
#include <stdlib.h>

#include "../base/json.h"
#include "limit.h"
#include "memory.h"

/* A link counts as full from here on: what is left is its ACKs and bursts. */
#define FULL_SHARE	0.9

static void add(struct limits *limits, const struct limit *limit)
{
	limits->limit = memory_grow(limits->limit, limits->count + 1,
				    sizeof(*limits->limit));
	limits->limit[limits->count++] = *limit;
}

/* What a run that names no ceilings says of its wire. */
static void get_wire(struct json_object *wire, struct limits *limits)
{
	struct limit limit = {
		.name = "link framing",
		.bps = json_number(wire, "ceiling_bps"),
		.share = json_number(wire, "share"),
		.because = json_text(wire, "no_ceiling"),
	};

	limit.binds = limit.share >= FULL_SHARE;
	if (!isnan(limit.bps) || limit.because)
		add(limits, &limit);
}

/**
 * limit_get() - the ceilings of a run
 * @record: the run
 * @limits: where they go; limit_free() releases them
 */
void limit_get(const struct record *record, struct limits *limits)
{
	struct json_object *all = json_array(record->root, "result.ceilings");
	double goodput = json_number(record->root, "result.goodput_bps");

	*limits = (struct limits) { 0 };
	for (size_t i = 0; i < json_length(all); i++) {
		struct json_object *from = json_element(all, i);
		struct limit limit = {
			.name = json_text(from, "name"),
			.bps = json_number(from, "ceiling_bps"),
			.share = json_number(from, "share"),
			.binds = json_is(from, "binds"),
			.because = json_text(from, "because"),
		};

		if (!limit.because)
			limit.because = json_text(from, "unknown_because");
		if (!limit.name)
			continue;
		if (isnan(limit.share) && limit.bps > 0)
			limit.share = goodput / limit.bps;
		add(limits, &limit);
	}
	if (!limits->count)
		get_wire(json_at(record->root, "result.wire"), limits);
}

void limit_free(struct limits *limits)
{
	free(limits->limit);
	*limits = (struct limits) { 0 };
}
