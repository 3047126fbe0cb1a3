/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_table: the events of CPUs, one a row.
 */
#ifndef KTPUT_TOOLS_EVENT_TABLE_H
#define KTPUT_TOOLS_EVENT_TABLE_H

#include <stddef.h>

#include "events.h"
#include "../base/output.h"

/**
 * struct event_table - a table under way
 * @out: the output
 * @key: JSON key of the rows, or NULL for a table of the text alone
 * @count: CPUs so far
 * @sum: their events together
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
