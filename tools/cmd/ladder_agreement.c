// SPDX-License-Identifier: GPL-2.0
/* ladder_agreement: what the ladder says costs, beside what samples say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ladder_agreement.h"
#include "../base/paragraph.h"
#include "../result/statistics_report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Classes that a sentence names as what else differs. */
#define OTHERS		3

/* A step by both methods. */
struct agreement {
	const struct ladder_step *step;
	sampled_set set;
	struct statistics ladder;
	struct sampled_estimate classes;
	struct sampled_estimate all;
};

static void compute(const struct ladder *ladder, const struct ladder_step *step,
		    struct agreement *to)
{
	*to = (struct agreement){
		.step = step,
		.set = sampled_set_of(&ladder->classes, step->classes),
	};
	ladder_step_statistics(ladder, step, ladder_cost(step->group),
			       &to->ladder);
	ladder_step_sampled(ladder, step, to->set, &to->classes);
	ladder_step_sampled(ladder, step, sampled_busy(&ladder->classes),
			    &to->all);
}

/* Both methods have an interval. */
static bool comparable(const struct agreement *agreement,
		       const struct sampled_estimate *sampled)
{
	return agreement->ladder.count >= LADDER_ROUNDS_MIN && sampled->runs;
}

static bool disagree(const struct agreement *agreement,
		     const struct sampled_estimate *sampled)
{
	return comparable(agreement, sampled) &&
	       sampled_disagree(agreement->ladder.mean,
				statistics_half_width(&agreement->ladder), sampled->mean,
				sampled->half_width);
}

static void record_numbers(struct output *out,
			   const struct sampled_estimate *sampled)
{
	output_data_u64(out, "runs", sampled->runs);
	output_data_double(out, "mean", sampled->mean);
	output_data_double(out, "half_width", sampled->half_width);
	output_data_double(out, "binomial_half_width", sampled->binomial);
	output_data_double(out, "effective_share", sampled->effective);
}

static void record_estimate(struct output *out, const char *key,
			    const struct agreement *agreement,
			    const struct sampled_estimate *sampled)
{
	output_object_begin(out, key);
	record_numbers(out, sampled);
	if (comparable(agreement, sampled))
		output_data_bool(out, "agrees", !disagree(agreement, sampled));
	output_object_end(out);
}

/**
 * ladder_agreement_record() - what a rung costs by its samples, in JSON
 * @out: the output, in the object of the rung
 * @ladder: ladder; nothing is recorded of one that is not profiled
 * @rung: index into ladder_rungs
 */
void ladder_agreement_record(struct output *out, const struct ladder *ladder,
			     size_t rung)
{
	struct sampled_estimate estimate;

	if (!ladder->profiled)
		return;
	ladder_rung_sampled(ladder, rung, sampled_busy(&ladder->classes),
			    &estimate);
	output_object_begin(out, "sampled_all");
	record_numbers(out, &estimate);
	output_object_end(out);
}

static void record_classes(struct output *out, const struct ladder *ladder,
			   const struct agreement *agreement)
{
	output_array_begin(out, "by_class");
	for (size_t i = 0; i < ladder->classes.count; i++) {
		const sampled_set class = (sampled_set)1 << i;
		struct sampled_estimate estimate;

		if (!(class & sampled_busy(&ladder->classes)))
			continue;
		ladder_step_sampled(ladder, agreement->step, class, &estimate);
		output_object_begin(out, NULL);
		output_data_string(out, "class", ladder->classes.name[i]);
		output_data_bool(out, "counted", agreement->set & class);
		output_data_double(out, "mean", estimate.mean);
		output_data_double(out, "half_width", estimate.half_width);
		output_object_end(out);
	}
	output_array_end(out);
}

/*
 * Of a byte four digits, but no more than three behind the point; of a packet
 * whole cycles. So a row fits 80 columns with its mark.
 */
static void print_value(struct output *out, bool per_byte, double value)
{
	const double size = fabs(value);

	if (isfinite(value))
		output_text(out, "%.*f", !per_byte || size >= 1000 ? 0 :
			    size >= 100 ? 1 : size >= 10 ? 2 : 3, value);
	else
		output_text(out, "-");
}

static void print_row(struct output *out, const struct ladder *ladder,
		      const struct agreement *agreement)
{
	const struct ladder_step *step = agreement->step;
	const bool tcp = step->group == LADDER_TCP;

	output_row_begin(out);
	output_string(out, "cost", step->cost, "%s", step->cost);
	output_data_string(out, "above", step->above);
	if (step->below)
		output_data_string(out, "below", step->below);
	statistics_report_record(out, tcp ? "busy_cycles_per_byte" :
				 "busy_cycles_per_packet", &agreement->ladder);
	record_estimate(out, "sampled", agreement, &agreement->classes);
	record_estimate(out, "sampled_all", agreement, &agreement->all);
	record_classes(out, ladder, agreement);
	print_value(out, tcp, agreement->ladder.mean);
	print_value(out, tcp, statistics_half_width(&agreement->ladder));
	print_value(out, tcp, agreement->classes.mean);
	print_value(out, tcp, agreement->classes.half_width);
	print_value(out, tcp, agreement->all.mean);
	print_value(out, tcp, agreement->all.half_width);
	output_text(out, "%s", disagree(agreement, &agreement->classes) ?
		    "!" : "");
	output_row_end(out);
}

