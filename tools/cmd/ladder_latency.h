/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder_latency: round trips of the rungs that have a ping-pong of their kind.
 */
#ifndef KTPUT_CTL_LADDER_LATENCY_H
#define KTPUT_CTL_LADDER_LATENCY_H

#include <stdbool.h>

#include "../base/output.h"
#include "../base/units.h"
#include "ladder_words.h"

/* Kinds of ping-pong. */
#define LADDER_LATENCIES	6

struct ladder;

/**
 * struct ladder_latency - round trips of a kind
 * @present: they were measured
 * @median_ns: half of them are not longer
 * @p99_ns: 99 % of them are not longer
 * @why: why they were not
 */
struct ladder_latency {
	bool present;
	double median_ns;
	double p99_ns;
	struct units_error why;
};

void ladder_latency_run(const struct ladder_settings *settings, size_t kind,
			struct ladder_latency *latency);
bool ladder_latency_wanted(const struct ladder *ladder, size_t kind);
const char *ladder_latency_name(size_t kind);
void ladder_latency_print(struct output *out, const struct ladder *ladder);

#endif
