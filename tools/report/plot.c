// SPDX-License-Identifier: GPL-2.0
/* ktput-report plot: pictures of runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "plot.h"
#include "report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Which picture, and for a sweep of what. */
struct plot_choice {
	unsigned int kind;
	const char *variable;
};

struct plot_options {
	struct plot_choice choice;
	struct options_words files;
	unsigned int all;
	const char *to;
};

static int parse_sweep(const char *word, const struct options_entry *entry,
		       void *target, struct units_error *err)
{
	struct plot_choice *choice = target;

	choice->kind = PLOT_SWEEP;
	return options_word(word, entry, &choice->variable, err);
}

#define PLOT_KIND(word, number, what) {					\
	.keyword = word, .parse = options_set, .value = number,		\
	.required = true,						\
	.target = offsetof(struct plot_options, choice), .help = what,	\
}

static const struct options_entry entries[] = {
	PLOT_KIND("rate", PLOT_RATE, "goodput over time, and the ceilings"),
	{
		.keyword = "sweep", .argument = "VARIABLE",
		.parse = parse_sweep, .required = true,
		.target = offsetof(struct plot_options, choice),
		.help = "goodput against a number that runs were made with, "
			"such as message_bytes or mtu_bytes: mean and 95% "
			"interval, and the ceilings",
	},
	PLOT_KIND("cpu", PLOT_CPU, "cycles of each CPU, stacked"),
	PLOT_KIND("tcp", PLOT_TCP, "congestion window and round-trip time "
		  "over time, of records made with -s"),
	PLOT_KIND("profile", PLOT_PROFILE, "classes of work on each CPU, "
		  "stacked, of what ktput-ctl -j profile prints"),
	PLOT_KIND("ladder", PLOT_LADDER, "cost of the same traffic in each "
		  "place, of what ktput-ctl -j ladder prints"),
	PLOT_KIND("pingpong", PLOT_PINGPONG, "latency and throughput against "
		  "size, of what ktput-ctl -j pingpong sizes prints, a line "
		  "for each"),
	REPORT_OPTION_FILES(struct plot_options),
	REPORT_OPTION_OUT(struct plot_options, "FILE",
			  "where the picture goes, by its ending .svg or .png "
			  "(default: SVG to the standard output)"),
	REPORT_OPTION_ALL(struct plot_options),
};

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name);

	return length > strlen(end) && !strcmp(name + length - strlen(end), end);
}

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct plot_options *options = data;

	if (!options->to) {
		if (!output_is_json(context->out))
			return 0;
		units_refuse(err, "a picture is no JSON: say where it goes with 'out'");
		return -1;
	}
	if (ends_in(options->to, ".svg") || ends_in(options->to, ".png"))
		return 0;
	units_refuse(err, "out: '%.80s' ends neither in .svg nor in .png",
		     options->to);
	return -1;
}

static int run(const struct command_context *context, const void *data)
{
	const struct plot_options *options = data;
	enum gnuplot_form form = options->to && ends_in(options->to, ".png") ?
				 GNUPLOT_PNG : GNUPLOT_SVG;
	struct gnuplot_image image = { 0 };
	struct records records;
	struct units_error err;
	int ret;

	ret = plot_is_of_runs(options->choice.kind) ?
	      report_read(context, &options->files, options->all, &records) :
	      record_read_all(&records, &options->files, context->out);
	if (!ret) {
		ret = plot_draw(options->choice.kind, options->choice.variable,
				&records, form, &image, &err) ||
		      file_write(options->to, image.data, image.size, &err);
		if (ret)
			output_error(context->out, "%s", err.text);
	}
	if (!ret && options->to) {
		output_string(context->out, "file", options->to, "%s\n",
			      options->to);
		output_data_u64(context->out, "runs", records.count);
	}
	free(image.data);
	record_free(&records);
	return ret ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_plot = {
	.name = "plot",
	.summary = "a picture, SVG or PNG, by gnuplot",
	.notes = "Runs that were made alike have one colour, and one mean.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct plot_options),
	.check = check,
	.run = run,
};
