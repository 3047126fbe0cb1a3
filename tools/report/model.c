// SPDX-License-Identifier: GPL-2.0
/* ktput-report model: what a byte, a packet and a call cost, over many runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/regression.h"
#include "../lib/json.h"
#include "memory.h"
#include "report.h"
#include "work.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* More lost datagrams than these are worth a word. */
#define LOSS_MAX	0.01

struct model_options {
	struct options_words files;
	unsigned int all;
};

static const struct options_entry entries[] = {
	REPORT_OPTION_ALL(struct model_options),
	REPORT_OPTION_FILES(struct model_options),
};

static const char *const terms[REGRESSION_TERMS] = {
	"byte", "packet", "call",
};

static const struct output_column columns[] = {
	{ .title = "cycles of a", .left = true, .width = 12 },
	{ .title = "estimate", .width = 14 }, { .title = "95% from", .width = 14 },
	{ .title = "to", .width = 14 }, { .title = "inflation", .width = 10 },
};

/* By what runs are told apart; the first is the transport. */
static const char *const keys[][2] = {
	{ "transport", "source.config.transport" },
	{ "source_layer", "source.config.layer" },
	{ "source_method", "source.config.method" },
	{ "sink_layer", "sink.config.layer" },
	{ "sink_method", "sink.config.method" },
};

/* Runs of one group, with a point for each. */
struct group {
	const struct record **record;
	struct work *work;
	struct regression_point *point;
	size_t count;
};

static const char *key_of(const struct record *record, size_t key)
{
	const char *text = json_text(record->root, keys[key][1]);

	if (!text && !key)
		text = json_text(record->root, "sink.config.transport");
	return text;
}

static bool same(const struct record *a, const struct record *b)
{
	for (size_t i = 0; i < COUNT(keys); i++) {
		const char *one = key_of(a, i), *other = key_of(b, i);

		if (!one != !other || (one && strcmp(one, other)))
			return false;
	}
	return true;
}

static void add(struct group *group, const struct record *record,
		const struct work *work)
{
	size_t count = ++group->count;

	group->record = memory_grow(group->record, count,
				    sizeof(*group->record));
	group->work = memory_grow(group->work, count, sizeof(*group->work));
	group->point = memory_grow(group->point, count, sizeof(*group->point));
	group->record[count - 1] = record;
	group->work[count - 1] = *work;
	group->point[count - 1] = (struct regression_point) {
		.x = { work->bytes, work->packets, work->calls },
		.y = work->busy_cycles,
	};
}

static void drop(struct group *group)
{
	free(group->record);
	free(group->work);
	free(group->point);
}

static void print_head(struct output *out, const struct group *group)
{
	const struct record *record = group->record[0];

	for (size_t i = 0; i < COUNT(keys); i++)
		if (key_of(record, i))
			output_data_string(out, keys[i][0], key_of(record, i));
	output_text(out, "# %s", key_of(record, 0) ? key_of(record, 0) : "runs");
	for (size_t i = 1; i < COUNT(keys); i += 2) {
		if (!key_of(record, i))
			continue;
		output_text(out, ", %s %s", i == 1 ? "source" : "sink",
			    key_of(record, i));
		if (key_of(record, i + 1))
			output_text(out, " (%s)", key_of(record, i + 1));
	}
	output_u64(out, "records", group->count, ": %zu run%s\n", group->count,
		   group->count == 1 ? "" : "s");
}

static void print_number(struct output *out, const char *key, double value)
{
	if (isfinite(value))
		output_double(out, key, value, "%.6g", value);
	else
		output_null(out, key, "-");
}

static void print_term(struct output *out, const char *name,
		       const struct regression_term *term)
{
	output_row_begin(out);
	output_string(out, "term", name, "%s", name);
	output_data_bool(out, "kept", term->kept);
	if (term->kept)
		print_number(out, "cycles", term->value);
	else
		output_null(out, "cycles", "left out");
	print_number(out, "ci_low_cycles", term->low);
	print_number(out, "ci_high_cycles", term->high);
	if (isfinite(term->inflation))
		output_double(out, "variance_inflation", term->inflation,
			      "%.3g", term->inflation);
	else
		output_null(out, "variance_inflation", "-");
	output_row_end(out);
}

/* A sentence of a group, with its title in the text. */
static void say(struct output *out, const char *title, char *text)
{
	report_paragraph(out, REPORT_COLUMN, title, text);
	output_data_string(out, NULL, text);
	free(text);
}

static void warn_of_term(struct output *out, size_t term,
			 const struct regression_term *of)
{
	/* Packets come after bytes alone, calls after both. */
	bool packet = term == 1;

	if (!of->kept)
		say(out, "LEFT OUT",
		    memory_print("the cost of a %s is borne by %s: these runs "
				 "cannot tell them apart; vary %s",
				 terms[term], packet ? "bytes" : "the others",
				 packet ? "MTU, mss or size of datagrams" :
					  "size of messages, segments or batch"));
	else if (of->inflation > REGRESSION_INFLATION_HIGH)
		say(out, "HARD TO TELL",
		    memory_print("the cost of a %s from that of the others: its "
				 "interval is %.1f times as wide as if those were known",
				 terms[term], sqrt(of->inflation)));
}

