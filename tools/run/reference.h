/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reference: activity of this machine that a session does not cause.
 *
 * It holds the packets that each CPU receives before the runs start, and the CPU
 * time of processes and quotas before and after the runs.
 */
#ifndef KTPUT_CTL_REFERENCE_H
#define KTPUT_CTL_REFERENCE_H

#include "../module/cpu_times.h"
#include "../host/tasks.h"

/**
 * struct reference_cpu - activity of a CPU outside the runs
 * @packets_known: the packets are known
 * @packets: packets that it received before the runs started
 * @longest_known: @longest is valid
 * @longest: the process that used the CPU most during the runs, with the CPU time
 * @delay_known: @delay_ns is valid
 * @delay_ns: time that its softirqs waited for it, as far as ksoftirqd does them: before
 *	the runs since the boot, after them during the runs
 * @program_ns: CPU time of the threads of this program that serve no run and ran there
 *	last
 */
struct reference_cpu {
	bool packets_known;
	uint32_t packets;
	bool longest_known;
	struct task longest;
	bool delay_known;
	uint64_t delay_ns;
	uint64_t program_ns;
};

/**
 * struct reference - activity outside a session
 * @count: CPUs, from number 0 on
 * @cpu: the CPUs; NULL before reference_end()
 * @elapsed_ns: length of the reference time, 0 before its end
 * @throttled: the throttled time is known
 * @throttled_us: throttled time before the runs; after them, during the runs
 * @throttled_ns: CLOCK_MONOTONIC of the reading before the runs; after them, time between
 *	the readings, 0 if unknown
 * @own_ns: CPU time of the calling thread before the runs; after them, during the runs
 * @first: readings of the CPUs at the beginning
 * @begin_ns: CLOCK_MONOTONIC at the beginning
 * @before: processes before the runs
 */
struct reference {
	size_t count;
	struct reference_cpu *cpu;
	uint64_t elapsed_ns;
	bool throttled;
	uint64_t throttled_us;
	uint64_t throttled_ns;
	uint64_t own_ns;
	struct cpu_times *first;
	uint64_t begin_ns;
	struct tasks before;
};

void reference_begin(struct reference *reference);
void reference_end(struct reference *reference);
void reference_finish(struct reference *reference);
double reference_packets_per_s(const struct reference *reference,
			       uint32_t cpu);
const struct task *reference_longest(const struct reference *reference,
				     uint32_t cpu);
uint64_t reference_program_ns(const struct reference *reference,
			      uint32_t cpu);
bool reference_delay_ns(const struct reference *reference, uint32_t cpu,
			uint64_t *ns);
void reference_free(struct reference *reference);

#endif
