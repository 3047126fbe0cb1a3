/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attribute: whose cycles those of the CPUs of a session were.
 */
#ifndef KTPUT_CTL_ATTRIBUTE_H
#define KTPUT_CTL_ATTRIBUTE_H

#include "../analysis/attribution.h"
#include "../run/session.h"

/**
 * struct attribute_cpu - a CPU of a session
 * @id: number
 * @elapsed_ns: time between the readings
 * @ends: bit of RUN_END_SOURCE and RUN_END_SINK, whose calls were there
 * @cycles: whose its cycles were
 * @own: share of them that is the run's
 * @foreign: share of them that others had
 */
struct attribute_cpu {
	uint32_t id;
	uint64_t elapsed_ns;
	unsigned int ends;
	struct attribution cycles;
	double own;
	double foreign;
};

/**
 * struct attribute_disturbance - what others did on the CPUs of a run
 * @known: whether that is known
 * @disturbed: it is more than what was allowed, on one of them
 * @cpu: the CPU with most of it
 * @text: what it was; empty where it is not disturbed
 */
struct attribute_disturbance {
	bool known;
	bool disturbed;
	struct attribute_cpu cpu;
	char text[160];
};

bool attribute_cpu(const struct session *session, uint32_t id,
		   struct attribute_cpu *to);
bool attribute_busiest(const struct session *session, struct attribute_cpu *to);
double attribute_own_share(const struct session *session, uint32_t id);
void attribute_disturbance(const struct session *session,
			   struct attribute_disturbance *to);
void attribute_record(struct output *out, const struct attribution *of);

#endif
