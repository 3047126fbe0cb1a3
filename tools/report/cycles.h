/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cycles: what those of each CPU went into.
 *
 * Where a record does not tell the contexts, they are busy and idle.
 */
#ifndef KTPUT_REPORT_CYCLES_H
#define KTPUT_REPORT_CYCLES_H

#include "record.h"

#define CYCLES_CONTEXTS_MAX	9

/**
 * struct cycles_cpu - one CPU
 * @id: its number
 * @cycles: by context, in the order of the names
 * @total: of all of them
 */
struct cycles_cpu {
	unsigned int id;
	double cycles[CYCLES_CONTEXTS_MAX];
	double total;
};

/**
 * struct cycles - the CPUs of a run
 * @contexts: how many there are
 * @name: their names
 * @count: CPUs
 * @cpu: the CPUs
 */
struct cycles {
	size_t contexts;
	const char *const *name;
	size_t count;
	struct cycles_cpu *cpu;
};

void cycles_get(const struct record *record, struct cycles *contexts);
void cycles_free(struct cycles *contexts);
void cycles_print(struct output *out, const struct record *record);

#endif
