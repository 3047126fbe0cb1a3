/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profiler: sample kernel stacks with a BPF program.
 *
 * This process owns the program and the events: they end with it.
 */
#ifndef KTPUT_TOOLS_PROFILER_H
#define KTPUT_TOOLS_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/units.h"
#include "../bpf/profile.h"

/* Source of samples: the PMU's cycles, or a kernel timer. */
#define PROFILER_CYCLES		"cycles"
#define PROFILER_TIMER		"cpu-clock"

struct profile;
struct bpf_link;

/**
 * struct profiler_cpu - a CPU that is sampled
 * @id: its number
 * @event: the sampling event
 * @link: BPF link of program and event
 * @count: value of the event when it was stopped: cycles, or nanoseconds
 * @samples: samples that were due; a late one stands for several
 * @squares: sum of the squares of the number each stands for
 * @lost: samples without a stored stack
 */
struct profiler_cpu {
	unsigned int id;
	int event;
	struct bpf_link *link;
	uint64_t count;
	uint64_t samples;
	uint64_t squares;
	uint64_t lost;
};

/**
 * struct profiler_stack - a stack and its number of samples
 * @stack: CPU and addresses
 * @samples: number of samples
 */
struct profiler_stack {
	struct profile_stack stack;
	uint64_t samples;
};

/**
 * struct profiler - a program and its events
 * @program: the program, loaded
 * @cpu: sampled CPUs
 * @cpus: number of CPUs
 * @timer: the event is a timer, for lack of a PMU
 * @pmu_error: errno, positive, of a refused PMU event
 * @begun_ns: CLOCK_MONOTONIC of the start of the first event
 * @elapsed_ns: time from @begun_ns until the events were stopped
 */
struct profiler {
	struct profile *program;
	struct profiler_cpu *cpu;
	size_t cpus;
	bool timer;
	int pmu_error;
	uint64_t begun_ns;
	uint64_t elapsed_ns;
};

int profiler_open(struct profiler *profiler, const struct units_cpus *cpus,
		  uint64_t frequency_hz, bool detail, struct units_error *err);
int profiler_begin(struct profiler *profiler, struct units_error *err);
int profiler_stop(struct profiler *profiler, struct units_error *err);
int profiler_stacks(const struct profiler *profiler,
		    struct profiler_stack **stacks, size_t *count,
		    struct units_error *err);
void profiler_close(struct profiler *profiler);

#endif
