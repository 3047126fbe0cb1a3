/* SPDX-License-Identifier: GPL-2.0 */
/*
 * repeat: one run after the other, and what they have in common.
 */
#ifndef KTPUT_CTL_REPEAT_H
#define KTPUT_CTL_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/command.h"

/* Runs at most where "until" is given alone; netperf's -I has as many. */
#define REPEAT_DEFAULT	10
#define REPEAT_MAX	10000

/**
 * struct repeat_options - how often a run is repeated
 * @count: runs, at most where @ci_percent is wanted; 0 for one that is not
 *	repeated
 * @ci_percent: half width of the confidence interval over its mean at which to
 *	stop, 0 where it does not matter
 */
struct repeat_options {
	uint64_t count;
	double ci_percent;
};

/**
 * struct repeat_outcome - what came of a run
 * @ran: it was started, and followed to its end
 * @valid: the result is one
 * @interrupted: the user ended it
 * @goodput_bps: the result
 */
struct repeat_outcome {
	bool ran;
	bool valid;
	bool interrupted;
	double goodput_bps;
};

/* Makes one run, prints what came of it, and returns an exit status. */
typedef int (*repeat_run)(const struct command_context *context,
			  const void *data, struct repeat_outcome *outcome);

bool repeat_wanted(const struct repeat_options *options);
int repeat_runs(const struct command_context *context, const void *data,
		const struct repeat_options *options, repeat_run run);

#endif
