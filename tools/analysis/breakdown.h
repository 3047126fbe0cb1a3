/* SPDX-License-Identifier: GPL-2.0 */
/*
 * breakdown: samples by class of work.
 *
 * A sample is of the class of its innermost frame that has one: what memcpy()
 * does is a copy whoever calls it, and a helper that no rule knows is part of
 * what calls it. The frame where the CPU was counts as leaf, or the one that it
 * stands for.
 */
#ifndef KTPUT_TOOLS_BREAKDOWN_H
#define KTPUT_TOOLS_BREAKDOWN_H

#include <stddef.h>
#include <stdint.h>

#include "classes.h"
#include "../host/profiler.h"
#include "../host/symbols.h"

/* The share that was measured is within the interval so often. */
#define BREAKDOWN_CONFIDENCE	0.95

/* One more than there can be: what is in none. */
#define BREAKDOWN_CLASSES	(CLASSES_MAX + 1)

/**
 * struct breakdown_interval - a share, and where the true one may be
 * @share: of all samples, 0 to 1
 * @low: lower limit
 * @high: upper limit
 */
struct breakdown_interval {
	double share;
	double low;
	double high;
};

/**
 * struct breakdown_symbol - a function that a CPU was in
 * @name: its name, "user space", or "" where it has none
 * @module: its module, or ""
 * @class: of these samples; the table's count of classes for none
 * @samples: how often
 */
struct breakdown_symbol {
	const char *name;
	const char *module;
	size_t class;
	uint64_t samples;
};

/**
 * struct breakdown_cpu - samples of a CPU, or of all
 * @id: its number
 * @samples: that have a class, or none
 * @effective: as how many independent ones they are worth: where one stands for
 *	several, (sum of weights)^2 / sum of their squares
 * @class: samples by class; the last one, at the table's count, has none
 */
struct breakdown_cpu {
	unsigned int id;
	uint64_t samples;
	double effective;
	uint64_t class[BREAKDOWN_CLASSES];
};

/**
 * struct breakdown - samples by class
 * @total: of all CPUs
 * @by_caller: those of them that a frame further out than the leaf has classed
 * @cpu: of each CPU
 * @cpus: how many
 * @symbol: functions, by class, most samples first
 * @symbols: how many
 */
struct breakdown {
	struct breakdown_cpu total;
	uint64_t by_caller[BREAKDOWN_CLASSES];
	struct breakdown_cpu *cpu;
	size_t cpus;
	struct breakdown_symbol *symbol;
	size_t symbols;
};

int breakdown_compute(const struct profiler_stack *stacks, size_t count,
		      const struct profiler *profiler,
		      const struct symbols *symbols,
		      const struct classes *classes,
		      struct breakdown *breakdown, struct units_error *err);
void breakdown_free(struct breakdown *breakdown);
struct breakdown_interval breakdown_share(const struct breakdown_cpu *cpu,
					  size_t class);

#endif
