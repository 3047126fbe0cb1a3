// SPDX-License-Identifier: GPL-2.0
/* events: what perf counted on the CPUs of a run, from its record. */
#include <math.h>

#include "../module/event_table.h"
#include "../base/json.h"
#include "events.h"

static struct events get_events(struct json_object *from)
{
	struct events events = { 0 };

	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++) {
		double count = json_number(from, events_key(i));
		char key[EVENTS_KEY_SIZE];

		events_reason_key(i, key);
		events.known[i] = count >= 0;
		events.count[i] = events.known[i] ? count : 0;
		events.reason[i] = json_text(from, key);
	}
	return events;
}

/**
 * events_print() - the events of a run's CPUs as a table
 * @out: the output, inside an object
 * @record: the run
 */
void events_print(struct output *out, const struct record *record)
{
	struct json_object *cpus = json_array(record->root, "result.cpus");
	struct event_table table = { .out = out, .key = "events" };

	for (size_t i = 0; i < json_length(cpus); i++) {
		struct json_object *cpu = json_element(cpus, i);
		struct events events = get_events(json_at(cpu, "events"));

		event_table_row(&table, fmax(json_number(cpu, "cpu"), 0),
				&events);
	}
	event_table_end(&table);
}
