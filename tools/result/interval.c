// SPDX-License-Identifier: GPL-2.0
/* interval: print a line for the interval between two snapshots. */
#include <inttypes.h>
#include <math.h>

#include "../analysis/arrivals.h"
#include "../analysis/measure.h"
#include "../analysis/statistics.h"
#include "attribute.h"
#include "datagram_report.h"
#include "record.h"
#include "report.h"
#include "tcp_report.h"

static const struct output_column tcp_columns[] = {
	{ .title = "seconds", .width = 15 },
	{ .title = "bytes", .width = 16 },
	{ .title = "goodput", .width = 12 },
	{ .title = "CPU", .width = 8 },
	{ .title = "retrans", .width = 8 },
	{ .title = "", .left = true },
};

static const struct output_column udp_columns[] = {
	{ .title = "seconds", .width = 15 },
	{ .title = "bytes", .width = 14 },
	{ .title = "goodput", .width = 11 },
	{ .title = "CPU", .width = 8 },
	{ .title = "packets/s", .width = 11 },
	{ .title = "lost", .width = 8 },
	{ .title = "", .left = true },
};

/* Columns that an end that answers has too. */
#define COMMON_COLUMNS	3

static const struct output_column trip_columns[] = {
	{ .title = "seconds", .width = 13 },
	{ .title = "trips", .width = 9 },
	{ .title = "trips/s", .width = 8 },
	/* From here on of a source alone. */
	{ .title = "mean us", .width = 9 },
	{ .title = "p50 us", .width = 9 },
	{ .title = "p99 us", .width = 9 },
	{ .title = "timeouts", .width = 8 },
};

