// SPDX-License-Identifier: GPL-2.0
/* stages_report: print in which stage the time of messages passed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/json.h"
#include "../base/output.h"
#include "report.h"

/* The row of the whole time; no stage is called so. */
#define WHOLE	"whole"

/* Counts of messages, and of what was not seen of them. */
static const struct {
	const char *key;
	size_t offset;
	const char *text;
} counts[] = {
#define RESULT(member)	offsetof(struct run_stages, result.member)
	{ "messages", RESULT(messages), "followed" },
	{ "duplicated_messages", RESULT(duplicated), "left out as duplicated" },
	{ "unfinished_messages", RESULT(unfinished), "not seen to arrive" },
	{ "partial_messages", RESULT(partial), "not seen at each stage" },
	{ "disordered_messages", RESULT(disordered), "while a clock was set" },
	{ "lost_stamps", offsetof(struct run_stages, lost),
	  "stamps without room" },
	{ "unread_packets", offsetof(struct run_stages, unread),
	  "times a packet whose number cannot be read" },
};

static uint64_t *count_at(const struct run_stages *stages, size_t i)
{
	return (uint64_t *)((char *)stages + counts[i].offset);
}

static const struct output_column columns[] = {
	{ .title = "stage", .left = true }, { .title = "mean us" },
	{ .title = "p50 us" }, { .title = "p99 us" },
	{ .title = "slowest 1% us" }, { .title = "of their excess" },
};

/* The slowest messages. */
static const struct {
	const char *title;
	const char *messages;
	const char *mean;
	const char *excess;
	const char *share;
} tails[STAGES_TAILS] = {
	[STAGES_PERCENT] = { "Slowest 1%", "slowest_messages",
			     "slowest_mean_ns", "excess_ns", "excess_share" },
	[STAGES_PERMILLE] = { "Slowest 0.1%", "slowest_0_1_messages",
			      "slowest_0_1_mean_ns", "excess_0_1_ns",
			      "excess_0_1_share" },
};

/* Stages that the table has, unless all are asked for. */
#define SHOWN	10

static void print_counts(struct output *out, const struct run_stages *stages,
			 const char *message, unsigned int hidden)
{
	char text[512];
	FILE *to = fmemopen(text, sizeof(text), "w");

	output_data_u64(out, "every", stages->result.every);
	for (size_t i = 0; i < COUNT(counts); i++)
		output_data_u64(out, counts[i].key, *count_at(stages, i));
	if (stages->missing[0])
		output_data_string(out, "missing_hooks", stages->missing);
	if (!to)
		return;
	if (stages->result.every > 1)
		fprintf(to, "1 of %" PRIu64 " %ss", stages->result.every, message);
	else
		fprintf(to, "all %ss", message);
	for (size_t i = 0; i < COUNT(counts); i++)
		if (!i || *count_at(stages, i))
			fprintf(to, "%s %" PRIu64 " %s", i ? "," : ":",
				*count_at(stages, i), counts[i].text);
	if (stages->missing[0])
		fprintf(to, "; this kernel lacks %s", stages->missing);
	if (hidden)
		fprintf(to, "; -s has %u short stages more", hidden);
	fclose(to);
	paragraph_print(out, "Stages", text);
}

/* A row that is not shown is in the record all the same. */
static void print_us(struct output *out, bool shown, double ns)
{
	if (shown)
		output_text(out, "%.1f", ns / 1e3);
}

/* What of the excess of the slowest a row has. Less than half a percent has no sign. */
static void print_tail(struct output *out, bool shown,
		       const struct stages_row *row,
		       const struct stages_result *result, enum stages_tail tail)
{
	const double whole_ns = result->whole.excess_ns[tail];
	const double share = row->excess_ns[tail] / whole_ns;
	const bool known = result->slowest[tail];

	if (known) {
		output_data_double(out, tails[tail].mean, row->slowest_ns[tail]);
		output_data_double(out, tails[tail].excess, row->excess_ns[tail]);
		print_us(out, shown, row->slowest_ns[tail]);
	} else if (shown) {
		output_text(out, "-");
	}
	if (known && whole_ns > 0)
		output_data_double(out, tails[tail].share, share);
	if (shown && known && whole_ns > 0)
		output_text(out, "%.0f%%", round(share * 100) + 0.0);
	else if (shown)
		output_text(out, "-");
}

static void print_row(struct output *out, bool shown, const char *name,
		      const struct stages_row *row,
		      const struct stages_result *result)
{
	const double mean_ns = (double)row->sum_ns / result->messages;

	output_row_begin(out);
	output_data_string(out, "stage", name);
	output_data_u64(out, "sum_ns", row->sum_ns);
	output_data_double(out, "mean_ns", mean_ns);
	output_data_u64(out, "p50_ns", row->p50_ns);
	output_data_u64(out, "p99_ns", row->p99_ns);
	if (shown)
		output_text(out, "%s", name);
	print_us(out, shown, mean_ns);
	print_us(out, shown, row->p50_ns);
	print_us(out, shown, row->p99_ns);
	for (int i = 0; i < STAGES_TAILS; i++)
		print_tail(out, shown && i == STAGES_PERCENT, row, result, i);
	output_row_end(out);
}

