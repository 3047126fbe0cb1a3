/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profiling: the sampled breakdown of what happens meanwhile.
 */
#ifndef KTPUT_CTL_PROFILING_H
#define KTPUT_CTL_PROFILING_H

#include "../analysis/breakdown.h"
#include "../module/client.h"
#include "../base/output.h"
#include "profile_report.h"

/*
 * Samples of each CPU in a second: not a divisor of the tick's frequency, lest
 * it always meets the same work.
 */
#define PROFILING_HZ	999

/**
 * struct profiling - samples, and what they came to
 * @frequency_hz: samples of each CPU in a second
 * @classes: the table of classes
 * @profiler: program and events
 * @symbols: names of functions
 * @stacks: what was sampled
 * @stack_count: how many of them
 * @breakdown: samples by class
 * @module: what cycles are counted in; zeroes where there is no module
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
