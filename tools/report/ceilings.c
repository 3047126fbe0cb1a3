// SPDX-License-Identifier: GPL-2.0
/* ceilings: what was measured beside what would be possible. */
#include <math.h>

#include "../base/json.h"
#include "ceilings.h"
#include "limit.h"
#include "report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

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
	const char *why = json_text(record->root, "result.binding_because");
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
	if (why) {
		output_data_string(out, "binding",
				   json_text(record->root, "result.binding"));
		output_data_string(out, "binding_because", why);
		report_paragraph(out, REPORT_COLUMN, "Binding", why);
	} else if (!limits.count) {
		output_text(out, "The record names no ceiling.\n");
	} else if (known && !bound) {
		output_text(out, "None of them binds.\n");
	}
	limit_free(&limits);
}
