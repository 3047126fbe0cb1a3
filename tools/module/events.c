// SPDX-License-Identifier: GPL-2.0
/* events: events that perf counts on a CPU. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "../base/units.h"
#include "events.h"

static_assert((int)KTPUT_A_EVENT_ERRORS_MAX == (int)EVENTS_LAST,
	      "errors are numbered as events are");

static const char *const keys[] = {
	[KTPUT_A_EVENTS_CORE_CYCLES] = "core_cycles",
	[KTPUT_A_EVENTS_INSTRUCTIONS] = "instructions",
	[KTPUT_A_EVENTS_CONTEXT_SWITCHES] = "context_switches",
	[KTPUT_A_EVENTS_CPU_MIGRATIONS] = "cpu_migrations",
};

static const char *const names[] = {
	[KTPUT_A_EVENTS_CORE_CYCLES] = "Core cycles",
	[KTPUT_A_EVENTS_INSTRUCTIONS] = "Instructions",
	[KTPUT_A_EVENTS_CONTEXT_SWITCHES] = "Switches",
	[KTPUT_A_EVENTS_CPU_MIGRATIONS] = "Migrations",
};

/**
 * events_key() - key of an event in records
 * @event: event, EVENTS_FIRST to EVENTS_LAST
 *
 * Return: the JSON key of its count.
 */
const char *events_key(int event)
{
	return keys[event];
}

/**
 * events_reason_key() - key of the reason why an event is not counted
 * @event: event, EVENTS_FIRST to EVENTS_LAST
 * @key: buffer for the JSON key, of EVENTS_KEY_SIZE
 */
void events_reason_key(int event, char *key)
{
	snprintf(key, EVENTS_KEY_SIZE, "%s_not_counted", keys[event]);
}

/**
 * events_name() - name of an event in text
 * @event: event, EVENTS_FIRST to EVENTS_LAST
 *
 * Return: its name.
 */
const char *events_name(int event)
{
	return names[event];
}

/**
 * events_reason() - why an event is not counted
 * @error: errno, positive, from the kernel
 *
 * Return: the reason in words, a constant string.
 */
const char *events_reason(int error)
{
	switch (error) {
	case ENOENT:
	case EOPNOTSUPP:
		return "no PMU counts it";
	case EACCES:
		return "it takes CAP_PERFMON or CAP_SYS_ADMIN";
	case EBUSY:
		return "others have the counters of the PMU";
	case ENODEV:
		return "the CPU was offline when counting began";
	default:
		return "the kernel refuses to";
	}
}

/**
 * events_told() - whether the kernel reports any event
 * @events: events of a CPU
 *
 * Return: true if it reports a count, or a reason for its absence.
 */
bool events_told(const struct events *events)
{
	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++)
		if (events->known[i] || events->reason[i])
			return true;
	return false;
}

/**
 * events_difference() - difference of two readings
 * @later: later reading
 * @earlier: earlier reading
 *
 * Return: the difference; known are events known in both.
 */
struct events events_difference(const struct events *later,
				const struct events *earlier)
{
	struct events out = { 0 };

	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++) {
		out.known[i] = later->known[i] && earlier->known[i];
		if (out.known[i])
			out.count[i] = later->count[i] - earlier->count[i];
		else
			out.reason[i] = later->reason[i] ? later->reason[i] :
							   earlier->reason[i];
	}
	return out;
}

/**
 * events_add() - add the events of another CPU
 * @to: sum; an event unknown in either gets the reason
 * @from: events of the other CPU
 */
void events_add(struct events *to, const struct events *from)
{
	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++) {
		to->known[i] = to->known[i] && from->known[i];
		to->count[i] = to->known[i] ? to->count[i] + from->count[i] : 0;
		if (!to->reason[i])
			to->reason[i] = from->reason[i];
	}
}

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
