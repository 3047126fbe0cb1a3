// SPDX-License-Identifier: GPL-2.0
/* ktput-report diff: what two runs, or two sets of runs, are apart. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "difference.h"
#include "estimate.h"
#include "memory.h"
#include "report.h"
#include "settings.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define SETTING_COLUMN	36
#define TOO_SHORT	" TOO FEW values."

struct diff_options {
	struct options_words files;
	unsigned int all;
};

/* The runs of one side, and what each was made with. */
struct side {
	const char *name;
	struct records records;
	struct settings *settings;
};

static const struct options_entry entries[] = {
	{
		.argument = "A B", .parse = options_words, .many = true,
		.required = true,
		.target = offsetof(struct diff_options, files),
		.help = "two files of records, each of one run or of several "
			"that were made alike; - is the standard input",
	},
	REPORT_OPTION_ALL(struct diff_options),
};

static const struct output_column figure_columns[] = {
	{ .title = "figure", .left = true }, { .title = "A", .width = 11 },
	{ .title = "B", .width = 11 }, { .title = "B - A", .width = 12 },
	{ .title = "95% from", .width = 12 }, { .title = "to", .width = 12 },
};

/* The mean over runs, or of one run over its intervals. */
static void figure_of(const struct side *side, enum figure figure,
		      struct statistics *to)
{
	if (side->records.count > 1) {
		estimate_runs(side->records.record, side->records.count,
			      figure, to);
		return;
	}
	estimate_run(&side->records.record[0], figure, to);
}

static void print_verdict(struct output *out, const struct difference *by)
{
	if (isnan(by->low))
		output_null(out, "distinguishable", "cannot be told");
	else
		output_bool(out, "distinguishable", by->distinguishable, "%s",
			    by->distinguishable ? "differs" :
			    "no difference shown");
}

/* A row; @by is left for the sentence below the table. */
static bool print_figure(struct output *out, enum figure figure,
			 const struct statistics *a, const struct statistics *b,
			 struct difference *by)
{
	if (isnan(a->mean) || isnan(b->mean))
		return false;
	difference_compute(a, b, by);
	output_row_begin(out);
	output_string(out, "figure", figures_key(figure), "%s",
		      figures_title(figure));
	output_double(out, "a", a->mean, "%s",
		      figures_show(figure, a->mean).text);
	output_double(out, "b", b->mean, "%s",
		      figures_show(figure, b->mean).text);
	output_double(out, "difference", by->value, "%s",
		      figures_show(figure, by->value).text);
	output_double(out, "ci_low", by->low, "%s",
		      figures_show(figure, by->low).text);
	output_double(out, "ci_high", by->high, "%s",
		      figures_show(figure, by->high).text);
	output_data_double(out, "relative", by->relative);
	output_data_double(out, "confidence", STATISTICS_CONFIDENCE);
	output_data_u64(out, "batches_a", a->batches);
	output_data_u64(out, "batches_b", b->batches);
	output_data_bool(out, "too_short", a->too_short || b->too_short);
	if (output_is_json(out))
		print_verdict(out, by);
	output_row_end(out);
	return true;
}

static void print_sentence(struct output *out, enum figure figure,
			   const struct difference *by, bool too_short)
{
	const char *title = figures_title(figure);

	if (isnan(by->low))
		output_text(out, "%s: no interval, for want of intervals or runs.\n",
			    title);
	else if (by->distinguishable && !isfinite(by->relative))
		output_text(out, "%s: B is %s; distinguishable from zero.%s\n",
			    title, by->value > 0 ? "more" : "less",
			    too_short ? TOO_SHORT : "");
	else if (by->distinguishable && by->relative > 1)
		output_text(out, "%s: B is %.3g times A; distinguishable from zero.%s\n",
			    title, by->relative + 1,
			    too_short ? TOO_SHORT : "");
	else if (by->distinguishable)
		output_text(out, "%s: B is %.3g%% %s; distinguishable from zero.%s\n",
			    title, fabs(by->relative) * 100,
			    by->value > 0 ? "more" : "less",
			    too_short ? TOO_SHORT : "");
	else
		output_text(out, "%s: not distinguishable from zero.%s\n",
			    title, too_short ? TOO_SHORT : "");
}