static void warn(struct output *out, const struct group *group,
		 const struct regression *model)
{
	size_t computed = 0, lossy = 0;

	for (size_t i = 0; i < group->count; i++) {
		computed += !group->work[i].counted;
		lossy += group->work[i].loss_share > LOSS_MAX;
	}
	output_array_begin(out, "warnings");
	for (size_t i = 0; i < REGRESSION_TERMS; i++)
		warn_of_term(out, i, &model->term[i]);
	if (computed && model->term[1].kept)
		say(out, "PACKETS",
		    memory_print("those of %zu run%s are computed from bytes and "
				 "MTU: ktput-ctl -s start counts segments",
				 computed, computed == 1 ? "" : "s"));
	if (lossy)
		say(out, "LOSS",
		    memory_print("%zu run%s lost more than %.0f %% of the "
				 "datagrams, whose cost those bear that arrived",
				 lossy, lossy == 1 ? "" : "s", LOSS_MAX * 100));
	output_array_end(out);
}

static void print_runs(struct output *out, const struct group *group)
{
	output_array_begin(out, "runs");
	for (size_t i = 0; i < group->count; i++) {
		const struct regression_point *point = &group->point[i];

		output_object_begin(out, NULL);
		output_data_string(out, "file", group->record[i]->file);
		output_data_u64(out, "run", group->record[i]->number);
		output_data_double(out, "bytes", group->work[i].bytes);
		output_data_double(out, "packets", group->work[i].packets);
		output_data_bool(out, "packets_counted",
				 group->work[i].counted);
		output_data_double(out, "calls", group->work[i].calls);
		output_data_double(out, "busy_cycles", point->y);
		output_data_double(out, "model_cycles", point->fitted);
		output_data_double(out, "residual", point->residual);
		output_object_end(out);
	}
	output_array_end(out);
}

static void print_largest(struct output *out, const struct group *group,
			  size_t largest)
{
	double residual = group->point[largest].residual;
	char *text = memory_print("%+.2f %%: %s", residual * 100,
				  report_name(group->record[largest]).text);

	output_data_double(out, "residual_largest", residual);
	report_paragraph(out, REPORT_COLUMN, "Largest", text);
	free(text);
}

/* Return: whether there is a model. */
static bool print_group(struct output *out, struct group *group)
{
	struct regression model;
	bool fits = regression_fit(group->point, group->count, &model);

	output_object_begin(out, NULL);
	print_head(out, group);
	output_data_bool(out, "too_few", !fits);
	if (!fits) {
		output_text(out, "TOO FEW          %zu or more are needed, "
				 "that differ in size and MTU\n",
			    model.kept + 1);
		goto out;
	}
	output_data_double(out, "confidence", REGRESSION_CONFIDENCE);
	output_data_u64(out, "degrees_of_freedom", model.freedom);
	output_table_begin(out, "terms", columns, COUNT(columns), false);
	for (size_t i = 0; i < REGRESSION_TERMS; i++)
		print_term(out, terms[i], &model.term[i]);
	output_table_end(out);
	output_double(out, "residual_rms", model.rms,
		      "Residuals        %.2f %% root mean square\n",
		      model.rms * 100);
	print_largest(out, group, model.largest);
	output_data_u64(out, "residual_largest_index", model.largest);
	warn(out, group, &model);
	print_runs(out, group);
out:
	output_object_end(out);
	return fits;
}

/* Runs that the model can take; the others are named. */
static void collect(struct output *out, const struct records *records,
		    struct group *all)
{
	*all = (struct group) { 0 };
	for (size_t i = 0; i < records->count; i++) {
		const struct record *record = &records->record[i];
		const char *missing;
		struct work work;

		work_get(record, &work);
		missing = work_missing(&work);
		if (missing)
			output_warning(out, "%s is left out: %s",
				       report_name(record).text, missing);
		else
			add(all, record, &work);
	}
}

/* Groups in the order of their first runs. Return: how many have a model. */
static size_t print_groups(struct output *out, const struct group *all)
{
	bool *taken = memory_must(calloc(all->count, sizeof(*taken)));
	size_t fits = 0;

	output_array_begin(out, "models");
	for (size_t i = 0; i < all->count; i++) {
		struct group group = { 0 };

		if (taken[i])
			continue;
		for (size_t j = i; j < all->count; j++) {
			if (taken[j] || !same(all->record[i], all->record[j]))
				continue;
			add(&group, all->record[j], &all->work[j]);
			taken[j] = true;
		}
		output_text(out, i ? "\n" : "");
		fits += print_group(out, &group);
		drop(&group);
	}
	output_array_end(out);
	free(taken);
	return fits;
}

static int run(const struct command_context *context, const void *data)
{
	const struct model_options *options = data;
	struct output *out = context->out;
	int ret = COMMAND_FAILED;
	struct records records;
	struct group all;

	if (!report_read(context, &options->files, options->all, &records)) {
		collect(out, &records, &all);
		if (!all.count)
			output_error(out, "no record has bytes, packets, calls and busy cycles");
		else if (!print_groups(out, &all))
			output_error(out, "too few records for a model: make some of "
					  "several sizes and MTUs");
		else
			ret = COMMAND_DONE;
		drop(&all);
	}
	record_free(&records);
	return ret;
}

const struct command command_model = {
	.name = "model",
	.summary = "what a byte, a packet and a call cost, fitted over runs",
	.notes = "Runs are to differ in size and in MTU: the rest cannot be told apart.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct model_options),
	.run = run,
};
