/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_report: print a profile.
 */
#ifndef KTPUT_CTL_PROFILE_REPORT_H
#define KTPUT_CTL_PROFILE_REPORT_H

#include "../analysis/breakdown.h"
#include "../base/output.h"
#include "../module/client.h"

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

/*
 * Samples of each CPU in a second. The rate does not divide the tick frequency, so
 * that samples do not always hit the same work.
 */
#define PROFILING_HZ	999

/**
 * struct profiling - samples and their breakdown
 * @frequency_hz: samples of each CPU in a second
 * @classes: the table of classes
 * @profiler: program and events
 * @symbols: names of functions
 * @stacks: sampled stacks
 * @stack_count: number of stacks
 * @breakdown: samples by class
 * @module: the module and its cycle counter; zeroes without a module
 */
struct profiling {
	uint64_t frequency_hz;
	struct classes classes;
	struct profiler profiler;
	struct symbols symbols;
	struct profiler_stack *stacks;
	size_t stack_count;
	struct breakdown breakdown;
	struct client_module module;
};

int profiling_open(struct profiling *profiling, const struct units_cpus *cpus,
		   const char *classes, bool detail, struct units_error *err);
int profiling_compute(struct profiling *profiling, struct units_error *err);
void profiling_print(const struct profiling *profiling, struct output *out,
		     struct profile_report *report);
void profiling_warn(const struct profiling *profiling, struct output *out);
void profiling_close(struct profiling *profiling);

#endif
