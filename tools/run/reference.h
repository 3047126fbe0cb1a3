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
#include "../base/output.h"
#include "../host/tasks.h"

/**
 * struct reference - what there is beside a session
 * @count: CPUs, from number 0 on
 * @first: what they did at its begin
 * @last: what they did at its end; NULL before
 * @begin_ns: CLOCK_MONOTONIC then
 * @elapsed_ns: length
 * @before: processes before the runs
 * @after: processes after them
 * @throttled: whether the time that quotas took is known
 * @throttled_us: before the runs; then, what they took meanwhile
 */
struct reference {
	size_t count;
	struct cpu_times *first;
	struct cpu_times *last;
	uint64_t begin_ns;
	uint64_t elapsed_ns;
	struct tasks before;
	struct tasks after;
	bool throttled;
	uint64_t throttled_us;
};

void reference_begin(struct reference *reference);
void reference_end(struct reference *reference);
void reference_finish(struct reference *reference);
double reference_packets_per_s(const struct reference *reference,
			       uint32_t cpu);
void reference_record(const struct reference *reference, struct output *out);
void reference_free(struct reference *reference);

#endif
