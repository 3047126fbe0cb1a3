// SPDX-License-Identifier: GPL-2.0
/* reference: activity of this machine that a session does not cause. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../base/clocks.h"
#include "../host/cpus.h"
#include "../host/throttle.h"
#include "session.h"

/*
 * One packet in this time is 50 packets/s, far too few to load a CPU.
 */
#define LENGTH_NS	(20 * 1000000ULL)

static size_t count_cpus(void)
{
	struct units_cpus online;
	struct units_error ignored;
	size_t count = 0;

	if (cpus_online(&online, &ignored))
		return 0;
	UNITS_EACH_CPU(cpu, &online)
		count = cpu + 1;
	return count;
}

/**
 * reference_begin() - begin the reference time, before the runs
 * @reference: zeroed; the call does nothing if it has already begun
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
	reference->begin_ns = monotonic_ns();
}

static bool read_delay(const struct reference *reference, size_t cpu, uint64_t *ns)
{
	char name[TASKS_NAME_SIZE];

	snprintf(name, sizeof(name), "ksoftirqd/%zu", cpu);
	return tasks_delay_ns(&reference->before, name, ns);
}

/**
 * reference_end() - end the reference time, before the first run
 * @reference: reference; the call does nothing if it has already ended
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
	reference->throttled_ns = monotonic_ns();
	reference->own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	cpu_times_read(last, reference->count);
	reference->elapsed_ns = monotonic_ns() - reference->begin_ns;
	for (size_t i = 0; i < reference->count; i++) {
		const struct cpu_times between =
			cpu_times_difference(&last[i], &reference->first[i]);

		reference->cpu[i].packets_known = between.packets_known;
		reference->cpu[i].packets = between.packets;
		reference->cpu[i].delay_known =
			read_delay(reference, i, &reference->cpu[i].delay_ns);
	}
	free(last);
}

/**
 * reference_finish() - take the readings after the runs
 * @reference: reference that has ended
 */
void reference_finish(struct reference *reference)
{
	struct reference_cpu *cpu = reference->cpu;
	const int here = sched_getcpu();
	struct tasks after;
	uint64_t us;

	reference->own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) -
			    reference->own_ns;
	if (cpu && here >= 0 && (size_t)here < reference->count)
		cpu[here].program_ns = reference->own_ns;
	tasks_read(&after);
	for (size_t i = 0; cpu && i < reference->count; i++) {
		uint64_t delay_ns = 0;

		cpu[i].longest_known = tasks_longest(&reference->before, &after,
						     i, getpid(),
						     &cpu[i].longest);
		cpu[i].delay_known = cpu[i].delay_known &&
				     read_delay(reference, i, &delay_ns);
		cpu[i].delay_ns = delay_ns - cpu[i].delay_ns;
	}
	tasks_free(&after);
	if (!reference->throttled)
		return;
	reference->throttled = throttle_read(&us);
	reference->throttled_ns = monotonic_ns() - reference->throttled_ns;
	reference->throttled_us = us - reference->throttled_us;
}

/**
 * reference_packets_per_s() - packet rate of a CPU before the runs
 * @reference: reference that has ended
 * @cpu: number of the CPU
 *
 * Return: packets per second, 0 if unknown.
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
 * reference_longest() - find the process outside the runs that used a CPU most
 * @reference: reference that has finished
 * @cpu: number of the CPU
 *
 * Return: the process, NULL if unknown.
 */
const struct task *reference_longest(const struct reference *reference,
				     uint32_t cpu)
{
	return reference->cpu && cpu < reference->count &&
	       reference->cpu[cpu].longest_known ?
	       &reference->cpu[cpu].longest : NULL;
}

/**
 * reference_program_ns() - CPU time of this program beside its runs
 * @reference: reference that has finished
 * @cpu: number of the CPU
 *
 * Return: nanoseconds on that CPU, as far as is known.
 */
uint64_t reference_program_ns(const struct reference *reference, uint32_t cpu)
{
	return reference->cpu && cpu < reference->count ?
	       reference->cpu[cpu].program_ns : 0;
}

/**
 * reference_delay_ns() - time that softirqs of a CPU waited for it
 * @reference: reference that has finished
 * @cpu: number of the CPU
 * @ns: nanoseconds during the runs
 *
 * Return: false if unknown.
 */
bool reference_delay_ns(const struct reference *reference, uint32_t cpu,
			uint64_t *ns)
{
	if (!reference->cpu || cpu >= reference->count ||
	    !reference->cpu[cpu].delay_known)
		return false;
	*ns = reference->cpu[cpu].delay_ns;
	return true;
}

/**
 * reference_free() - free the memory of a reference
 * @reference: reference
 */
void reference_free(struct reference *reference)
{
	free(reference->first);
	free(reference->cpu);
	tasks_free(&reference->before);
	*reference = (struct reference) { 0 };
}
