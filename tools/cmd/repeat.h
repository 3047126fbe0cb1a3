/* SPDX-License-Identifier: GPL-2.0 */
/*
 * repeat: one run after the other, and what they have in common.
 */
#ifndef KTPUT_CTL_REPEAT_H
#define KTPUT_CTL_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/command.h"
#include "../run/run_options.h"

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
