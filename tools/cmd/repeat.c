// SPDX-License-Identifier: GPL-2.0
/* repeat: repeat a run and summarize the results. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../analysis/statistics.h"
#include "../base/interrupt.h"
#include "../base/output.h"
#include "../result/report.h"
#include "repeat.h"

/**
 * repeat_wanted() - whether a run is repeated
 * @options: parsed options
 *
 * Return: true if the run may be made more than once.
 */
bool repeat_wanted(const struct repeat_options *options)
{
	return options->count || options->ci_percent;
}

static struct units_text show_us(double ns)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%.2f us", ns / 1e3);
	return out;
}

static double share_of_mean(const struct statistics *statistics, double value)
{
	return (value - statistics->mean) / statistics->mean;
}

/* Use the wider side. Too few runs give NaN, which is below no limit. */
static double reach_percent(const struct statistics *statistics)
{
	return share_of_mean(statistics, statistics->ci_high) * 100;
}

static bool met(const struct repeat_options *options,
		const struct statistics *statistics)
{
	return reach_percent(statistics) <= options->ci_percent;
}

/* Estimate the runs needed: at equal spread, width x sqrt(runs) is constant. */
static uint64_t needed(const struct repeat_options *options,
		       const struct statistics *statistics)
{
	const double times = reach_percent(statistics) / options->ci_percent;

	return ceil(statistics->count * times * times);
}

/* What a result is called, and how it is printed. */
static const struct quantity {
	const char *key;
	struct units_text (*show)(double value);
} quantities[] = {
	[false] = { "goodput_bps", units_show_bitrate },
	[true] = { "latency_p50_ns", show_us },
};

static void say(const struct quantity *quantity,
		const struct statistics *statistics, FILE *to)
{
	if (!statistics->count) {
		fputs("no valid run", to);
		return;
	}
	fprintf(to, "mean of %zu run%s: %s", statistics->count,
		statistics->count > 1 ? "s" : "",
		quantity->show(statistics->mean).text);
	if (isfinite(statistics->stability))
		fprintf(to, ", sigma %s",
			units_show_share(statistics->stability).text);
	if (statistics->too_short) {
		fprintf(to, " (a confidence interval needs %d runs)",
			STATISTICS_RUNS_MIN);
		return;
	}
	fprintf(to, ", %.0f%% interval %s to %s",
		statistics->confidence * 100,
		quantity->show(statistics->ci_low).text,
		quantity->show(statistics->ci_high).text);
	if (statistics->mean > 0)
		fprintf(to, ", %s to %s",
			units_show_change(share_of_mean(statistics,
							statistics->ci_low)).text,
			units_show_change(share_of_mean(statistics,
							statistics->ci_high)).text);
}

static void print_progress(struct output *out,
			   const struct repeat_progress *progress,
			   const struct repeat_outcome *outcome)
{
	const struct quantity *quantity = &quantities[progress->round_trips];
	char heading[32], text[256] = "";
	FILE *to = fmemopen(text, sizeof(text), "w");

	if (!to)
		return;
	snprintf(heading, sizeof(heading), "Run %" PRIu64 "/%" PRIu64,
		 progress->runs, progress->most);
	fprintf(to, "%s; ", outcome->valid && !outcome->interrupted ?
		quantity->show(outcome->value).text :
		outcome->interrupted ? "interrupted" : "not valid");
	say(quantity, &progress->statistics, to);
	fclose(to);
	output_text(out, "\n");
	paragraph_print(out, heading, text);
	output_text(out, "\n");
}

static void warn_not_met(struct output *out,
			 const struct repeat_progress *progress,
			 const struct repeat_options *options)
{
	const uint64_t enough = progress->statistics.too_short ? 0 :
		needed(options, &progress->statistics);
	char more[48] = "";

	if (enough > progress->runs && enough <= REPEAT_MAX)
		snprintf(more, sizeof(more), "; 'repeat %" PRIu64 "' may be enough",
			 enough);
	output_warning(out, "the mean is not known to +-%g%% after %" PRIu64 " runs%s",
		       options->ci_percent, progress->runs, more);
}

/**
 * repeat_summary() - print the summary of the runs
 * @out: the output
 * @progress: the runs
 * @options: options of the repetition
 */
