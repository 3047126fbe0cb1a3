// SPDX-License-Identifier: GPL-2.0
/*
 * cpu_table: cycles and events of each CPU during a session.
 *
 * Figures are differences of two snapshots, relative to the bytes counted between
 * them. Busy cycles are clock cycles times the share of the time that the CPU was
 * not idle, whatever its load. Own cycles are the cycles of the run.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../analysis/measure.h"
#include "../base/output.h"
#include "../host/cpus.h"
#include "../module/events.h"
#include "../module/names.h"
#include "attribute.h"
#include "record.h"
#include "report.h"

static const struct output_column columns[] = {
	{ .title = "CPU" }, { .title = "busy" }, { .title = "source cycles" },
	{ .title = "sink cycles" }, { .title = "busy cycles" },
	{ .title = "busy cycles/byte" },
};

/* In the order of the attribution parts. */
static const struct output_column owner_columns[] = {
	{ .title = "CPU" }, { .title = "source" }, { .title = "sink" },
	{ .title = "worker" }, { .title = "softirq" },
	{ .title = "other softirq" }, { .title = "other tasks" },
	{ .title = "steal" }, { .title = "idle" },
};

static_assert(COUNT(owner_columns) == ATTRIBUTION_PARTS + 1,
	      "a column for the CPU and for each part");

/* In the order of the contexts. */
static const struct output_column context_columns[] = {
	{ .title = "CPU" }, { .title = "source" }, { .title = "sink" },
	{ .title = "worker" }, { .title = "rx" }, { .title = "tx" },
	{ .title = "softirq" }, { .title = "hardirq" }, { .title = "kernel" },
	{ .title = "user" }, { .title = "idle" },
};

static_assert(COUNT(context_columns) == CONTEXTS_LAST + 1,
	      "a column for the CPU and for each context");

/* Sums over the CPUs. */
struct totals {
	double busy_cycles;
	double source_cycles;
	double sink_cycles;
};

/* An external program does not report its calls. */
static void print_calls(const struct session *session, const char *key,
			uint64_t cycles)
{
	if (session->engine)
		output_text(session->out, "-");
	else
		output_u64(session->out, key, cycles, "%" PRIu64, cycles);
}

/**
 * cpu_table_id() - print which CPU a row is of
 * @session: session
 * @end: an end on the host of the CPU
 * @id: number of the CPU
 *
 * With two hosts, the number alone is not enough.
 */
void cpu_table_id(const struct session *session, const struct session_end *end,
		  uint32_t id)
{
	const char *role = names_role(end->config.number[KTPUT_A_CONFIG_ROLE]);
	struct output *out = session->out;

	if (session_two_hosts(session)) {
		output_data_string(out, "end", role);
		output_u64(out, "cpu", id, "%s %" PRIu32, role, id);
	} else {
		output_u64(out, "cpu", id, "%" PRIu32, id);
	}
}

static void print_row(const struct session *session,
		      const struct session_end *end,
		      const struct measure_cpu *cpu, uint64_t source_cycles,
		      uint64_t sink_cycles, uint64_t bytes)
{
	struct output *out = session->out;
	double busy_cycles = cpu->cycles * cpu->busy;
	double per_byte = bytes ? busy_cycles / bytes : NAN;
	struct attribute_cpu whose;

	output_row_begin(out);
	cpu_table_id(session, end, cpu->id);
	output_double(out, "busy_share", cpu->busy, "%.1f%%",
		      cpu->busy * 100);
	print_calls(session, "source_call_cycles", source_cycles);
	print_calls(session, "sink_call_cycles", sink_cycles);
	output_double(out, "busy_cycles", busy_cycles, "%.0f", busy_cycles);
	output_double(out, "busy_cycles_per_byte", per_byte, "%.4f", per_byte);
	output_data_u64(out, "elapsed_ns", cpu->elapsed_ns);
	output_data_u64(out, "cycles", cpu->cycles);
	if (attribute_cpu(session, end, cpu->id, &whose))
		attribute_record(out, &whose.cycles);
	record_contexts(out, &cpu->contexts);
	record_events(out, &cpu->events);
	output_row_end(out);
}

