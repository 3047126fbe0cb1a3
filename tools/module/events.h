/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events: events that perf counts on a CPU.
 */
#ifndef KTPUT_TOOLS_EVENTS_H
#define KTPUT_TOOLS_EVENTS_H

#include <linux/ktput.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/output.h"

/* Events have the numbers of their attributes, from first to last. */
#define EVENTS_FIRST	KTPUT_A_EVENTS_CORE_CYCLES
#define EVENTS_LAST	KTPUT_A_EVENTS_CPU_MIGRATIONS

/* Maximum length of a key. */
#define EVENTS_KEY_SIZE	48

/**
 * struct events - events of a CPU
 * @known: whether an event is counted
 * @count: its count, 0 if unknown
 * @reason: why it is not counted, a constant string; NULL if unknown
 */
struct events {
	bool known[EVENTS_LAST + 1];
	uint64_t count[EVENTS_LAST + 1];
	const char *reason[EVENTS_LAST + 1];
};

const char *events_key(int event);
void events_reason_key(int event, char *key);
const char *events_name(int event);
const char *events_reason(int error);
bool events_told(const struct events *events);
struct events events_difference(const struct events *later,
				const struct events *earlier);
void events_add(struct events *to, const struct events *from);

/**
 * struct event_table - a table being built
 * @out: the output
 * @key: JSON key of the rows, or NULL for a table for text alone
 * @count: number of CPUs so far
 * @sum: sum of their events
 */
struct event_table {
	struct output *out;
	const char *key;
	size_t count;
	struct events sum;
};

void event_table_row(struct event_table *table, unsigned int cpu,
		     const struct events *events);
void event_table_end(struct event_table *table);

#endif