/* What of the time and of the excess a stage has, whichever is more. */
static double weight(const struct stages_result *result, enum stages_place place)
{
	const struct stages_row *row = &result->row[place];
	const struct stages_row *whole = &result->whole;
	const double time = whole->sum_ns ?
			    (double)row->sum_ns / whole->sum_ns : 0;
	const double excess = whole->excess_ns[STAGES_PERCENT] > 0 ?
			      fabs(row->excess_ns[STAGES_PERCENT]) /
			      whole->excess_ns[STAGES_PERCENT] : 0;

	return fmax(time, excess);
}

/* Whether there are enough stages that have more. */
static bool is_short(const struct stages_result *result, enum stages_place place)
{
	const double own = weight(result, place);
	unsigned int more = 0;

	for (enum stages_place i = STAGES_HANDED + 1; i < STAGES_PLACES; i++)
		more += result->row[i].seen && (weight(result, i) > own ||
			(weight(result, i) == own && i < place));
	return more >= SHOWN;
}

static void print_rows(struct output *out, const struct stages_result *result,
		       bool all)
{
	output_table_begin(out, "stages", columns, COUNT(columns), false);
	for (enum stages_place i = STAGES_HANDED + 1;
	     result->messages && i < STAGES_PLACES; i++)
		if (result->row[i].seen)
			print_row(out, all || !is_short(result, i),
				  stages_key(i), &result->row[i], result);
	if (result->messages)
		print_row(out, true, WHOLE, &result->whole, result);
	output_table_end(out);
}

static void print_slowest(struct output *out, const struct stages_result *result,
			  enum stages_tail tail, const char *message)
{
	double share = 0;
	const enum stages_place most = stages_worst(result, tail, &share);
	char text[256];

	output_data_u64(out, tails[tail].messages, result->slowest[tail]);
	if (!result->slowest[tail])
		snprintf(text, sizeof(text),
			 "not known: it takes %" PRIu64 " followed %ss",
			 stages_needed(tail), message);
	else if (most == STAGES_HANDED)
		snprintf(text, sizeof(text), "no slower than the others");
	else
		snprintf(text, sizeof(text),
			 "%" PRIu64 " %ss, %.1f us above those around the "
			 "median; %.0f%% of that in '%s': %s",
			 result->slowest[tail], message,
			 result->whole.excess_ns[tail] / 1e3, share * 100,
			 stages_key(most), stages_help(most));
	if (tail == STAGES_PERCENT || result->slowest[tail])
		paragraph_print(out, tails[tail].title, text);
}

static void print_tasks(struct output *out, const struct stages_result *result)
{
	char text[256];
	FILE *to = fmemopen(text, sizeof(text), "w");

	output_array_begin(out, "tasks");
	for (size_t i = 0; i < result->tasks; i++) {
		const struct stages_task *task = &result->task[i];

		output_object_begin(out, NULL);
		output_data_string(out, "task", task->name);
		output_data_u64(out, "messages", task->messages);
		output_data_u64(out, "wait_ns", task->wait_ns);
		output_object_end(out);
		if (to)
			fprintf(to, "%s%s %" PRIu64 " times (%.1f us)",
				i ? ", " : "the CPU of their reader had ",
				task->name, task->messages, task->wait_ns / 1e3);
	}
	output_array_end(out);
	if (!to)
		return;
	fclose(to);
	if (result->tasks)
		paragraph_print(out, "Before it ran", text);
}

/* What the programs cost, with the ends of its interval. */
static const struct {
	const char *key;
	size_t offset;
} costs[] = {
#define COST(key, member) \
	{ key, offsetof(struct run_stages, member.mean) }, \
	{ key "_ci_low", offsetof(struct run_stages, member.ci_low) }, \
	{ key "_ci_high", offsetof(struct run_stages, member.ci_high) }
	COST("attached_overhead_share", attached),
	COST("overhead_share", whole),
};

static double *cost_at(const struct run_stages *stages, size_t i)
{
	return (double *)((char *)stages + costs[i].offset);
}

static void say_cost(FILE *to, const struct statistics *cost)
{
	fprintf(to, "%.1f%% (%.1f to %.1f%%)", cost->mean * 100,
		cost->ci_low * 100, cost->ci_high * 100);
}

