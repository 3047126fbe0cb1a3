/* SPDX-License-Identifier: GPL-2.0 */
/* rungs: what the rungs of a ladder cost, read back. */
#ifndef KTPUT_REPORT_RUNGS_H
#define KTPUT_REPORT_RUNGS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Groups of a ladder: costs of three, and of each what lies between its rungs by
 * both methods. Rungs of a group: more is in no picture.
 */
#define RUNGS_GROUPS	6
#define RUNGS_MAX	16

/**
 * struct rung - one place, or one method, and its cost
 * @name: what it is called; the document owns it
 * @method: by what the cost is known, or NULL
 * @mean: busy cycles of all CPUs; NaN where it has no result
 * @ci_low: lower end of the confidence interval; NaN where there is none
 * @ci_high: upper end
 */
struct rung {
	const char *name;
	const char *method;
	double mean;
	double ci_low;
	double ci_high;
};

/**
 * struct rungs - the rungs of a group
 * @title: what the group is called
 * @unit: what the cost is in
 * @per_packet: the cost is that of a packet, else of a byte
 * @rung: the rungs
 * @count: how many
 * @results: how many of them have a result
 */
struct rungs {
	const char *title;
	const char *unit;
	bool per_packet;
	struct rung rung[RUNGS_MAX];
	size_t count;
	size_t results;
};

void rungs_get(struct json_object *document, size_t group, struct rungs *rungs);
double rungs_largest(const struct rungs *rungs);
double rungs_least(const struct rungs *rungs);

#endif
