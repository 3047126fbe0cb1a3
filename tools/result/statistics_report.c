// SPDX-License-Identifier: GPL-2.0
/* statistics_report: spread and confidence of the intervals of a run. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../base/output.h"
#include "report.h"

/* How a quantity is named and printed. */
struct quantity {
	enum series_quantity id;
	const char *key;
	const char *heading;
	struct units_text (*show)(double value);
};

static struct units_text show_packets(double value)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%.30s/s",
		 units_show_count(value).text);
	return out;
}

static struct units_text show_cycles(double value)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%.4f", value);
	return out;
}

static const struct quantity goodput = {
	SERIES_GOODPUT_BPS, "goodput_bps", "Intervals", units_show_bitrate,
};

static const struct quantity packets = {
	SERIES_PACKETS_PER_S, "packets_per_s", "  packets", show_packets,
};

static const struct quantity cycles = {
	SERIES_BUSY_CYCLES_PER_BYTE, "busy_cycles_per_byte", "  cycles/byte",
	show_cycles,
};

static const struct quantity own_cycles = {
	SERIES_OWN_CYCLES_PER_BYTE, "own_cycles_per_byte", "  own cycles",
	show_cycles,
};

/**
 * statistics_report_record() - record statistics
 * @out: the output
 * @key: key of the object
 * @statistics: the statistics
 */
void statistics_report_record(struct output *out, const char *key,
			      const struct statistics *statistics)
{
	output_object_begin(out, key);
	output_data_u64(out, "count", statistics->count);
	output_data_double(out, "mean", statistics->mean);
	output_data_double(out, "sigma", statistics->sigma);
	output_data_double(out, "min", statistics->min);
	output_data_double(out, "max", statistics->max);
	output_data_double(out, "median", statistics->median);
	output_data_double(out, "p05", statistics->p05);
	output_data_double(out, "p25", statistics->p25);
	output_data_double(out, "p75", statistics->p75);
	output_data_double(out, "p95", statistics->p95);
	output_data_double(out, "stability", statistics->stability);
	output_data_double(out, "steadiness_per_s",
			   statistics->steadiness_per_s);
	output_data_double(out, "confidence", statistics->confidence);
	output_data_double(out, "ci_low", statistics->ci_low);
	output_data_double(out, "ci_high", statistics->ci_high);
	output_data_u64(out, "batches", statistics->batches);
	output_data_bool(out, "too_short", statistics->too_short);
	output_object_end(out);
}

static void say_mean(const struct quantity *quantity,
		     const struct statistics *statistics, FILE *to)
{
	fprintf(to, "mean %s", quantity->show(statistics->mean).text);
	if (isfinite(statistics->stability))
		fprintf(to, ", sigma %s",
			units_show_share(statistics->stability).text);
	fprintf(to, ", median %s", quantity->show(statistics->median).text);
}

static void say_percentiles(const struct quantity *quantity,
			    const struct statistics *of, FILE *to)
{
	const struct { int percent; double value; } rows[] = {
		{ 5, of->p05 }, { 25, of->p25 }, { 75, of->p75 }, { 95, of->p95 },
	};
	const char *before = "; percentiles";

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!isfinite(rows[i].value))
			continue;
		fprintf(to, "%s %d: %s", before, rows[i].percent,
			quantity->show(rows[i].value).text);
		before = ",";
	}
}

static void say_detail(const struct quantity *quantity,
		       const struct statistics *statistics, FILE *to)
{
	say_percentiles(quantity, statistics, to);
	fprintf(to, "; least %s, most %s", quantity->show(statistics->min).text,
		quantity->show(statistics->max).text);
	if (isfinite(statistics->steadiness_per_s))
		fprintf(to, "; steadiness %+.3g%% of the mean per second",
			statistics->steadiness_per_s * 100);
}

static uint64_t interval_ns(const struct session *session)
{
	return session->interval_ns * session->series.joined;
}

static void say(const struct session *session, const struct quantity *quantity,
		const struct statistics *statistics, FILE *to)
{
	bool first = quantity == &goodput;

	if (first)
		fprintf(to, "%zu of %s: ", statistics->count,
			units_show_time(interval_ns(session)).text);
	say_mean(quantity, statistics, to);
	if (session->context->statistics && statistics->count > 1)
		say_detail(quantity, statistics, to);
	if (first && session->context->statistics)
		fprintf(to, "; a confidence interval needs %d runs: 'repeat %d'",
			STATISTICS_RUNS_MIN, STATISTICS_PILOT);
}

static void print(const struct session *session,
		  const struct quantity *quantity)
{
	struct output *out = session->out;
	struct statistics statistics;
	char text[512] = "";
	FILE *to;

	series_statistics(&session->series, session->interval_ns, quantity->id,
			  &statistics);
	if (!statistics.count)
		return;
	statistics_report_record(out, quantity->key, &statistics);
	to = fmemopen(text, sizeof(text), "w");
	if (!to)
		return;
	say(session, quantity, &statistics, to);
	fclose(to);
	paragraph_print(out, quantity->heading, text);
}

/**
 * statistics_report_print() - print the statistics of a run
 * @session: session that has ended
 */
void statistics_report_print(const struct session *session)
{
	const struct series *series = &session->series;
	bool last = series_leaves_out_last(series, session->interval_ns);
	struct output *out = session->out;

	/* A run shorter than an interval has no statistics. */
	if (series->count <= last)
		return;
	output_object_begin(out, "statistics");
	output_data_u64(out, "interval_ns", interval_ns(session));
	output_object_begin(out, "left_out");
	output_data_u64(out, "warm_up_intervals", series->warm_up);
	output_data_u64(out, "last_intervals", last);
	output_object_end(out);
	print(session, &goodput);
	if (session->udp)
		print(session, &packets);
	print(session, &cycles);
	print(session, &own_cycles);
	output_object_end(out);
}