static void begin_trips(const struct session *session)
{
	if (!session->quiet)
		output_table_begin(session->out, "intervals", trip_columns,
				   session->source.present ? COUNT(trip_columns) :
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

/* @before is of the source, or of a sink that answers alone. */
static void print_trips(const struct session *session,
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

static void begin(const struct session *session)
{
	const struct output_column *columns = session->udp ? udp_columns :
							     tcp_columns;
	size_t count = session->udp ? COUNT(udp_columns) : COUNT(tcp_columns);

	if (session->pingpong) {
		begin_trips(session);
		return;
	}
	/* The last column marks the warm-up. */
	if (!session->warmup_ns)
		count--;
	output_table_begin(session->out, "intervals", columns, count, true);
}

/*
 * Whether two snapshots have the streams, of which an interval of many has none. At the
 * beginning of the run all are at 0.
 */
static bool has_streams(const struct client_snapshot *before,
			const struct client_snapshot *now)
{
	return now->stream_count &&
	       (before->stream_count ||
		before->run.now_ns <= before->run.begun_ns);
}

static void print_tcp(const struct session *session,
		      const struct client_snapshot *source_before)
{
	struct output *out = session->out;
	struct measure_tcp tcp;

	if (tcp_report_known(session) &&
	    has_streams(source_before, &session->source.last)) {
		measure_tcp(source_before, &session->source.last, &tcp);
		output_u64(out, "retransmissions", tcp.retransmissions,
			   "%" PRIu64, tcp.retransmissions);
	} else {
		output_null(out, "retransmissions", "-");
	}
}

/*
 * Datagrams known to be lost so far: those that the sink has skipped, and those that
 * were sent before the interval and that it has neither skipped nor received. At the
 * end all that have not arrived. A skipped one may still arrive late, so the number
 * may shrink.
 */
static uint64_t lost_so_far(const struct session *session,
			    const struct client_snapshot *now,
			    const struct client_snapshot *source_before)
{
	const uint64_t skipped = arrivals_passed_over(now);
	uint64_t sent, passed = arrivals_passed(now);
	struct arrivals arrivals;

	if (!session->source.present ||
	    config_has(&session->source.config, KTPUT_A_CONFIG_REUSE))
		return skipped;
	if (session->source.last.run.state == KTPUT_STATE_ENDED &&
	    now->run.state == KTPUT_STATE_ENDED) {
		datagram_report_arrivals(session, &arrivals);
		return arrivals.lost;
	}
	sent = measure_total(source_before).messages;
	return skipped + (sent > passed ? sent - passed : 0);
}

static void print_udp(struct session *session,
		      const struct client_snapshot *before,
		      const struct client_snapshot *source_before,
		      const struct client_snapshot *now, uint64_t ns)
{
	double packets = (measure_total(now).messages -
			  measure_total(before).messages) *
			 (double)UNITS_NSEC_PER_SEC / ns;
	struct output *out = session->out;

	output_double(out, "packets_per_s", packets, "%s",
		      units_show_count(packets).text);
	if (session->sink.present && has_streams(before, now)) {
		const uint64_t so_far = lost_so_far(session, now,
						    source_before);
		const int64_t lost = so_far - session->lost;

		session->lost = so_far;
		output_text(out, "%" PRId64, lost);
		output_data_i64(out, "lost_datagrams", lost);
	} else {
		output_null(out, "lost_datagrams", "-");
	}
}

/*
 * Busy cycles of all CPUs of all hosts in the time of the payload; NaN if the idle time of
 * one is unknown. They are those of the snapshot that counts the payload, where that tells
 * them: the clock of a driver-layer sink counts nanoseconds, for one.
 */
static double busy_cycles(const struct session *session,
			  const struct client_snapshot *source_before,
			  const struct client_snapshot *counted_before, double window_ns)
{
	const struct session_end *read;
	struct measure_cpu cpu;
	double sum = 0;

	for (size_t i = 0; (read = cpu_table_reader(session, i)); i++) {
		const struct client_snapshot *now = &read->last;
		const struct client_snapshot *before =
			read == &session->source ? source_before : counted_before;

		for (size_t j = 0; j < now->cpu_count; j++)
			if (measure_cpu(before, now, now->cpus[j].id, &cpu))
				sum += cpu.cycles * cpu.busy * window_ns /
				       cpu.elapsed_ns;
	}
	return sum;
}

static void record_interval(struct output *out, bool udp,
			    const struct series_interval *interval)
{
	if (udp)
		output_data_u64(out, "packets", interval->packets);
	output_data_double(out, "busy_cycles", interval->busy_cycles);
	if (!isnan(interval->own_cycles))
		output_data_double(out, "own_cycles", interval->own_cycles);
}

static void record_snapshots(const struct session *session)
{
	struct output *out = session->out;

	if (session->source.present)
		record_snapshot(out, "source", &session->source.last,
				session->detail);
	if (session->sink.present)
		record_snapshot(out, "sink", &session->sink.last,
				session->detail);
}

static void keep(struct session *session, struct series_interval *interval,
		 const struct client_snapshot *counted_before,
		 const struct client_snapshot *source_before, double window_ns)
{
	const struct client_snapshot *now = session->sink.present ?
		&session->sink.last : &session->source.last;

	if (session->udp)
		interval->packets = measure_total(now).messages -
				    measure_total(counted_before).messages;
	interval->busy_cycles = busy_cycles(session, source_before, counted_before,
					    window_ns);
	series_add(&session->series, interval, !session->warmed_up);
}

/* External programs do not tell what is their own. */
static void print_cpus(const struct session *session,
		       const struct attribute_span *own, double busy)
{
	struct output *out = session->out;

	output_data_double(out, "busy_share", busy);
	if (!isnan(own->own_share))
		output_double(out, "own_share", own->own_share, "%.1f%%",
			      own->own_share * 100);
	else if (session->engine && !isnan(busy))
		output_text(out, "%.1f%%", busy * 100);
	else
		output_text(out, "-");
}

/* Another program tells of intervals when it has ended, and of no CPU. */
static void print_told(struct session *session, const struct engine_result *told)
{
	struct output *out = session->out;
	uint64_t from = session->warmup_ns;

	/* What the statistics are of. */
	session->interval_ns = session->source.config.interval_ns;
	for (size_t i = 0; i < told->intervals; i++) {
		const struct series_interval interval = {
			.from_ns = from,
			.to_ns = session->warmup_ns + told->interval[i].to_ns,
			.bytes = told->interval[i].bytes,
			.busy_cycles = NAN, .own_cycles = NAN,
		};
		const double goodput = interval.bytes * 8.0 * UNITS_NSEC_PER_SEC /
				       (interval.to_ns - from);

		series_add(&session->series, &interval, false);
		output_row_begin(out);
		output_data_u64(out, "from_ns", from);
		output_data_u64(out, "to_ns", interval.to_ns);
		output_text(out, "%.2f-%.2f", from / 1e9, interval.to_ns / 1e9);
		output_u64(out, "bytes", interval.bytes, "%" PRIu64, interval.bytes);
		output_double(out, "goodput_bps", goodput, "%s",
			      units_show_bitrate(goodput).text);
		output_null(out, "busy_share", "-");
		record_interval(out, false, &interval);
		output_null(out, "retransmissions", "-");
		if (session->warmup_ns)
			output_bool(out, "warm_up", false, "%s", "");
		/* There are none of the time between. */
		if (i + 1 == told->intervals)
			record_snapshots(session);
		output_row_end(out);
		from = interval.to_ns;
	}
}

/* Print the interval between two snapshots, and keep it. */
static void print(struct session *session,
		  const struct client_snapshot *counted_before,
		  const struct client_snapshot *source_before)
{
	const struct client_snapshot *now = session->sink.present ?
		&session->sink.last : &session->source.last;
	uint64_t origin = session->origin_ns;
	uint64_t from = counted_before->run.now_ns, to = now->run.now_ns;
	uint64_t total = payload_counted(session, now);
	uint64_t bytes = total - payload_counted(session, counted_before);
	struct output *out = session->out;
	struct series_interval interval;
	struct attribute_span own;
	double goodput, busy, window_ns;

	if (session->pingpong) {
		print_trips(session, session->source.present ?
			    source_before : counted_before);
		return;
	}
	if (session->source.config.interval_ns && session->warmed_up) {
		const struct session_end *end = session->sink.present ?
			&session->sink : &session->source;

		print_told(session, &end->engine->result);
		return;
	}
	/* A sink without a source waits for a peer. */
	if (!total && !session->source.present)
		return;
	from = from > origin ? from : origin;
	if (to <= from)
		return;
	goodput = bytes * 8.0 * UNITS_NSEC_PER_SEC / (to - from);
	busy = measure_busy(counted_before, now);
	window_ns = measure_window_ns(counted_before, now);
	if (isnan(window_ns))
		window_ns = to - from;
	attribute_interval(session, source_before, counted_before, window_ns,
			   &own);
	interval = (struct series_interval) {
		.from_ns = from - origin, .to_ns = to - origin, .bytes = bytes,
		.own_cycles = own.own_cycles,
	};
	keep(session, &interval, counted_before, source_before, window_ns);

	output_row_begin(out);
	output_data_u64(out, "from_ns", from - origin);
	output_data_u64(out, "to_ns", to - origin);
	output_text(out, "%.2f-%.2f", (from - origin) / 1e9,
		    (to - origin) / 1e9);
	output_u64(out, "bytes", bytes, "%" PRIu64, bytes);
	output_double(out, "goodput_bps", goodput, "%s",
		      units_show_bitrate(goodput).text);
	print_cpus(session, &own, busy);
	record_interval(out, session->udp, &interval);
	if (session->udp)
		print_udp(session, counted_before, source_before, now,
			  to - from);
	else
		print_tcp(session, source_before);
	if (!session->udp && session->source.present &&
	    has_streams(source_before, &session->source.last))
		tcp_report_interval(session, source_before);
	if (session->warmup_ns)
		output_bool(out, "warm_up", !session->warmed_up, "%s",
			    session->warmed_up ? "" : "warm-up");
	record_snapshots(session);
	output_row_end(out);
}

static void end(const struct session *session)
{
	if (!session->quiet)
		output_table_end(session->out);
}

const struct session_view interval_view = {
	.begin = begin,
	.interval = print,
	.end = end,
	.ended = reconcile_report_read,
};
