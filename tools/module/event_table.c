// SPDX-License-Identifier: GPL-2.0
/* event_table: print the events of CPUs, one row each. */
#include <inttypes.h>

#include "../base/units.h"
#include "event_table.h"

static const struct output_column columns[] = {
	{ .title = "CPU" }, { .title = "core cycles" },
	{ .title = "instructions" }, { .title = "IPC" },
	{ .title = "switches" }, { .title = "migrations" },
};

static void print_event(struct output *out, const struct events *events,
			int event)
{
	char reason_key[EVENTS_KEY_SIZE];

	if (events->known[event]) {
		output_u64(out, events_key(event), events->count[event],
			   "%" PRIu64, events->count[event]);
		return;
	}
	output_text(out, "-");
	events_reason_key(event, reason_key);
	if (events->reason[event])
		output_data_string(out, reason_key, events->reason[event]);
}

static void print_ipc(struct output *out, const struct events *events)
{
	const int cycles = KTPUT_A_EVENTS_CORE_CYCLES;
	const int instructions = KTPUT_A_EVENTS_INSTRUCTIONS;
	double ipc;

	if (!events->known[cycles] || !events->known[instructions] ||
	    !events->count[cycles]) {
		output_text(out, "-");
		return;
	}
	ipc = (double)events->count[instructions] / events->count[cycles];
	output_double(out, "instructions_per_cycle", ipc, "%.2f", ipc);
}

/**
 * event_table_row() - add a CPU
 * @table: table; before the first row only the output and the key are set
 * @cpu: its number
 * @events: events there; no row is added if the kernel reports none
 */
void event_table_row(struct event_table *table, unsigned int cpu,
		     const struct events *events)
{
	struct output *out = table->out;

	if (!events_told(events))
		return;
	if (table->count++)
		events_add(&table->sum, events);
	else
		table->sum = *events;
	if (table->count == 1) {
		output_text(out, "\nEvents that perf counts\n");
		output_table_begin(out, table->key, columns, COUNT(columns),
				   false);
	}
	output_row_begin(out);
	output_u64(out, "cpu", cpu, "%u", cpu);
	print_event(out, events, KTPUT_A_EVENTS_CORE_CYCLES);
	print_event(out, events, KTPUT_A_EVENTS_INSTRUCTIONS);
	print_ipc(out, events);
	print_event(out, events, KTPUT_A_EVENTS_CONTEXT_SWITCHES);
	print_event(out, events, KTPUT_A_EVENTS_CPU_MIGRATIONS);
	output_row_end(out);
}

/**
 * event_table_end() - print the rows and the events that are not counted
 * @table: table
 */
void event_table_end(struct event_table *table)
{
	if (!table->count)
		return;
	output_table_end(table->out);
	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++)
		if (table->sum.reason[i])
			output_text(table->out, "%-16s not counted: %s\n",
				    events_name(i), table->sum.reason[i]);
}
