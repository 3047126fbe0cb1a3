// SPDX-License-Identifier: GPL-2.0
/* cycles: what those of each CPU went into. */
#include <math.h>
#include <stdlib.h>

#include "../base/json.h"
#include "cycles.h"
#include "memory.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const char *const keys[] = {
	"contexts.source_cycles", "contexts.sink_cycles",
	"contexts.softirq_receive_cycles", "contexts.softirq_transmit_cycles",
	"contexts.softirq_other_cycles", "contexts.hardirq_cycles",
	"contexts.kernel_cycles", "contexts.user_cycles",
	"contexts.idle_cycles",
};

static const char *const names[] = {
	"source", "sink", "softirq receive", "softirq transmit",
	"softirq other", "hardirq", "other kernel", "user", "idle",
};

static const char *const busy_and_idle[] = { "busy", "idle" };

static const struct output_column context_columns[] = {
	{ .title = "CPU" }, { .title = "source" }, { .title = "sink" },
	{ .title = "rx irq" }, { .title = "tx irq" }, { .title = "softirq" },
	{ .title = "hardirq" }, { .title = "kernel" }, { .title = "user" },
	{ .title = "idle" },
};

static const struct output_column busy_columns[] = {
	{ .title = "CPU" }, { .title = "busy" }, { .title = "idle" },
	{ .title = "cycles" },
};

static void get_cpu(struct json_object *from, bool known,
		    struct cycles_cpu *to)
{
	double busy = json_number(from, "busy_cycles");

	*to = (struct cycles_cpu) {
		.id = fmax(json_number(from, "cpu"), 0),
		.total = json_number(from, "cycles"),
	};
	/* Of a ping-pong. */
	if (isnan(busy))
		busy = json_number(from, "busy_share") * to->total;
	if (!known) {
		to->cycles[0] = busy;
		to->cycles[1] = fmax(to->total - busy, 0);
		return;
	}
	to->total = 0;
	for (size_t i = 0; i < COUNT(keys); i++) {
		double cycles = json_number(from, keys[i]);

		to->cycles[i] = isnan(cycles) ? 0 : cycles;
		to->total += to->cycles[i];
	}
}

/**
 * cycles_get() - what the CPUs of a run did
 * @record: the run
 * @contexts: where it goes; cycles_free() releases it
 */
void cycles_get(const struct record *record, struct cycles *contexts)
{
	struct json_object *cpus = json_array(record->root, "result.cpus");
	size_t count = json_length(cpus);
	bool known = count && json_at(json_element(cpus, 0), "contexts");

	*contexts = (struct cycles) {
		.contexts = known ? COUNT(names) : COUNT(busy_and_idle),
		.name = known ? names : busy_and_idle,
		.cpu = memory_must(calloc(count + 1, sizeof(*contexts->cpu))),
	};
	for (size_t i = 0; i < count; i++) {
		struct cycles_cpu *cpu = &contexts->cpu[contexts->count];

		get_cpu(json_element(cpus, i), known, cpu);
		if (cpu->total > 0 && !isnan(cpu->cycles[0]))
			contexts->count++;
	}
}

void cycles_free(struct cycles *contexts)
{
	free(contexts->cpu);
	*contexts = (struct cycles) { 0 };
}

static void print_cpu(struct output *out, const struct cycles *contexts,
		      const struct cycles_cpu *cpu)
{
	output_row_begin(out);
	output_u64(out, "cpu", cpu->id, "%u", cpu->id);
	for (size_t i = 0; i < contexts->contexts; i++) {
		double share = cpu->cycles[i] / cpu->total;
		char *key = memory_print("%s_share", contexts->name[i]);

		for (char *at = key; *at; at++)
			if (*at == ' ')
				*at = '_';
		output_double(out, key, share, "%.1f%%", share * 100);
		free(key);
	}
	/* There is no room for it beside the contexts. */
	if (contexts->name == names)
		output_data_double(out, "cycles", cpu->total);
	else
		output_double(out, "cycles", cpu->total, "%.0f", cpu->total);
	output_row_end(out);
}

/**
 * cycles_print() - the CPUs of a run as a table
 * @out: the output, inside an object
 * @record: the run
 */
void cycles_print(struct output *out, const struct record *record)
{
	struct cycles contexts;
	bool known;

	cycles_get(record, &contexts);
	known = contexts.name == names;
	output_table_begin(out, "cpus", known ? context_columns : busy_columns,
			   known ? COUNT(context_columns) : COUNT(busy_columns),
			   false);
	for (size_t i = 0; i < contexts.count; i++)
		print_cpu(out, &contexts, &contexts.cpu[i]);
	output_table_end(out);
	cycles_free(&contexts);
}
