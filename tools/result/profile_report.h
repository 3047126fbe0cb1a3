/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_report: print a profile.
 */
#ifndef KTPUT_CTL_PROFILE_REPORT_H
#define KTPUT_CTL_PROFILE_REPORT_H

#include "../analysis/breakdown.h"
#include "../base/output.h"

/**
 * struct profile_report - a profile and its description
 * @profiler: samples and their clock
 * @classes: the table of classes
 * @breakdown: samples by class
 * @frequency_hz: requested frequency
 * @clock: cycle counter of the module, or "" if unknown
 * @clock_hz: its frequency, or 0
 * @command: the profiled command, terminated by NULL, or NULL
 * @status: exit status of the command
 * @interrupted: the user ended the profile
 * @symbols: print functions too
 */
struct profile_report {
	const struct profiler *profiler;
	const struct classes *classes;
	const struct breakdown *breakdown;
	uint64_t frequency_hz;
	const char *clock;
	uint64_t clock_hz;
	char *const *command;
	int status;
	bool interrupted;
	bool symbols;
};

uint64_t profile_report_lost(const struct profiler *profiler);
void profile_report_print(struct output *out,
			  const struct profile_report *report);

#endif
