/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profiler: samples of what the kernel does, taken by a BPF program.
 *
 * Program and events are of this process: they go when it does.
 */
#ifndef KTPUT_TOOLS_PROFILER_H
#define KTPUT_TOOLS_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../bpf/profile.h"
#include "../base/units.h"

/* What is sampled with: the PMU's cycles, or a timer of the kernel. */
#define PROFILER_CYCLES		"cycles"
#define PROFILER_TIMER		"cpu-clock"

struct profile;
struct bpf_link;

/**
 * struct profiler_cpu - a CPU that is sampled
 * @id: its number
 * @event: the sampling event
 * @link: program and event
 * @count: of the event when it was stopped: cycles, or nanoseconds
 * @samples: that were due; one that comes late stands for several
 * @squares: sum of the squares of what each stands for
 * @lost: samples that no stack was kept of
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
 * struct profiler_stack - a stack, and how often it was seen
 * @stack: CPU and addresses
 * @samples: how often
 */
struct profiler_stack {
	struct profile_stack stack;
	uint64_t samples;
};

/**
 * struct profiler - a program and its events
 * @program: the program, loaded
 * @cpu: CPUs that are sampled
 * @cpus: how many
 * @timer: the event is a timer, for want of a PMU
 * @pmu_error: errno, positive, that the PMU's event was refused with
 * @begun_ns: CLOCK_MONOTONIC when the first event was begun
 * @elapsed_ns: from then on until they were stopped
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
