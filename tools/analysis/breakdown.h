/* SPDX-License-Identifier: GPL-2.0 */
/*
 * breakdown: samples by class of work.
 *
 * The class of a sample is that of its innermost frame with a class: memcpy() is
 * a copy for any caller, and a helper without a rule is part of its caller. The
 * leaf is the frame where the CPU was, or the one that it stands for.
 */
#ifndef KTPUT_TOOLS_BREAKDOWN_H
#define KTPUT_TOOLS_BREAKDOWN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../host/profiler.h"
#include "../host/symbols.h"
#include "classes.h"

/* Confidence level of the interval. */
#define BREAKDOWN_CONFIDENCE	0.95

/* One more than the number of classes: samples without a class. */
#define BREAKDOWN_CLASSES	(CLASSES_MAX + 1)

/**
 * struct breakdown_interval - a share and its confidence interval
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
 * struct breakdown_symbol - a function seen in samples
 * @name: its name, "user space", or "" if unknown
 * @module: its module, or ""
 * @class: class of these samples; the number of classes for none
 * @samples: number of samples
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
 * @samples: all samples, with a class or without
 * @effective: number of independent samples that they are worth: (sum of
 *	weights)^2 / sum of their squares, if one stands for several
 * @class: samples by class; the last element counts those without a class
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
 * @by_caller: samples of @total that a caller of the leaf classified
 * @cpu: of each CPU
 * @cpus: number of CPUs
 * @symbol: functions, by class, most samples first
 * @symbols: number of functions
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

void folded_write(const struct profiler_stack *stacks, size_t count,
		  const struct symbols *symbols, FILE *to);

#endif