/* Cycles of the calls of an end on a CPU that @read reads, 0 without calls. */
static uint64_t call_cycles(const struct session_end *end,
			    const struct session_end *read, uint32_t id)
{
	struct measure_cpu cpu;

	if (!end->present || end->host != read->host ||
	    !measure_cpu(&end->begin, &end->last, id, &cpu))
		return 0;
	return cpu.counters.call_cycles;
}

static void print_share(struct output *out, const struct measure_cpu *cpu,
			int context)
{
	if (cpu->contexts.known[context])
		output_text(out, "%.1f", 100.0 * cpu->contexts.cycles[context] /
			    cpu->cycles);
	else
		output_text(out, "-");
}

/* Text only: the share of each context in each CPU's cycles. */
static void print_contexts(struct output *out, const struct session_end *end)
{
	bool any = false;

	for (size_t i = 0; i < end->last.cpu_count; i++)
		any |= contexts_known(&end->last.cpus[i].contexts);
	if (!output_is_text(out) || !any)
		return;
	output_text(out, "\nShare of cycles, by context (%%)\n");
	output_table_begin(out, NULL, context_columns, COUNT(context_columns),
			   false);
	for (size_t i = 0; i < end->last.cpu_count; i++) {
		uint32_t id = end->last.cpus[i].id;
		struct measure_cpu cpu;

		if (!measure_cpu(&end->begin, &end->last, id, &cpu))
			continue;
		output_row_begin(out);
		output_text(out, "%" PRIu32, id);
		for (int j = CONTEXTS_FIRST; j <= CONTEXTS_LAST; j++)
			print_share(out, &cpu, j);
		output_row_end(out);
	}
	output_table_end(out);
}

/* Text only: attribution of each CPU. Returns the run's own cycles, NaN if unknown. */
static double print_owners(const struct session *session)
{
	struct attribute_each each = { 0 };
	struct output *out = session->out;
	struct attribute_cpu cpu;
	double own = 0;

	if (!attribute_next(session, &each, &cpu))
		return NAN;
	output_text(out, "\nShare of cycles, by owner\n");
	output_table_begin(out, NULL, owner_columns, COUNT(owner_columns),
			   false);
	each = (struct attribute_each) { 0 };
	while (attribute_next(session, &each, &cpu)) {
		own += attribution_own(&cpu.cycles);
		output_row_begin(out);
		cpu_table_id(session, cpu.read, cpu.id);
		for (int j = 0; j < ATTRIBUTION_PARTS; j++)
			output_text(out, "%.1f%%", 100.0 *
				    cpu.cycles.cycles[j] / cpu.cycles.total);
		output_row_end(out);
	}
	output_table_end(out);
	return own;
}

/* Text only: the events of each CPU. Returns the sum over all CPUs. */
static struct events print_events(struct output *out,
				  const struct session_end *end)
{
	struct event_table table = { .out = out };

	for (size_t i = 0; i < end->last.cpu_count; i++) {
		uint32_t id = end->last.cpus[i].id;
		struct measure_cpu cpu;

		if (measure_cpu(&end->begin, &end->last, id, &cpu))
			event_table_row(&table, id, &cpu.events);
	}
	event_table_end(&table);
	return table.sum;
}

static void print_total(struct output *out, const char *key, const char *name,
			double cycles, const struct cpu_table_payload *by)
{
	double per_byte = by->bytes ? cycles / by->bytes : NAN;
	double per_packet = by->packets ? cycles / by->packets : NAN;
	char per_byte_key[64], per_packet_key[64];

	snprintf(per_byte_key, sizeof(per_byte_key), "%s_per_byte", key);
	snprintf(per_packet_key, sizeof(per_packet_key), "%s_per_packet", key);
	output_double(out, per_byte_key, per_byte, "%-16s %.4f per byte", name,
		      per_byte);
	if (by->packets)
		output_double(out, per_packet_key, per_packet,
			      ", %.1f per packet", per_packet);
	output_text(out, "\n");
}

/* Print totals of cycles and instructions only. */
static void print_event_totals(struct output *out, const struct events *sum,
			       const struct cpu_table_payload *by)
{
	for (int i = EVENTS_FIRST; i <= KTPUT_A_EVENTS_INSTRUCTIONS; i++)
		if (sum->known[i])
			print_total(out, events_key(i), events_name(i),
				    sum->count[i], by);
}

