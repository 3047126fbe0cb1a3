/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stages_overhead: what the programs that follow messages cost the run.
 *
 * The programs are attached in turn: with them, while they are changed, without them,
 * while they are changed, with them. So a turn has the time without them in its middle,
 * and a run that gets steadily faster or slower has no part in the difference. What a
 * message costs is the time of the run for each, or the mean of its round trips.
 *
 *   attached overhead  cost with them / cost without them - 1
 *   overhead           cost in the whole turn / cost without them - 1
 *
 * Turns share no time, so their values are independent, and are paired differences of
 * which statistics_differences() has the interval.
 */
#ifndef KTPUT_TOOLS_STAGES_OVERHEAD_H
#define KTPUT_TOOLS_STAGES_OVERHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "statistics.h"

/* Turns that are kept: more than of ten minutes. */
#define STAGES_TURNS_MAX	512

/**
 * enum stages_part - a part of a turn
 * @STAGES_WITH: the programs are attached
 * @STAGES_CHANGING: some are
 * @STAGES_WITHOUT: none is
 * @STAGES_PARTS: number of parts
 */
enum stages_part {
	STAGES_WITH,
	STAGES_CHANGING,
	STAGES_WITHOUT,
	STAGES_PARTS
};

/**
 * struct stages_reading - how far a run has come
 * @now_ns: time
 * @cost_ns: the same, or of round trips their sum
 * @messages: number of messages
 */
struct stages_reading {
	uint64_t now_ns;
	uint64_t cost_ns;
	uint64_t messages;
};

/**
 * struct stages_overhead - what the programs cost
 * @last: the latest reading
 * @part: the parts of this turn
 * @run: the same of all turns
 * @turns: turns that were measured
 * @attached: their attached overhead
 * @whole: their overhead
 */
struct stages_overhead {
	struct stages_reading last;
	struct stages_reading part[STAGES_PARTS];
	struct stages_reading run[STAGES_PARTS];
	size_t turns;
	double attached[STAGES_TURNS_MAX];
	double whole[STAGES_TURNS_MAX];
};

void stages_overhead_add(struct stages_overhead *overhead, enum stages_part part,
			 const struct stages_reading *now);
void stages_overhead_turn(struct stages_overhead *overhead);
double stages_overhead_pause(const struct stages_overhead *overhead, double share);

#endif
