/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder: the same traffic in every place, in turn, round after round.
 */
#ifndef KTPUT_CTL_LADDER_H
#define KTPUT_CTL_LADDER_H

#include <json-c/json.h>

#include "../analysis/sampled.h"
#include "../analysis/statistics.h"
#include "ladder_rungs.h"
#include "ladder_latency.h"
#include "ladder_run.h"

/* Rounds that an interval takes, and that there may be. */
#define LADDER_ROUNDS_MIN	STATISTICS_RUNS_MIN
#define LADDER_ROUNDS_MAX	100

/**
 * struct ladder_cell - what there is of a rung
 * @left_out: it is not run, or not any more
 * @why: the reason, or that for which the latest run was not valid
 * @failures: runs without a valid result
 * @samples: one for each round; not present where there is no valid result
 * @sampled: samples of a second run of each round, or NULL
 * @why_not_sampled: for which the latest of these has none
 */
struct ladder_cell {
	bool left_out;
	struct units_error why;
	unsigned int failures;
	struct ladder_sample samples[LADDER_ROUNDS_MAX];
	struct sampled *sampled[LADDER_ROUNDS_MAX];
	struct units_error why_not_sampled;
};

/**
 * struct ladder - a ladder while it is climbed
 * @cells: one for each of ladder_rungs
 * @rounds: rounds that are begun
 * @wanted: half width of the confidence intervals over their mean
 * @met: all of them are as narrow
 * @interrupted: the user ended it
 * @out_of_time: the time was over
 * @settings: what all rungs have in common
 * @profiled: runs are made once more, sampled
 * @classes: of the samples
 * @latencies: round trips of each kind, where they are wanted
 * @ceilings: of the TCP rung whose goodput is highest, or NULL
 * @ceilings_of: index of that rung
 * @ceilings_bps: its goodput
 */
struct ladder {
	struct ladder_cell *cells;
	unsigned int rounds;
	double wanted;
	bool met;
	bool interrupted;
	bool out_of_time;
	struct ladder_settings settings;
	bool profiled;
	struct sampled_names classes;
	struct ladder_latency latencies[LADDER_LATENCIES];
	struct json_object *ceilings;
	size_t ceilings_of;
	double ceilings_bps;
};

/**
 * enum ladder_figure - what a rung is measured by
 * @LADDER_GOODPUT: bit/s of payload
 * @LADDER_PACKETS: datagrams per second
 * @LADDER_CYCLES_BYTE: busy cycles of all CPUs for a byte of payload
 * @LADDER_CYCLES_PACKET: busy cycles of all CPUs for a datagram
 * @LADDER_LOSS: share of datagrams that did not arrive
 */
enum ladder_figure {
	LADDER_GOODPUT,
	LADDER_PACKETS,
	LADDER_CYCLES_BYTE,
	LADDER_CYCLES_PACKET,
	LADDER_LOSS,
};

bool ladder_is_part(const struct ladder *ladder, size_t rung);
enum ladder_figure ladder_cost(enum ladder_group group);
void ladder_rung_statistics(const struct ladder *ladder, size_t rung,
			    enum ladder_figure figure, struct statistics *to);
void ladder_step_statistics(const struct ladder *ladder,
			    const struct ladder_step *step,
			    enum ladder_figure figure, struct statistics *to);
void ladder_rung_sampled(const struct ladder *ladder, size_t rung,
			 sampled_set set, struct sampled_estimate *to);
void ladder_step_sampled(const struct ladder *ladder,
			 const struct ladder_step *step, sampled_set set,
			 struct sampled_estimate *to);

#endif
