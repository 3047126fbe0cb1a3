// SPDX-License-Identifier: GPL-2.0
/* reference: what this machine does beside a session. */
#include <stdlib.h>
#include <time.h>

#include "../host/cpus.h"
#include "../host/throttle.h"
#include "reference.h"

/*
 * A packet more or less in that time is 50 a second: far less than what takes a
 * CPU's time.
 */
#define LENGTH_NS	(20 * 1000000ULL)

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UNITS_NSEC_PER_SEC + now.tv_nsec;
}

static size_t count_cpus(void)
{
	struct units_cpus online;
	struct units_error ignored;
	size_t count = 0;

	if (cpus_online(&online, &ignored))
		return 0;
	for (unsigned int cpu = 0; cpu < UNITS_CPU_MAX; cpu++)
		if (units_cpus_has(&online, cpu))
			count = cpu + 1;
	return count;
}

/**
 * reference_begin() - begin the time without the runs
 * @reference: zeroed; nothing happens where it has begun
 */
void reference_begin(struct reference *reference)
{
	if (reference->first)
		return;
	reference->count = count_cpus();
	reference->first = calloc(reference->count + 1,
				  sizeof(*reference->first));
	if (!reference->first)
		return;
	cpu_times_read(reference->first, reference->count);
	reference->begin_ns = now_ns();
}

/**
 * reference_end() - end the time without the runs, before the first one
 * @reference: reference; nothing happens where that is over
 */
void reference_end(struct reference *reference)
{
	const uint64_t end_ns = reference->begin_ns + LENGTH_NS;
	const struct timespec until = {
		.tv_sec = end_ns / UNITS_NSEC_PER_SEC,
		.tv_nsec = end_ns % UNITS_NSEC_PER_SEC,
	};

	if (!reference->first || reference->last)
		return;
	reference->last = calloc(reference->count + 1,
				 sizeof(*reference->last));
	if (!reference->last)
		return;
	tasks_read(&reference->before);
	reference->throttled = throttle_read(&reference->throttled_us);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	cpu_times_read(reference->last, reference->count);
	reference->elapsed_ns = now_ns() - reference->begin_ns;
}

/**
 * reference_finish() - look again, after the runs
 * @reference: reference that has ended
 */
void reference_finish(struct reference *reference)
{
	uint64_t us;

	tasks_free(&reference->after);
	tasks_read(&reference->after);
	if (!reference->throttled)
		return;
	reference->throttled = throttle_read(&us);
	reference->throttled_us = us - reference->throttled_us;
}

/**
 * reference_packets_per_s() - packets that a CPU received without the runs
 * @reference: reference that has ended
 * @cpu: number of the CPU
 *
 * Return: packets a second, 0 where that is not known.
 */
double reference_packets_per_s(const struct reference *reference, uint32_t cpu)
{
	struct cpu_times between;

	if (!reference->elapsed_ns || cpu >= reference->count)
		return 0;
	between = cpu_times_difference(&reference->last[cpu],
				       &reference->first[cpu]);
	if (!between.packets_known)
		return 0;
	return (double)between.packets * UNITS_NSEC_PER_SEC /
	       reference->elapsed_ns;
}

/**
 * reference_record() - record what attribution takes from a reference
 * @reference: reference that has ended
 * @out: the output
 */
void reference_record(const struct reference *reference, struct output *out)
{
	if (!reference->elapsed_ns)
		return;
	output_object_begin(out, "reference");
	output_data_u64(out, "elapsed_ns", reference->elapsed_ns);
	if (reference->throttled)
		output_data_u64(out, "throttled_us", reference->throttled_us);
	output_array_begin(out, "cpus");
	for (size_t i = 0; i < reference->count; i++) {
		struct cpu_times between =
			cpu_times_difference(&reference->last[i],
					     &reference->first[i]);

		if (!between.packets_known)
			continue;
		output_object_begin(out, NULL);
		output_data_u64(out, "cpu", i);
		output_data_u64(out, "received_packets", between.packets);
		output_object_end(out);
	}
	output_array_end(out);
	output_object_end(out);
}

/**
 * reference_free() - free what a reference has
 * @reference: reference
 */
void reference_free(struct reference *reference)
{
	free(reference->first);
	free(reference->last);
	tasks_free(&reference->before);
	tasks_free(&reference->after);
	*reference = (struct reference) { 0 };
}