void repeat_summary(struct output *out, const struct repeat_progress *progress,
		    const struct repeat_options *options)
{
	const struct quantity *quantity = &quantities[progress->round_trips];
	const struct statistics *statistics = &progress->statistics;
	char text[256] = "";
	FILE *to;

	output_object_begin(out, "summary");
	output_data_u64(out, "runs", progress->runs);
	output_data_u64(out, "valid_runs", progress->valid);
	output_data_u64(out, "disturbed_runs", progress->disturbed);
	output_data_bool(out, "interrupted", progress->interrupted);
	statistics_report_record(out, quantity->key, statistics);
	to = fmemopen(text, sizeof(text), "w");
	if (to) {
		fprintf(to, "%zu valid of %" PRIu64 " runs", progress->valid,
			progress->runs);
		if (progress->disturbed)
			fprintf(to, ", %zu of these disturbed", progress->disturbed);
		fputs("; ", to);
		say(quantity, statistics, to);
		fclose(to);
		paragraph_print(out, "Summary", text);
	}
	if (options->ci_percent) {
		output_data_double(out, "wanted_ci_share",
				   options->ci_percent / 100);
		output_data_u64(out, "pilot_runs", STATISTICS_PILOT);
		output_bool(out, "met", met(options, statistics),
			    "Wanted           +-%g%%: %s\n",
			    options->ci_percent, met(options, statistics) ?
						 "met" : "NOT met");
	}
	output_object_end(out);
	if (options->ci_percent && !met(options, statistics))
		warn_not_met(out, progress, options);
}

static bool enough(const struct repeat_progress *progress,
		   const struct repeat_options *options)
{
	return progress->runs >= progress->most || progress->interrupted ||
	       (options->ci_percent && progress->valid >= STATISTICS_PILOT &&
		met(options, &progress->statistics));
}

/**
 * repeat_begin() - initialize the progress
 * @progress: filled in; repeat_end() releases it
 * @options: options of the repetition
 *
 * Return: false if memory allocation fails.
 */
bool repeat_begin(struct repeat_progress *progress,
		  const struct repeat_options *options)
{
	*progress = (struct repeat_progress) {
		.most = options->count ? options->count : REPEAT_DEFAULT,
	};
	progress->value = calloc(progress->most, sizeof(*progress->value));
	return progress->value;
}

/**
 * repeat_add() - add a run and print the progress
 * @progress: runs so far, fewer than its most
 * @options: options of the repetition
 * @out: the output, after the document of the run
 * @outcome: the run
 */
void repeat_add(struct repeat_progress *progress,
		const struct repeat_options *options, struct output *out,
		const struct repeat_outcome *outcome)
{
	progress->runs++;
	progress->interrupted = outcome->interrupted;
	progress->round_trips = outcome->round_trips;
	/* An interrupted run is shorter than the others and does not count. */
	progress->invalid |= !outcome->valid && !outcome->interrupted;
	if (outcome->valid && !outcome->interrupted) {
		progress->value[progress->valid++] = outcome->value;
		progress->disturbed += outcome->disturbed;
	}
	if (options->ci_percent)
		statistics_until(progress->value, progress->valid,
				 &progress->statistics);
	else
		statistics_runs(progress->value, progress->valid,
				&progress->statistics);
	print_progress(out, progress, outcome);
}

/**
 * repeat_end() - release the runs
 * @progress: progress from repeat_begin()
 */
void repeat_end(struct repeat_progress *progress)
{
	free(progress->value);
}

/* Record the repetition's parameters, which the summary needs. */
static void record(struct output *out, const struct repeat_progress *progress,
		   const struct repeat_options *options)
{
	output_object_begin(out, "repeat");
	output_data_u64(out, "run", progress->runs + 1);
	output_data_u64(out, "most", progress->most);
	if (options->ci_percent)
		output_data_double(out, "until_ci_percent",
				   options->ci_percent);
	output_object_end(out);
}

/**
 * repeat_runs() - repeat a run and print the summary
 * @context: output and words of the command
 * @data: configuration of the command
 * @options: options of the repetition
 * @run: makes one run
 *
 * Each run is a separate document, and so is the summary. The repetition ends when a
 * run fails to start. The summary excludes invalid results.
 *
 * Return: exit status: 0 if all runs were made and are valid.
 */
int repeat_runs(const struct command_context *context, const void *data,
		const struct repeat_options *options, repeat_run run)
{
	struct repeat_progress progress;
	struct output *out = context->out;
	bool failed = false;

	if (!repeat_begin(&progress, options)) {
		output_error(out, "out of memory");
		return COMMAND_FAILED;
	}
	interrupt_catch();
	while (!failed && !enough(&progress, options)) {
		struct repeat_outcome outcome = { 0 };

		record(out, &progress, options);
		run(context, data, &outcome);
		failed = output_document_end(out);
		if (!outcome.ran) {
			/* After Ctrl-C before this run, keep the earlier ones. */
			progress.interrupted = interrupt_count();
			failed |= !progress.interrupted || !progress.runs;
			continue;
		}
		repeat_add(&progress, options, out, &outcome);
		progress.interrupted |= interrupt_count();
	}
	if (progress.runs)
		repeat_summary(out, &progress, options);
	repeat_end(&progress);
	return failed || progress.invalid ? COMMAND_FAILED : COMMAND_DONE;
}