/* Of a class, how much of it is beyond doubt. */
struct other {
	size_t class;
	struct sampled_estimate estimate;
};

static double certain(const struct other *other)
{
	return fabs(other->estimate.mean) - other->estimate.half_width;
}

static int by_certainty(const void *first, const void *second)
{
	const double a = certain(first), b = certain(second);

	return a < b ? 1 : a > b ? -1 : 0;
}

/* What else differs between the rungs, most first. */
static void name_others(FILE *to, const struct ladder *ladder,
			const struct agreement *agreement)
{
	const sampled_set rest = sampled_busy(&ladder->classes) &
				 ~agreement->set;
	struct other others[SAMPLED_CLASSES];
	size_t count = 0;

	for (size_t i = 0; i < ladder->classes.count; i++) {
		if (!(rest >> i & 1))
			continue;
		others[count].class = i;
		ladder_step_sampled(ladder, agreement->step,
				    (sampled_set)1 << i,
				    &others[count++].estimate);
	}
	qsort(others, count, sizeof(*others), by_certainty);
	for (size_t i = 0; i < count && i < OTHERS; i++)
		if (certain(&others[i]) > 0)
			fprintf(to, "%s %s %+.3g +-%.2g", i ? "," :
				"; beside these differ",
				ladder->classes.name[others[i].class],
				others[i].estimate.mean,
				others[i].estimate.half_width);
}

/* Where the methods contradict each other, what samples say of the reason. */
static void print_disagreement(struct output *out, const struct ladder *ladder,
			       const struct agreement *agreement)
{
	const struct ladder_step *step = agreement->step;
	char text[512] = "";
	FILE *to;

	if (!disagree(agreement, &agreement->classes))
		return;
	to = fmemopen(text, sizeof(text), "w");
	if (!to)
		return;
	fprintf(to, "%s: counted are", step->cost);
	for (size_t i = 0; step->classes[i]; i++)
		fprintf(to, "%s %s", i ? "," : "", step->classes[i]);
	name_others(to, ladder, agreement);
	if (disagree(agreement, &agreement->all))
		fputs("; all samples together disagree too", to);
	fclose(to);
	paragraph_print(out, "! disagree", text);
}

static void print_why_not(struct output *out, const struct ladder *ladder)
{
	for (size_t i = 0; i < ladder_rung_count; i++) {
		const struct ladder_rung *rung = &ladder_rungs[i];
		const struct units_error *why =
			&ladder->cells[i].why_not_sampled;

		if (!why->text[0])
			continue;
		output_text(out, "%s: %s\n", ladder_group_text(rung->group),
			    rung->name);
		paragraph_print(out, "  not sampled", why->text);
	}
}

static void print_group(struct output *out, const struct ladder *ladder,
			enum ladder_group group)
{
	const struct output_column columns[] = {
		{ .title = ladder_group_text(group), .width = 26,
		  .left = true },
		{ .title = "ladder", .width = 7 },
		{ .title = "+-", .width = 5 },
		{ .title = "samples", .width = 7 },
		{ .title = "+-", .width = 5 },
		{ .title = "of all", .width = 7 },
		{ .title = "+-", .width = 5 },
		{ .title = "", .left = true },
	};
	struct agreement agreement;
	bool any = false;

	for (size_t i = 0; i < ladder_step_count; i++) {
		if (ladder_steps[i].group != group)
			continue;
		compute(ladder, &ladder_steps[i], &agreement);
		if (!agreement.ladder.count)
			continue;
		if (!any)
			output_table_begin(out, ladder_group_name(group),
					   columns, COUNT(columns), false);
		any = true;
		print_row(out, ladder, &agreement);
	}
	if (any)
		output_table_end(out);
	for (size_t i = 0; i < ladder_step_count && output_is_text(out); i++) {
		if (ladder_steps[i].group != group)
			continue;
		compute(ladder, &ladder_steps[i], &agreement);
		print_disagreement(out, ladder, &agreement);
	}
	if (any)
		output_text(out, "\n");
}

/**
 * ladder_agreement_print() - print costs by both methods
 * @out: where it goes
 * @ladder: ladder; nothing is printed of one that is not profiled
 */
void ladder_agreement_print(struct output *out, const struct ladder *ladder)
{
	if (!ladder->profiled)
		return;
	output_object_begin(out, "agreement");
	output_text(out, "By both methods: busy cycles of a byte with TCP, "
		    "of a datagram with UDP\n");
	for (int group = 0; group < LADDER_GROUPS; group++)
		print_group(out, ladder, group);
	print_why_not(out, ladder);
	output_object_end(out);
}
