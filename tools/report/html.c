// SPDX-License-Identifier: GPL-2.0
/* ktput-report html: runs as one page that needs nothing else. */
#include <stdlib.h>

#include "file.h"
#include "html_page.h"
#include "memory.h"
#include "report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

struct html_options {
	struct options_words files;
	const char *to;
};

static const struct options_entry entries[] = {
	REPORT_OPTION_FILES(struct html_options),
	REPORT_OPTION_OUT(struct html_options, "FILE",
			  "where the page goes (default: the standard output)"),
};

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct html_options *options = data;

	if (options->to || !output_is_json(context->out))
		return 0;
	units_refuse(err, "a page is no JSON: say where it goes with 'out'");
	return -1;
}

static int run(const struct command_context *context, const void *data)
{
	const struct html_options *options = data;
	struct records records;
	struct units_error err;
	char *page = NULL;
	size_t size = 0;
	int ret;

	ret = report_read(context, &options->files, true, &records);
	if (!ret) {
		FILE *to = memory_must(open_memstream(&page, &size));

		html_page(to, &records, context->out);
		fclose(to);
		ret = file_write(options->to, page, size, &err);
		if (ret)
			output_error(context->out, "%s", err.text);
	}
	if (!ret && options->to) {
		output_string(context->out, "file", options->to, "%s\n",
			      options->to);
		output_data_u64(context->out, "runs", records.count);
	}
	free(page);
	record_free(&records);
	return ret ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_html = {
	.name = "html",
	.summary = "one page with tables, pictures and the environment",
	.notes = "The page refers to nothing outside of it.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct html_options),
	.check = check,
	.run = run,
};
