/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_table: print the events of CPUs, one row each.
 */
#ifndef KTPUT_TOOLS_EVENT_TABLE_H
#define KTPUT_TOOLS_EVENT_TABLE_H

#include <stddef.h>

#include "events.h"
#include "../base/output.h"

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
