// SPDX-License-Identifier: GPL-2.0
/* stages_report: print in which stage the time of messages passed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/json.h"
#include "../base/paragraph.h"
#include "stages_report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

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

static void print_counts(struct output *out, const struct run_stages *stages)
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
		fprintf(to, "1 of %" PRIu64 " datagrams", stages->result.every);
	else
		fprintf(to, "all datagrams");
	for (size_t i = 0; i < COUNT(counts); i++)
		if (!i || *count_at(stages, i))
			fprintf(to, "%s %" PRIu64 " %s", i ? "," : ":",
				*count_at(stages, i), counts[i].text);
	if (stages->missing[0])
		fprintf(to, "; this kernel lacks %s", stages->missing);
	fclose(to);
	paragraph_print(out, "Stages", text);
}

static void print_us(struct output *out, const char *key, double ns)
{
	output_double(out, key, ns, "%.1f", ns / 1e3);
}

static void print_row(struct output *out, const char *name,
		      const struct stages_row *row,
		      const struct stages_result *result)
{
	const double whole_ns = result->whole.excess_ns;

	output_row_begin(out);
	output_string(out, "stage", name, "%s", name);
	output_data_u64(out, "sum_ns", row->sum_ns);
	print_us(out, "mean_ns", (double)row->sum_ns / result->messages);
	output_u64(out, "p50_ns", row->p50_ns, "%.1f", row->p50_ns / 1e3);
	output_u64(out, "p99_ns", row->p99_ns, "%.1f", row->p99_ns / 1e3);
	if (result->slowest) {
		print_us(out, "slowest_mean_ns", row->slowest_ns);
		output_data_double(out, "excess_ns", row->excess_ns);
	} else {
		output_text(out, "-");
	}
	if (result->slowest && whole_ns > 0)
		/* Less than half a percent has no sign. */
		output_double(out, "excess_share", row->excess_ns / whole_ns,
			      "%.0f%%", round(row->excess_ns / whole_ns * 100) + 0.0);
	else
		output_text(out, "-");
	output_row_end(out);
}

/* The stage that has most of the excess, or the first place if none has any. */
static enum stages_place worst(const struct stages_result *result)
{
	enum stages_place most = STAGES_HANDED;

	for (enum stages_place i = STAGES_HANDED + 1; i < STAGES_PLACES; i++)
		if (result->row[i].seen && result->row[i].excess_ns > 0 &&
		    (most == STAGES_HANDED || result->row[i].excess_ns >
					      result->row[most].excess_ns))
			most = i;
	return most;
}

static void print_slowest(struct output *out, const struct stages_result *result)
{
	const double whole_ns = result->whole.excess_ns;
	const enum stages_place most = worst(result);
	char text[256];

	output_data_u64(out, "slowest_messages", result->slowest);
	if (!result->slowest)
		snprintf(text, sizeof(text),
			 "not known: it takes %u followed datagrams",
			 STAGES_SLOWEST_PART * STAGES_SLOWEST_MIN);
	else if (whole_ns <= 0 || most == STAGES_HANDED)
		snprintf(text, sizeof(text), "no slower than the others");
	else
		snprintf(text, sizeof(text),
			 "%" PRIu64 " datagrams, %.1f us above those around the "
			 "median; %.0f%% of that in '%s': %s",
			 result->slowest, whole_ns / 1e3,
			 result->row[most].excess_ns / whole_ns * 100,
			 stages_key(most), stages_help(most));
	paragraph_print(out, "Slowest 1%", text);
}

/**
 * stages_report_print() - print in which stage the time of messages passed
 * @session: session that has ended; nothing is printed if nobody asked
 */
void stages_report_print(const struct session *session)
{
	const struct run_stages *stages = &session->stages;
	const struct stages_result *result = &stages->result;
	struct output *out = session->out;

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
	print_counts(out, stages);
	output_table_begin(out, "stages", columns, COUNT(columns), false);
	for (enum stages_place i = STAGES_HANDED + 1;
	     result->messages && i < STAGES_PLACES; i++)
		if (result->row[i].seen)
			print_row(out, stages_key(i), &result->row[i], result);
	if (result->messages)
		print_row(out, WHOLE, &result->whole, result);
	output_table_end(out);
	print_slowest(out, result);
	output_object_end(out);
}

static struct stages_row *row_of(struct stages_result *result, const char *name)
{
	for (enum stages_place i = STAGES_HANDED + 1; i < STAGES_PLACES; i++)
		if (!strcmp(stages_key(i), name))
			return &result->row[i];
	return strcmp(name, WHOLE) ? NULL : &result->whole;
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
	stages->result.slowest = json_u64(from, "slowest_messages");
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
		row->slowest_ns = json_number(told, "slowest_mean_ns");
		row->excess_ns = json_number(told, "excess_ns");
	}
}
