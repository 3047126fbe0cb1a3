// SPDX-License-Identifier: GPL-2.0
/*
 * pingpong_sweep: measure latency and throughput against message size.
 *
 * Sizes follow NetPIPE: powers of two, three halves of them, and the neighbours 3
 * bytes below and above each, around the ends of buffers and segments. Throughput is
 * a message in half of the median round trip, since a few disturbed round trips do
 * not change the median. NPtcp reports only a mean.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../analysis/measure.h"
#include "../base/output.h"
#include "../module/names.h"
#include "../remote/far.h"
#include "../result/attribute.h"
#include "../result/record.h"
#include "../result/report.h"
#include "../run/pingpong_run.h"
#include "pingpong_sweep.h"

#define NEIGHBOUR	3

/*
 * A size is a dropout if its throughput is below this share of both neighbours in
 * the table. Normally the smaller neighbour is the slower one, since its cost for
 * each byte is higher.
 */
#define DROPOUT		0.75

static const struct output_column columns[] = {
	{ .title = "bytes", .width = 9 },
	{ .title = "min us", .width = 11 },
	{ .title = "p50 us", .width = 11 },
	{ .title = "mean us", .width = 11 },
	{ .title = "throughput", .width = 13 },
};

static void add_size(struct pingpong_point *points, size_t *count,
		     const struct run_sizes *sizes, uint64_t bytes)
{
	if (bytes < sizes->first || bytes > sizes->last ||
	    (*count && points[*count - 1].bytes >= bytes))
		return;
	points[(*count)++] = (struct pingpong_point) { .bytes = bytes };
}

/* Sort sizes and neighbours in ascending order; small ones overlap. */
static int by_bytes(const void *a, const void *b)
{
	uint64_t x = ((const struct pingpong_point *)a)->bytes;
	uint64_t y = ((const struct pingpong_point *)b)->bytes;

	return x < y ? -1 : x > y;
}

/**
 * pingpong_sizes() - sizes of a sweep
 * @points: of PINGPONG_SIZES_MAX; their sizes are filled in
 * @sizes: the first and the last, which are among them
 * @thin: of powers of 2 and halves between them, from 1 on, each such one is among them,
 *	with its neighbours
 *
 * Return: their number.
 */
size_t pingpong_sizes(struct pingpong_point *points, const struct run_sizes *sizes,
		      uint64_t thin)
{
	struct pingpong_point all[PINGPONG_SIZES_MAX];
	size_t made = 0, count = 0, passed = 0;

	for (uint64_t power = 1; power <= sizes->last + NEIGHBOUR;
	     power *= 2) {
		uint64_t bases[] = { power, power + power / 2 };

		for (size_t i = 0; i < COUNT(bases); i++) {
			uint64_t base = bases[i];

			if (passed++ % thin)
				continue;
			all[made++].bytes = base;
			all[made++].bytes = base + NEIGHBOUR;
			if (base > NEIGHBOUR)
				all[made++].bytes = base - NEIGHBOUR;
		}
	}
	/* Always include both ends of the range. */
	all[made++].bytes = sizes->first;
	all[made++].bytes = sizes->last;
	qsort(all, made, sizeof(*all), by_bytes);
	for (size_t i = 0; i < made; i++)
		add_size(points, &count, sizes, all[i].bytes);
	return count;
}

static void take_point(struct pingpong_point *point, const struct histogram *histogram)
{
	point->min_ns = histogram->least_ns;
	point->p50_ns = histogram_percentile(histogram, 50);
	point->mean_ns = histogram_mean(histogram);
	point->throughput_bps = point->bytes * 8.0 * UNITS_NSEC_PER_SEC /
				(point->p50_ns / 2.0);
}

static int measure_session(struct session *session,
			   struct pingpong_point *point, bool *interrupted,
			   struct units_error *err)
{
	if (pingpong_run_begin(session, err) || session_watch(session, &interval_view, err) ||
	    pingpong_report_check(session, err))
		return -1;
	take_point(point, session->source.last.latency);
	point->disturbed = attribute_disturbed(session);
	*interrupted = session->interrupted;
	return 0;
}

/* Measure a size, and return the effective configuration if there is one. */
static int measure_point(const struct command_context *context,
			 const struct run_options *options,
			 struct pingpong_point *point, struct config *config,
			 bool *interrupted, struct units_error *err)
{
	struct run_options own = *options;
	struct start_plan plan = { 0 };
	struct session *session = &plan.session;
	struct far far = { 0 };
	int ret;

	ret = far_plan(&far, &plan, &own, err) ||
	      pingpong_run_plan(&plan, context, &own, point->bytes, err) ?
	      -1 : 0;
	if (!ret && options->engine == CONFIG_ENGINE_NPTCP)
		ret = pingpong_nptcp_measure(&plan, point, interrupted, err);
	else if (!ret)
		ret = measure_session(session, point, interrupted, err);
	*config = session->source.config;
	session_close(session, true);
	far_close(&far);
	return ret;
}

static void print_time(struct output *out, const char *key, uint64_t ns)
{
	if (ns)
		output_u64(out, key, ns, "%.2f", ns / 1e3);
	else
		output_null(out, key, "-");
}

static void print_point(struct output *out, const struct pingpong_point *point)
{
	output_row_begin(out);
	output_u64(out, "bytes", point->bytes, "%" PRIu64, point->bytes);
	print_time(out, "latency_min_ns", point->min_ns);
	print_time(out, "latency_p50_ns", point->p50_ns);
	output_double(out, "latency_mean_ns", point->mean_ns, "%.2f",
		      point->mean_ns / 1e3);
	output_double(out, "throughput_bps", point->throughput_bps, "%s",
		      units_show_bitrate(point->throughput_bps).text);
	output_row_end(out);
}

