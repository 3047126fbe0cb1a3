// SPDX-License-Identifier: GPL-2.0
/* ktput-report ceilings: what was measured beside what would be possible. */
#include <math.h>

#include "../lib/json.h"
#include "ceilings.h"
#include "limit.h"
#include "report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

struct ceilings_options {
	struct options_words files;
};

static const struct options_entry entries[] = {
	REPORT_OPTION_FILES(struct ceilings_options),
};

static const struct output_column columns[] = {
	{ .title = "ceiling", .left = true, .width = 30 },
	{ .title = "goodput", .width = 12 },
	{ .title = "reached", .width = 8 }, { .title = "binds" },
};

static void print_limit(struct output *out, const struct limit *limit)
{
	output_row_begin(out);
	output_string(out, "name", limit->name, "%.44s", limit->name);
	if (isnan(limit->bps)) {
		output_null(out, "ceiling_bps", "none");
		output_null(out, "share", "-");
	} else {
		output_double(out, "ceiling_bps", limit->bps, "%s",
			      units_show_bitrate(limit->bps).text);
		output_double(out, "share", limit->share, "%.2f%%",
			      limit->share * 100);
	}
	output_bool(out, "binds", limit->binds, "%s",
		    limit->binds ? "yes" : "no");
	if (limit->because)
		output_data_string(out, "because", limit->because);
	output_row_end(out);
}

/**
 * ceilings_print() - a run's goodput beside its ceilings
 * @out: the output, inside an object
 * @record: the run
 */
void ceilings_print(struct output *out, const struct record *record)
{
	struct limits limits;
	bool bound = false, known = false;

	limit_get(record, &limits);
	output_table_begin(out, "ceilings", columns, COUNT(columns), false);
	for (size_t i = 0; i < limits.count; i++) {
		print_limit(out, &limits.limit[i]);
		bound = bound || limits.limit[i].binds;
		known = known || !isnan(limits.limit[i].bps);
	}
	output_table_end(out);
	for (size_t i = 0; i < limits.count; i++)
		if (limits.limit[i].because)
			report_paragraph(out, REPORT_COLUMN,
					 limits.limit[i].name,
					 limits.limit[i].because);
	if (!limits.count)
		output_text(out, "The record names no ceiling.\n");
	else if (known && !bound)
		output_text(out, "None of them binds.\n");
	limit_free(&limits);
}

static void print_run(const struct command_context *context,
		      const struct record *record)
{
	double goodput = json_number(record->root, "result.goodput_bps");
	struct output *out = context->out;

	output_object_begin(out, NULL);
	report_head(out, record);
	if (isnan(goodput))
		output_null(out, "goodput_bps", "Goodput          none\n");
	else
		output_double(out, "goodput_bps", goodput,
			      "Goodput          %s measured\n",
			      units_show_bitrate(goodput).text);
	ceilings_print(out, record);
	output_object_end(out);
}

static int run(const struct command_context *context, const void *data)
{
	const struct ceilings_options *options = data;

	return report_each(context, &options->files, print_run);
}

const struct command command_ceilings = {
	.name = "ceilings",
	.summary = "measured goodput beside each ceiling, and which binds",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct ceilings_options),
	.run = run,
};
