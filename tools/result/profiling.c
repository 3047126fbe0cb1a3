// SPDX-License-Identifier: GPL-2.0
/* profiling: sample the CPUs and break the samples down by class. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/cpus.h"
#include "profiling.h"

static int choose_cpus(const struct units_cpus *wanted,
		       struct units_cpus *cpus, struct units_error *err)
{
	struct units_cpus absent = *wanted;
	char list[64];

	if (cpus_online(cpus, err))
		return -1;
	if (wanted->all)
		return 0;
	if (cpus_without(&absent, cpus)) {
		if (cpus_show(&absent, list, sizeof(list)))
			snprintf(list, sizeof(list), "some");
		units_refuse(err, "refused: cpus: %s: not online", list);
		return -1;
	}
	*cpus = *wanted;
	return 0;
}

/**
 * profiling_open() - prepare for profiler_begin()
 * @profiling: zeroed except for its frequency; profiling_close() releases it, also
 *	after an error
 * @cpus: CPUs to sample
 * @classes: file of the table of classes, or NULL for the installed one
 * @detail: print libbpf's messages to stderr
 * @err: reason for the refusal
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int profiling_open(struct profiling *profiling, const struct units_cpus *cpus,
		   const char *classes, bool detail, struct units_error *err)
{
	struct units_cpus sampled;

	if (classes_open(&profiling->classes, classes, err) ||
	    choose_cpus(cpus, &sampled, err) || symbols_check(err))
		return -1;
	return profiler_open(&profiling->profiler, &sampled,
			     profiling->frequency_hz, detail, err);
}

/* Ask the module for its cycle counter; a missing module is not an error. */
static void ask_module(struct profiling *profiling)
{
	struct client_module *module = &profiling->module;
	struct units_error ignored;
	struct client client;

	if (client_open(&client, NULL, &ignored))
		return;
	if (client_module_get(&client, module, &ignored))
		memset(module, 0, sizeof(*module));
	client_close(&client);
}

/**
 * profiling_compute() - classify the samples
 * @profiling: its profiler has stopped
 * @err: why the classification fails
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int profiling_compute(struct profiling *profiling, struct units_error *err)
{
	/* Read symbols now to include modules loaded during the profile. */
	if (symbols_open(&profiling->symbols, err) ||
	    profiler_stacks(&profiling->profiler, &profiling->stacks,
			    &profiling->stack_count, err))
		return -1;
	ask_module(profiling);
	return breakdown_compute(profiling->stacks, profiling->stack_count,
				 &profiling->profiler, &profiling->symbols,
				 &profiling->classes, &profiling->breakdown,
				 err);
}

/**
 * profiling_print() - print a profile
 * @profiling: computed profile
 * @out: the output
 * @report: its command is set; the rest is filled in
 */
void profiling_print(const struct profiling *profiling, struct output *out,
		     struct profile_report *report)
{
	report->profiler = &profiling->profiler;
	report->classes = &profiling->classes;
	report->breakdown = &profiling->breakdown;
	report->frequency_hz = profiling->frequency_hz;
	report->clock = profiling->module.clock;
	report->clock_hz = profiling->module.clock_hz;
	profile_report_print(out, report);
}

/**
 * profiling_warn() - warn of the gaps of a profile
 * @profiling: its profiler has stopped
 * @out: the output
 */
void profiling_warn(const struct profiling *profiling, struct output *out)
{
	const uint64_t lost = profile_report_lost(&profiling->profiler);

	if (profiling->profiler.timer)
		output_warning(out, "no hardware event for cycles here "
			       "(%s): the timer cpu-clock samples instead, "
			       "and sees nothing while interrupts are off",
			       strerror(profiling->profiler.pmu_error));
	if (lost)
		output_warning(out, "%" PRIu64 " samples are lost: "
			       "there were more different stacks than there is room for",
			       lost);
}

/**
 * profiling_close() - release a profile
 * @profiling: profile from profiling_open(), or zeroes
 */
void profiling_close(struct profiling *profiling)
{
	profiler_close(&profiling->profiler);
	breakdown_free(&profiling->breakdown);
	free(profiling->stacks);
	symbols_free(&profiling->symbols);
	classes_free(&profiling->classes);
}
