/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reference: what this machine does beside a session.
 *
 * Packets that each CPU receives while no run of the session is there yet; what
 * processes and quotas had before, and after.
 */
#ifndef KTPUT_CTL_REFERENCE_H
#define KTPUT_CTL_REFERENCE_H

#include "../module/cpu_times.h"
#include "../host/tasks.h"

/**
 * struct reference_cpu - a CPU beside the runs
 * @packets_known: the packets are known
 * @packets: that it received while the runs were not there yet
 * @longest_known: there is a process that used it
 * @longest: the process that used most of it while the runs lasted
 */
struct reference_cpu {
	bool packets_known;
	uint32_t packets;
	bool longest_known;
	struct task longest;
};

/**
 * struct reference - what there is beside a session
 * @count: CPUs, from number 0 on
 * @cpu: the CPUs; NULL before reference_end()
 * @elapsed_ns: length of the time without the runs, 0 before its end
 * @throttled: whether the time that quotas took is known
 * @throttled_us: before the runs; then, what they took meanwhile
 * @first: what the CPUs had done at the begin
 * @begin_ns: CLOCK_MONOTONIC then
 * @before: processes before the runs
 */
struct reference {
	size_t count;
	struct reference_cpu *cpu;
	uint64_t elapsed_ns;
	bool throttled;
	uint64_t throttled_us;
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
void reference_free(struct reference *reference);

#endif