/*
 * The end whose CPU readings are shown: a sink of the module, which reads each CPU
 * locally, else the source, since XDP counts no cycles.
 */
static const struct session_end *read_end(const struct session *session)
{
	if (!session->sink.present ||
	    (session->source.present &&
	     backend_of(&session->sink.config) != &backend_module))
		return &session->source;
	return &session->sink;
}

/**
 * cpu_table_reader() - the ends whose CPU readings are shown, one for each host
 * @session: session
 * @i: 0 for the first
 *
 * Return: the end, or NULL after the last one.
 */
const struct session_end *cpu_table_reader(const struct session *session,
					   size_t i)
{
	if (!session_two_hosts(session))
		return i ? NULL : read_end(session);
	return i > 1 ? NULL : i ? &session->sink : &session->source;
}

/**
 * cpu_table_of() - the end that reads the CPUs of another one
 * @session: session
 * @end: one of its ends
 *
 * Return: the end, on the same host as @end.
 */
const struct session_end *cpu_table_of(const struct session *session,
				       const struct session_end *end)
{
	return session_two_hosts(session) ? end : read_end(session);
}

/**
 * cpu_table_payload() - payload to divide the cycles by
 * @session: session that has ended
 *
 * Return: payload counted between the readings of the CPUs.
 */
struct cpu_table_payload cpu_table_payload(const struct session *session)
{
	const struct session_end *counted = session->sink.present ?
					    &session->sink : &session->source;
	struct client_counters from = measure_total(&counted->begin);
	struct client_counters to = measure_total(&counted->last);

	return (struct cpu_table_payload) {
		.bytes = to.bytes - from.bytes,
		.packets = session->udp ? to.messages - from.messages : 0,
	};
}

/* Print a row for each CPU that an end reads, and add it to the totals. */
static void print_host(const struct session *session,
		       const struct session_end *end, uint64_t bytes,
		       struct totals *to)
{
	for (size_t i = 0; i < end->last.cpu_count; i++) {
		uint32_t id = end->last.cpus[i].id;
		uint64_t source = call_cycles(&session->source, end, id);
		uint64_t sink = call_cycles(&session->sink, end, id);
		struct measure_cpu cpu;

		if (!measure_cpu(&end->begin, &end->last, id, &cpu))
			continue;
		print_row(session, end, &cpu, source, sink, bytes);
		to->busy_cycles += cpu.cycles * cpu.busy;
		to->source_cycles += source;
		to->sink_cycles += sink;
	}
}

/**
 * cpu_table_print() - print cycles and events of each CPU
 * @session: session that has ended
 */
void cpu_table_print(const struct session *session)
{
	const struct cpu_table_payload by = cpu_table_payload(session);
	struct output *out = session->out;
	struct totals totals = { 0 };
	struct events events = { 0 }, there;
	const struct session_end *end;
	double own;

	output_text(out, "\n");
	output_table_begin(out, "cpus", columns, COUNT(columns), false);
	for (size_t i = 0; (end = cpu_table_reader(session, i)); i++)
		print_host(session, end, by.bytes, &totals);
	output_table_end(out);
	own = print_owners(session);
	for (size_t i = 0; (end = cpu_table_reader(session, i)); i++) {
		print_contexts(out, end);
		there = print_events(out, end);
		if (i)
			events_add(&events, &there);
		else
			events = there;
	}
	output_text(out, "\n");
	output_data_u64(out, "cpu_bytes", by.bytes);
	if (session->udp)
		output_data_u64(out, "cpu_packets", by.packets);
	if (!isnan(own))
		print_total(out, "own_cycles", "Own cycles", own, &by);
	print_total(out, "busy_cycles", "Busy cycles", totals.busy_cycles, &by);
	if (session->source.present && !session->engine)
		print_total(out, "source_call_cycles", "Source calls",
			    totals.source_cycles, &by);
	if (session->sink.present && !session->engine)
		print_total(out, "sink_call_cycles", "Sink calls",
			    totals.sink_cycles, &by);
	print_event_totals(out, &events, &by);
}

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