/* Record the parameters of the sweep, for plots. */
static void record_sweep(struct output *out,
			 const struct run_options *options,
			 const struct config *config)
{
	output_object_begin(out, "sweep");
	output_data_string(out, "engine", names_engine(options->engine));
	output_data_string(out, "to", address_show(&config->remote).text);
	if (options->engine == CONFIG_ENGINE_KTPUT)
		record_config(out, "source", config);
	output_object_end(out);
}

static const char *const averages[] = {
	[PINGPONG_BY_MEDIAN] = "median",
	[PINGPONG_BY_MEAN] = "mean",
};

static double throughput(const struct pingpong_point *point,
			 enum pingpong_average by)
{
	const double ns = by == PINGPONG_BY_MEAN ? point->mean_ns :
						   point->p50_ns;

	return ns ? point->bytes * 8.0 * UNITS_NSEC_PER_SEC / (ns / 2) : 0;
}

/**
 * pingpong_dropout() - whether a size is slower than its neighbours
 * @points: results, in ascending order of size
 * @count: of the results
 * @i: which one
 * @by: average of the round trips that throughput is taken from
 * @dropout: filled in; above_bps is 0 for the last size
 *
 * The first size has no smaller neighbour and is never a dropout; the last has no
 * larger one and is compared with the smaller one alone.
 *
 * Return: true for a dropout.
 */
bool pingpong_dropout(const struct pingpong_point *points, size_t count,
		      size_t i, enum pingpong_average by,
		      struct pingpong_dropout *dropout)
{
	const bool last = i + 1 == count;
	double lower;

	*dropout = (struct pingpong_dropout) { 0 };
	if (!i)
		return false;
	dropout->have_bps = throughput(&points[i], by);
	dropout->below_bps = throughput(&points[i - 1], by);
	lower = dropout->below_bps;
	if (!last) {
		dropout->above_bps = throughput(&points[i + 1], by);
		if (dropout->above_bps < lower)
			lower = dropout->above_bps;
	}
	return dropout->have_bps < DROPOUT * lower;
}

static void print_dropout(struct output *out, uint64_t bytes,
			  enum pingpong_average by,
			  const struct pingpong_dropout *dropout)
{
	char text[160];

	output_object_begin(out, NULL);
	output_data_u64(out, "bytes", bytes);
	output_data_string(out, "by", averages[by]);
	output_data_double(out, "throughput_bps", dropout->have_bps);
	output_data_double(out, "below_bps", dropout->below_bps);
	if (dropout->above_bps)
		output_data_double(out, "above_bps", dropout->above_bps);
	output_object_end(out);
	snprintf(text, sizeof(text), "%" PRIu64 " bytes, by the %s: %s, beside %s%s%s",
		 bytes, averages[by],
		 units_show_bitrate(dropout->have_bps).text,
		 units_show_bitrate(dropout->below_bps).text,
		 dropout->above_bps ? " and " : "", dropout->above_bps ?
		 units_show_bitrate(dropout->above_bps).text : "");
	paragraph_print(out, "Dropout", text);
}

static void print_dropouts(struct output *out, const struct pingpong_point *points,
			   size_t count)
{
	struct pingpong_dropout dropout;
	bool any = false;

	output_array_begin(out, "dropouts");
	for (size_t i = 0; i < count; i++)
		for (size_t by = 0; by < COUNT(averages); by++) {
			if (!pingpong_dropout(points, count, i, by, &dropout))
				continue;
			print_dropout(out, points[i].bytes, by, &dropout);
			any = true;
		}
	output_array_end(out);
	if (!any)
		output_text(out, "No size drops out.\n");
}

/* Other work makes dropouts, too. */
static void print_disturbed(struct output *out, const struct pingpong_point *points,
			    size_t count)
{
	size_t disturbed = 0;

	for (size_t i = 0; i < count; i++)
		disturbed += points[i].disturbed;
	output_data_u64(out, "disturbed_sizes", disturbed);
	if (disturbed)
		output_text(out,
			    "Disturbed        %zu of %zu sizes: other work had part of their CPUs\n",
			    disturbed, count);
}

/**
 * pingpong_sweep() - measure and print each size
 * @context: the command's context
 * @options: parsed options, with sizes
 * @err: why a size could not be measured
 */
int pingpong_sweep(const struct command_context *context,
		   const struct run_options *options,
		   struct units_error *err)
{
	struct output *out = context->out;
	struct pingpong_point points[PINGPONG_SIZES_MAX];
	struct config config = { 0 };
	size_t count, done;
	bool interrupted = false;
	int ret = 0;

	count = pingpong_sizes(points, &options->sizes, options->thin);
	output_table_begin(out, "sizes", columns, COUNT(columns), true);
	for (done = 0; done < count && !interrupted; done++) {
		ret = measure_point(context, options, &points[done], &config,
				    &interrupted, err);
		/* An interrupted size may have no result. */
		if (ret || !points[done].throughput_bps)
			break;
		print_point(out, &points[done]);
	}
	output_table_end(out);
	output_data_bool(out, "interrupted", interrupted);
	if (output_is_json(out))
		record_sweep(out, options, &config);
	if (!ret)
		print_dropouts(out, points, done);
	if (!ret)
		print_disturbed(out, points, done);
	return ret;
}
