// SPDX-License-Identifier: GPL-2.0
/*
 * cpu_line: where the CPUs of an end went, in one line.
 *
 * Of the CPUs that served the end: their numbers, the share of the time that they
 * were busy, whatever with, what a byte or packet cost them, and in which contexts
 * the cycles went, or what calls of the end took where contexts are not known.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../host/cpus.h"
#include "../analysis/measure.h"
#include "cpu_line.h"
#include "cpu_table.h"
#include "../base/paragraph.h"

/* Less of a CPU's cycles than that is not worth a word. */
#define SHARE_MIN	0.01
/* What a list of CPUs may take of the line. */
#define LIST_SIZE	16

/* What the CPUs of an end did together. */
struct spent {
	struct units_cpus cpus;
	unsigned int count;
	double busy;
	double busy_cycles;
	double cycles;
	uint64_t call_cycles;
	struct contexts contexts;
	struct measure_cpu busiest;
};

static void add(struct spent *to, const struct measure_cpu *cpu)
{
	to->cpus.bits[cpu->id / 64] |= 1ULL << cpu->id % 64;
	if (!to->count++ || cpu->busy > to->busiest.busy)
		to->busiest = *cpu;
	to->busy += cpu->busy;
	to->busy_cycles += cpu->cycles * cpu->busy;
	to->cycles += cpu->cycles;
	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++) {
		to->contexts.known[i] |= cpu->contexts.known[i];
		to->contexts.cycles[i] += cpu->contexts.cycles[i];
	}
}

static void sum(const struct session *session, const struct session_end *end,
		struct spent *to)
{
	const struct session_end *read = cpu_table_end(session);

	for (size_t i = 0; i < end->last.cpu_count; i++) {
		const struct client_cpu *own = &end->last.cpus[i];
		struct measure_cpu cpu;

		if (!own->counters.calls && !own->counters.bytes)
			continue;
		if (measure_cpu(&end->begin, &end->last, own->id, &cpu))
			to->call_cycles += cpu.counters.call_cycles;
		if (measure_cpu(&read->begin, &read->last, own->id, &cpu))
			add(to, &cpu);
	}
}

static void say_cpus(const struct spent *spent, FILE *to)
{
	char list[LIST_SIZE];

	if (cpus_show(&spent->cpus, list, sizeof(list)))
		fprintf(to, "%u CPUs: ", spent->count);
	else
		fprintf(to, "CPU %s: ", list);
	fprintf(to, "%.1f%% busy, ", 100 * spent->busy / spent->count);
	if (spent->count > 1)
		fprintf(to, "CPU %" PRIu32 " %.1f%%, ", spent->busiest.id,
			100 * spent->busiest.busy);
}

/* Four digits, but for what takes more of them anyway. */
static void say_cost(double cycles, FILE *to)
{
	fprintf(to, "%.*f", cycles < 10 ? 3 : cycles < 1000 ? 1 : 0, cycles);
}

/* The context with most cycles of those that are left, or 0. */
static int next_context(struct spent *spent)
{
	int most = 0;

	for (int i = CONTEXTS_FIRST; i < KTPUT_A_CONTEXTS_IDLE; i++)
		if (spent->contexts.cycles[i] >= SHARE_MIN * spent->cycles &&
		    (!most || spent->contexts.cycles[i] >
			      spent->contexts.cycles[most]))
			most = i;
	return most;
}

/* As many as the line has room for. */
static void say_contexts(struct spent *spent, FILE *to)
{
	const char *separator = ": ";
	int context;

	while ((context = next_context(spent))) {
		char text[40];
		int length = snprintf(text, sizeof(text), "%s%s %.0f%%",
				      separator, cpu_table_context(context),
				      100 * spent->contexts.cycles[context] /
				      spent->cycles);

		if (ftell(to) + length > PARAGRAPH_WIDTH)
			break;
		fputs(text, to);
		spent->contexts.cycles[context] = 0;
		separator = ", ";
	}
}

/* Other programs do not tell which CPU did what: one is known where it is alone. */
static bool known(const struct session *session, const struct session_end *end)
{
	struct units_error ignored;
	struct units_cpus cpus;

	return !session->engine ||
	       (end->config.cpus[0] &&
		!units_parse_cpus(end->config.cpus, &cpus, &ignored) &&
		units_cpus_count(&cpus) == 1);
}

/**
 * cpu_line_print() - print where the CPUs of an end went
 * @session: session that has ended
 * @end: one of its ends, with a result
 */
void cpu_line_print(const struct session *session,
		    const struct session_end *end)
{
	const struct cpu_table_payload by = cpu_table_payload(session);
	const double amount = by.packets ? by.packets : by.bytes;
	struct spent spent = { 0 };
	char text[160] = "";
	FILE *to;

	if (!end->present || !amount || !known(session, end))
		return;
	sum(session, end, &spent);
	if (!spent.count || isnan(spent.busy))
		return;
	to = fmemopen(text, sizeof(text), "w");
	if (!to)
		return;
	say_cpus(&spent, to);
	say_cost(spent.busy_cycles / amount, to);
	fprintf(to, " cycles a %s", by.packets ? "packet" : "byte");
	if (contexts_known(&spent.contexts)) {
		say_contexts(&spent, to);
	} else if (!session->engine) {
		fputs(", ", to);
		say_cost(spent.call_cycles / amount, to);
		fputs(" in calls", to);
	}
	fclose(to);
	paragraph_print(session->out, end == &session->sink ? "Sink" : "Source",
			text);
}
