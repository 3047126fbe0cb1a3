// SPDX-License-Identifier: GPL-2.0
/* pingpong_interval: print a line for the round trips between two snapshots. */
#include <inttypes.h>
#include <math.h>

#include "../analysis/measure.h"
#include "../analysis/percentile.h"
#include "pingpong_interval.h"
#include "record.h"

/* Columns that an end that answers has too. */
#define COMMON_COLUMNS	3

static const struct output_column columns[] = {
	{ .title = "seconds", .width = 13 },
	{ .title = "trips", .width = 9 },
	{ .title = "trips/s", .width = 8 },
	/* From here on of a source alone. */
	{ .title = "mean us", .width = 9 },
	{ .title = "p50 us", .width = 9 },
	{ .title = "p99 us", .width = 9 },
	{ .title = "timeouts", .width = 8 },
};

/**
 * pingpong_interval_begin() - begin the table of intervals
 * @session: session
 */
void pingpong_interval_begin(const struct session *session)
{
	if (!session->quiet)
		output_table_begin(session->out, "intervals", columns,
				   session->source.present ? COUNT(columns) :
							     COMMON_COLUMNS,
				   true);
}

/* An interval without a round trip has no times. */
static void print_time(struct output *out, const char *key, double ns)
{
	if (isfinite(ns))
		output_double(out, key, ns, "%.2f", ns / 1000);
	else
		output_null(out, key, "-");
}

/* NaN if the round trips of the interval cannot carry it. */
static double percentile(const struct histogram *histogram, double percent)
{
	struct percentile of = percentile_of(histogram, percent);

	return of.known ? of.ns : NAN;
}

static void print_times(struct output *out, const struct histogram *since)
{
	print_time(out, "latency_mean_ns", histogram_mean(since));
	print_time(out, "latency_p50_ns", percentile(since, 50));
	print_time(out, "latency_p99_ns", percentile(since, 99));
	output_u64(out, "timeouts", since->timeouts, "%" PRIu64,
		   since->timeouts);
}

/* Round trips of the interval, and their times in @since if they are known. */
static uint64_t count(const struct client_snapshot *before,
		      const struct client_snapshot *now, bool first,
		      struct histogram *since)
{
	if (!now->latency)
		return measure_total(now).messages -
		       measure_total(before).messages;
	*since = *now->latency;
	/* The first interval begins with the run, with all counters 0. */
	if (before->latency && !first)
		histogram_subtract(since, before->latency);
	return histogram_trips(since);
}

/**
 * pingpong_interval_print() - print the interval between two snapshots
 * @session: session, with the later snapshots
 * @before: earlier snapshot of the source, or of a sink that answers alone
 */
void pingpong_interval_print(const struct session *session,
			     const struct client_snapshot *before)
{
	const struct client_snapshot *now = session->source.present ?
		&session->source.last : &session->sink.last;
	uint64_t origin = session->origin_ns;
	uint64_t from = before->run.now_ns, to = now->run.now_ns;
	struct output *out = session->out;
	struct histogram since;
	uint64_t trips;
	double per_s;

	from = from > origin ? from : origin;
	if (session->quiet || to <= from)
		return;
	trips = count(before, now, from == origin, &since);
	per_s = trips * (double)UNITS_NSEC_PER_SEC / (to - from);

	output_row_begin(out);
	output_data_u64(out, "from_ns", from - origin);
	output_data_u64(out, "to_ns", to - origin);
	output_text(out, "%.2f-%.2f", (from - origin) / 1e9,
		    (to - origin) / 1e9);
	output_u64(out, "round_trips", trips, "%" PRIu64, trips);
	output_double(out, "round_trips_per_s", per_s, "%s",
		      units_show_count(per_s).text);
	if (now->latency)
		print_times(out, &since);
	if (session->source.present)
		record_snapshot(out, "source", now, session->detail);
	if (session->sink.present)
		record_snapshot(out, "sink", &session->sink.last,
				session->detail);
	output_row_end(out);
}
