// SPDX-License-Identifier: GPL-2.0
/*
 * cpu_line: print the CPU use of an end in one line.
 *
 * The line covers the CPUs that served the end. It has their numbers, the share of
 * their time that this run used, the share that other work used, the run's cycles
 * for a byte, packet or round trip, and their breakdown. Without attribution it has the time
 * that was not idle.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../host/cpus.h"
#include "../analysis/measure.h"
#include "attribute.h"
#include "cpu_line.h"
#include "cpu_table.h"
#include "../base/paragraph.h"

/* A smaller share of a CPU's cycles is not printed. */
#define SHARE_MIN	0.01
/* Space for a list of CPUs in the line. */
#define LIST_SIZE	16

/* Sums over the CPUs of an end. */
struct spent {
	struct units_cpus cpus;
	unsigned int count;
	unsigned int attributed;
	double busy;
	double busy_cycles;
	double cycles;
	double part[ATTRIBUTION_PARTS];
	struct measure_cpu busiest;
};

static void add(const struct session *session, const struct session_end *read,
		const struct measure_cpu *cpu, struct spent *to)
{
	struct attribute_cpu whose;

	to->cpus.bits[cpu->id / 64] |= 1ULL << cpu->id % 64;
	if (!to->count++ || cpu->busy > to->busiest.busy)
		to->busiest = *cpu;
	to->busy += cpu->busy;
	to->busy_cycles += cpu->cycles * cpu->busy;
	if (!attribute_cpu(session, read, cpu->id, &whose))
		return;
	to->attributed++;
	to->cycles += whose.cycles.total;
	for (int i = 0; i < ATTRIBUTION_PARTS; i++)
		to->part[i] += whose.cycles.cycles[i];
}

static void sum(const struct session *session, const struct session_end *end,
		struct spent *to)
{
	const struct session_end *read = cpu_table_of(session, end);

	for (size_t i = 0; i < end->last.cpu_count; i++) {
		const struct client_cpu *own = &end->last.cpus[i];
		struct measure_cpu cpu;

		if (!own->counters.calls && !own->counters.bytes)
			continue;
		if (measure_cpu(&read->begin, &read->last, own->id, &cpu))
			add(session, read, &cpu, to);
	}
}

static void say_cpus(const struct spent *spent, FILE *to)
{
	char list[LIST_SIZE];

	if (cpus_show(&spent->cpus, list, sizeof(list)))
		fprintf(to, "%u CPUs: ", spent->count);
	else
		fprintf(to, "CPU %s: ", list);
}

static void say_busy(const struct spent *spent, FILE *to)
{
	fprintf(to, "%.1f%% busy, ", 100 * spent->busy / spent->count);
	if (spent->count > 1)
		fprintf(to, "CPU %" PRIu32 " %.1f%%, ", spent->busiest.id,
			100 * spent->busiest.busy);
}

/* Print four digits, or more for a large number. */
static void say_cost(double cycles, FILE *to)
{
	fprintf(to, "%.*f", cycles < 10 ? 3 : cycles < 1000 ? 1 : 0, cycles);
}

/* The remaining part of the run with most cycles, or -1. */
static int next_part(const struct spent *spent)
{
	int most = -1;

	for (int i = 0; i <= ATTRIBUTION_OWN_SOFTIRQ; i++)
		if (spent->part[i] >= SHARE_MIN * spent->cycles &&
		    (most < 0 || spent->part[i] > spent->part[most]))
			most = i;
	return most;
}

/* Print as many parts as fit on the line. */
static void say_parts(struct spent *spent, FILE *to)
{
	const char *separator = ": ";
	int part;

	while ((part = next_part(spent)) >= 0) {
		char text[40];
		int length = snprintf(text, sizeof(text), "%s%s %.0f%%",
				      separator, part <= ATTRIBUTION_SINK ?
				      "calls" : attribution_name(part),
				      100 * spent->part[part] / spent->cycles);

		if (ftell(to) + length > PARAGRAPH_WIDTH)
			break;
		fputs(text, to);
		spent->part[part] = 0;
		separator = ", ";
	}
}

/* Calls of the other end on the same CPU are on the line of that end. */
static void say_whose(struct spent *spent, bool source, double amount,
		      const char *unit, FILE *to)
{
	double *part = spent->part, own = 0, others = 0;

	part[source ? ATTRIBUTION_SINK : ATTRIBUTION_SOURCE] = 0;
	for (int i = 0; i <= ATTRIBUTION_OWN_SOFTIRQ; i++)
		own += part[i];
	for (int i = ATTRIBUTION_OTHER_SOFTIRQ; i < ATTRIBUTION_IDLE; i++)
		others += part[i];
	fprintf(to, "%.1f%% run, ", 100 * own / spent->cycles);
	if (others >= SHARE_MIN * spent->cycles)
		fprintf(to, "%.0f%% other, ", 100 * others / spent->cycles);
	say_cost(own / amount, to);
	fprintf(to, " cycles/%s", unit);
	say_parts(spent, to);
}

/* External programs do not report their CPU: it is known only if it is the only one. */
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
 * cpu_line_print() - print the CPU use of an end
 * @session: session that has ended
 * @end: one of its ends, with a result
 */
void cpu_line_print(const struct session *session,
		    const struct session_end *end)
{
	const struct cpu_table_payload by = cpu_table_payload(session);
	const double amount = session->pingpong ?
			      measure_total(session->source.present ?
					    &session->source.last :
					    &session->sink.last).messages :
			      by.packets ? by.packets : by.bytes;
	const char *unit = session->pingpong ? "trip" :
			   by.packets ? "packet" : "byte";
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
	if (spent.attributed == spent.count) {
		say_whose(&spent, end == &session->source, amount, unit, to);
	} else {
		say_busy(&spent, to);
		say_cost(spent.busy_cycles / amount, to);
		fprintf(to, " cycles/%s", unit);
	}
	fclose(to);
	paragraph_print(session->out, end == &session->sink ? "Sink" : "Source",
			text);
}