static void print_overhead(struct output *out, const struct run_stages *stages,
			   const char *message)
{
	const size_t turns = stages->whole.count;
	const bool known = turns >= STATISTICS_RUNS_MIN;
	char text[256];
	FILE *to = fmemopen(text, sizeof(text), "w");

	output_data_u64(out, "turns", turns);
	for (size_t i = 0; known && i < COUNT(costs); i++)
		output_data_double(out, costs[i].key, *cost_at(stages, i));
	if (!to)
		return;
	if (known) {
		fprintf(to, "a %s takes ", message);
		say_cost(to, &stages->attached);
		fputs(" longer while the programs are attached, and ", to);
		say_cost(to, &stages->whole);
		fprintf(to, " in all, by %zu turns with them and without", turns);
	} else {
		fprintf(to, "not known: it takes %d turns with the programs and "
			"without them, and the run had %zu; try stages-share 5 "
			"and a longer time", STATISTICS_RUNS_MIN, turns);
	}
	fclose(to);
	if (!known)
		output_data_string(out, "overhead_unknown_because", text);
	paragraph_print(out, "Overhead", text);
}

static void read_overhead(struct json_object *from, struct run_stages *stages)
{
	stages->whole.count = json_u64(from, "turns");
	for (size_t i = 0; i < COUNT(costs); i++)
		*cost_at(stages, i) = json_number(from, costs[i].key);
}

/**
 * stages_report_print() - print in which stage the time of messages passed
 * @session: session that has ended; nothing is printed if nobody asked
 */
void stages_report_print(const struct session *session)
{
	const struct run_stages *stages = &session->stages;
	const struct stages_result *result = &stages->result;
	const char *message = run_stages_message(session);
	const bool all = session->context->statistics;
	struct output *out = session->out;
	unsigned int hidden = 0;

	if (!stages->asked)
		return;
	output_object_begin(out, "stages");
	if (!stages->known) {
		output_data_string(out, "unknown_because",
				   stages->because.text);
		paragraph_print(out, "Stages", stages->because.text);
		output_object_end(out);
		return;
	}
	for (enum stages_place i = STAGES_HANDED + 1; i < STAGES_PLACES; i++)
		hidden += !all && result->row[i].seen && is_short(result, i);
	print_counts(out, stages, message, hidden);
	print_rows(out, result, all);
	for (int i = 0; i < STAGES_TAILS; i++)
		print_slowest(out, result, i, message);
	print_tasks(out, result);
	print_overhead(out, stages, message);
	output_object_end(out);
}

static struct stages_row *row_of(struct stages_result *result, const char *name)
{
	for (enum stages_place i = STAGES_HANDED + 1; i < STAGES_PLACES; i++)
		if (!strcmp(stages_key(i), name))
			return &result->row[i];
	return strcmp(name, WHOLE) ? NULL : &result->whole;
}

static void read_tasks(struct json_object *from, struct stages_result *result)
{
	for (size_t i = 0; i < json_length(from) && i < STAGES_TASKS; i++) {
		struct json_object *told = json_element(from, i);
		const char *name = json_text(told, "task");
		struct stages_task *task = &result->task[result->tasks++];

		snprintf(task->name, sizeof(task->name), "%s", name ? name : "");
		task->messages = json_u64(told, "messages");
		task->wait_ns = json_u64(told, "wait_ns");
	}
}

/**
 * stages_report_read() - read back what stages_report_print() recorded
 * @from: its object, or NULL
 * @stages: filled in
 */
void stages_report_read(struct json_object *from, struct run_stages *stages)
{
	struct json_object *rows = json_array(from, "stages");
	const char *because, *missing;

	if (!from)
		return;
	because = json_text(from, "unknown_because");
	missing = json_text(from, "missing_hooks");
	stages->asked = true;
	stages->known = !because;
	if (because)
		units_refuse(&stages->because, "%s", because);
	snprintf(stages->missing, sizeof(stages->missing), "%s",
		 missing ? missing : "");
	stages->result.every = json_u64(from, "every");
	for (int i = 0; i < STAGES_TAILS; i++)
		stages->result.slowest[i] = json_u64(from, tails[i].messages);
	read_tasks(json_array(from, "tasks"), &stages->result);
	read_overhead(from, stages);
	for (size_t i = 0; i < COUNT(counts); i++)
		*count_at(stages, i) = json_u64(from, counts[i].key);
	for (size_t i = 0; i < json_length(rows); i++) {
		struct json_object *told = json_element(rows, i);
		const char *name = json_text(told, "stage");
		struct stages_row *row = name ? row_of(&stages->result, name) :
						NULL;

		if (!row)
			continue;
		row->seen = true;
		row->sum_ns = json_u64(told, "sum_ns");
		row->p50_ns = json_u64(told, "p50_ns");
		row->p99_ns = json_u64(told, "p99_ns");
		for (int j = 0; j < STAGES_TAILS; j++) {
			row->slowest_ns[j] = json_number(told, tails[j].mean);
			row->excess_ns[j] = json_number(told, tails[j].excess);
		}
	}
}
