/* SPDX-License-Identifier: GPL-2.0 */
/*
 * repeat: repeat a run and summarize the results.
 */
#ifndef KTPUT_CTL_REPEAT_H
#define KTPUT_CTL_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "../analysis/statistics.h"
#include "../base/command.h"
#include "../run/run_options.h"

/**
 * struct repeat_outcome - outcome of a run
 * @ran: the run was started and followed to its end
 * @valid: the result is valid
 * @interrupted: the user ended the run
 * @disturbed: other work took part of its CPUs
 * @round_trips: the result is the median round trip
 * @value: the result, in bit/s of goodput or in nanoseconds
 */
struct repeat_outcome {
	bool ran;
	bool valid;
	bool interrupted;
	bool disturbed;
	bool round_trips;
	double value;
};

/**
 * struct repeat_progress - the runs so far
 * @most: maximum number of runs
 * @runs: number of runs made
 * @round_trips: they are of round trips
 * @value: results of the valid runs
 * @valid: number of valid runs
 * @disturbed: number of those that are disturbed
 * @invalid: at least one run was invalid and not interrupted
 * @interrupted: the user ended the last run
 * @statistics: statistics of the valid runs
 */
struct repeat_progress {
	uint64_t most;
	uint64_t runs;
	bool round_trips;
	double *value;
	size_t valid;
	size_t disturbed;
	bool invalid;
	bool interrupted;
	struct statistics statistics;
};

/* Makes one run, prints its result and returns an exit status. */
typedef int (*repeat_run)(const struct command_context *context,
			  const void *data, struct repeat_outcome *outcome);

bool repeat_begin(struct repeat_progress *progress,
		  const struct repeat_options *options);
void repeat_add(struct repeat_progress *progress,
		const struct repeat_options *options, struct output *out,
		const struct repeat_outcome *outcome);
void repeat_summary(struct output *out, const struct repeat_progress *progress,
		    const struct repeat_options *options);
void repeat_end(struct repeat_progress *progress);
bool repeat_wanted(const struct repeat_options *options);
int repeat_runs(const struct command_context *context, const void *data,
		const struct repeat_options *options, repeat_run run);

#endif
