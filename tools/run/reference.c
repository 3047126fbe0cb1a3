// SPDX-License-Identifier: GPL-2.0
/* reference: what this machine does beside a session. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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

	struct cpu_times *last;

	if (!reference->first || reference->cpu)
		return;
	last = calloc(reference->count + 1, sizeof(*last));
	reference->cpu = calloc(reference->count + 1, sizeof(*reference->cpu));
	if (!last || !reference->cpu) {
		free(last);
		return;
	}
	tasks_read(&reference->before);
	reference->throttled = throttle_read(&reference->throttled_us);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	cpu_times_read(last, reference->count);
	reference->elapsed_ns = now_ns() - reference->begin_ns;
	for (size_t i = 0; i < reference->count; i++) {
		const struct cpu_times between =
			cpu_times_difference(&last[i], &reference->first[i]);

		reference->cpu[i].packets_known = between.packets_known;
		reference->cpu[i].packets = between.packets;
	}
	free(last);
}

/**
 * reference_finish() - look again, after the runs
 * @reference: reference that has ended
 */
void reference_finish(struct reference *reference)
{
	struct reference_cpu *cpu = reference->cpu;
	struct tasks after;
	uint64_t us;

	tasks_read(&after);
	for (size_t i = 0; cpu && i < reference->count; i++)
		cpu[i].longest_known = tasks_longest(&reference->before, &after,
						     i, getpid(),
						     &cpu[i].longest);
	tasks_free(&after);
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
	if (!reference->elapsed_ns || cpu >= reference->count ||
	    !reference->cpu[cpu].packets_known)
		return 0;
	return (double)reference->cpu[cpu].packets * UNITS_NSEC_PER_SEC /
	       reference->elapsed_ns;
}

/**
 * reference_longest() - the process that used most of a CPU beside the runs
 * @reference: reference that has finished
 * @cpu: number of the CPU
 *
 * Return: the process, NULL where none is known.
 */
const struct task *reference_longest(const struct reference *reference,
				     uint32_t cpu)
{
	return reference->cpu && cpu < reference->count &&
	       reference->cpu[cpu].longest_known ?
	       &reference->cpu[cpu].longest : NULL;
}

/**
 * reference_free() - free what a reference has
 * @reference: reference
 */
void reference_free(struct reference *reference)
{
	free(reference->first);
	free(reference->cpu);
	tasks_free(&reference->before);
	*reference = (struct reference) { 0 };
}
