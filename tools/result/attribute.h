/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attribute: attribute the cycles of a session's CPUs to their users.
 */
#ifndef KTPUT_CTL_ATTRIBUTE_H
#define KTPUT_CTL_ATTRIBUTE_H

#include "../analysis/attribution.h"
#include "../run/session.h"

/**
 * struct attribute_cpu - a CPU of a session
 * @read: the end whose readings these are, on the host of the CPU
 * @id: number
 * @elapsed_ns: time between the readings
 * @ends: bits RUN_END_SOURCE and RUN_END_SINK of the ends that made calls there
 * @cycles: attribution of its cycles
 * @own: share of the cycles that the run used
 * @foreign: share of the cycles that other work used
 * @delayed: share of the time that the run's thread was ready and did not run, the greatest
 *	of both ends; NaN if unknown
 * @softirq_delayed: share of the time that its softirqs waited for it; NaN if unknown
 * @asleep: share of the time that this thread had nothing to do; NaN if unknown
 */
struct attribute_cpu {
	const struct session_end *read;
	uint32_t id;
	uint64_t elapsed_ns;
	unsigned int ends;
	struct attribution cycles;
	double own;
	double foreign;
	double delayed;
	double softirq_delayed;
	double asleep;
};

/**
 * struct attribute_each - a place among the CPUs of all hosts of a session
 * @reader: number of the host, as of cpu_table_reader()
 * @cpu: index of the next CPU in its readings
 * @read: the end whose readings these are
 * @id: number of the CPU
 */
struct attribute_each {
	size_t reader;
	size_t cpu;
	const struct session_end *read;
	uint32_t id;
};

/**
 * struct attribute_disturbance - other work on the CPUs of a run
 * @known: the other fields are valid
 * @disturbed: other work exceeds the allowed share on at least one CPU
 * @cpu: the CPU with the largest share of other work
 * @text: description of that work; empty if the run is not disturbed
 */
struct attribute_disturbance {
	bool known;
	bool disturbed;
	struct attribute_cpu cpu;
	char text[160];
};

/**
 * struct attribute_span - what the run itself used between two readings
 * @own_share: share of the CPU that it used most; NaN if unknown
 * @own_cycles: cycles of all CPUs; NaN if unknown
 */
struct attribute_span {
	double own_share;
	double own_cycles;
};

bool attribute_cpu(const struct session *session,
		   const struct session_end *read, uint32_t id,
		   struct attribute_cpu *to);
bool attribute_next(const struct session *session, struct attribute_each *each,
		    struct attribute_cpu *to);
bool attribute_busiest(const struct session *session, struct attribute_cpu *to);
void attribute_interval(const struct session *session,
			const struct client_snapshot *source_before,
			const struct client_snapshot *sink_before,
			double window_ns, struct attribute_span *to);
double attribute_own_share(const struct session *session,
			   const struct session_end *end, uint32_t id);
bool attribute_disturbed(const struct session *session);
void attribute_disturbance(const struct session *session,
			   struct attribute_disturbance *to);
void attribute_record(struct output *out, const struct attribution *of);

#endif