static void print_figures(struct output *out, const struct side *a,
			  const struct side *b)
{
	struct difference by[FIGURE_COUNT];
	bool known[FIGURE_COUNT], too_short[FIGURE_COUNT];

	output_table_begin(out, "figures", figure_columns,
			   COUNT(figure_columns), false);
	for (enum figure i = 0; i < FIGURE_COUNT; i++) {
		struct statistics of_a, of_b;

		figure_of(a, i, &of_a);
		figure_of(b, i, &of_b);
		known[i] = print_figure(out, i, &of_a, &of_b, &by[i]);
		too_short[i] = of_a.too_short || of_b.too_short;
	}
	output_table_end(out);
	output_text(out, "\n");
	for (enum figure i = 0; i < FIGURE_COUNT && !output_is_json(out); i++)
		if (known[i])
			print_sentence(out, i, &by[i], too_short[i]);
}

static const char *value_of(const struct settings *settings, const char *key)
{
	const struct setting *setting = settings_find(settings, key);

	return setting ? setting->value : NULL;
}

static void print_value(struct output *out, const char *key, const char *value)
{
	if (value)
		output_data_string(out, key, value);
	else
		output_null(out, key, "%s", "");
}

static const char *shown(const char *value)
{
	return !value ? "(absent)" : *value ? value : "\"\"";
}

static void print_setting(struct output *out, const char *key,
			  const struct settings *a, const struct settings *b)
{
	const char *in_a = value_of(a, key), *in_b = value_of(b, key);
	char *both = memory_print("%s -> %s", shown(in_a), shown(in_b));

	output_object_begin(out, NULL);
	output_data_string(out, "key", key);
	print_value(out, "a", in_a);
	print_value(out, "b", in_b);
	output_object_end(out);
	report_paragraph(out, SETTING_COLUMN, key, both);
	free(both);
}

static void print_settings(struct output *out, const struct settings *a,
			   const struct settings *b)
{
	size_t rows = 0;

	output_text(out, "\nSettings that differ, A -> B\n");
	output_array_begin(out, "settings");
	for (size_t i = 0; i < a->count; i++) {
		if (settings_same(a, b, a->setting[i].key))
			continue;
		print_setting(out, a->setting[i].key, a, b);
		rows++;
	}
	for (size_t i = 0; i < b->count; i++) {
		if (settings_find(a, b->setting[i].key))
			continue;
		print_setting(out, b->setting[i].key, a, b);
		rows++;
	}
	output_array_end(out);
	if (!rows)
		output_text(out, "none\n");
}

/* A mean of runs that were not made alike is one of nothing. */
static void warn_unlike(struct output *out, const struct side *side)
{
	const struct settings *first = &side->settings[0];

	for (size_t i = 0; i < first->count; i++) {
		const struct setting *setting = &first->setting[i];

		if (!setting->varies || settings_is_environment(setting))
			continue;
		output_warning(out, "%s: its runs were not made alike: %s differs",
			       side->name, setting->key);
		return;
	}
}

static int side_read(const struct command_context *context,
		     const struct diff_options *options, size_t index,
		     struct side *side)
{
	struct options_words file = {
		.count = 1, .word = { options->files.word[index] },
	};

	side->name = file.word[0];
	if (report_read(context, &file, options->all, &side->records))
		return -1;
	side->settings = settings_get_all(&side->records);
	warn_unlike(context->out, side);
	return 0;
}

static void side_free(struct side *side)
{
	if (side->settings)
		settings_free_all(side->settings, side->records.count);
	record_free(&side->records);
}

static void print_side(struct output *out, const char *key, const char *letter,
		       const struct side *side)
{
	size_t runs = side->records.count;

	output_object_begin(out, key);
	output_string(out, "file", side->name, "%s  %.40s", letter, side->name);
	output_data_u64(out, "runs", runs);
	output_string(out, "over", runs > 1 ? "runs" : "intervals",
		      runs > 1 ? ": mean of %zu runs\n" :
		      ": one run, mean of its intervals\n", runs);
	output_object_end(out);
}

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct diff_options *options = data;

	(void)context;
	if (options->files.count == 2)
		return 0;
	units_refuse(err, "diff takes two files, A and B; %zu are given",
		     options->files.count);
	return -1;
}

static int run(const struct command_context *context, const void *data)
{
	struct side a = { 0 }, b = { 0 };
	struct output *out = context->out;
	int ret = COMMAND_FAILED;

	if (side_read(context, data, 0, &a) || side_read(context, data, 1, &b))
		goto out;
	print_side(out, "a", "A", &a);
	print_side(out, "b", "B", &b);
	output_text(out, "\n");
	print_figures(out, &a, &b);
	print_settings(out, &a.settings[0], &b.settings[0]);
	ret = COMMAND_DONE;
out:
	side_free(&a);
	side_free(&b);
	return ret;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "what two runs or two sets of runs are apart, and how surely",
	.notes = "The interval is Welch's; of a file with one run over batches of its\n"
		 "intervals, of a file with several over the runs.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct diff_options),
	.check = check,
	.run = run,
};
