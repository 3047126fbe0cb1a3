// SPDX-License-Identifier: GPL-2.0
/* pingpong_report: print the round trips of a session. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../analysis/arrivals.h"
#include "../analysis/measure.h"
#include "../analysis/statistics.h"
#include "../base/output.h"
#include "answer.h"
#include "attribute.h"
#include "judge.h"
#include "record.h"
#include "report.h"

static const struct {
	double percent;
	const char *key;
} percentiles[] = {
	{ 50, "p50" }, { 90, "p90" }, { 99, "p99" }, { 99.9, "p99_9" },
	{ 99.99, "p99_99" }, { 99.999, "p99_999" },
};

static const struct output_column columns[] = {
	{ .title = "CPU" }, { .title = "busy" }, { .title = "source cycles" },
	{ .title = "sink cycles" }, { .title = "busy cycles per trip" },
};

/**
 * pingpong_report_check() - whether the counters of a session agree
 * @session: session that has ended
 * @why: a sentence if they do not
 *
 * Return: 0, or -1.
 */
int pingpong_report_check(const struct session *session,
			  struct units_error *why)
{
	const struct client_snapshot *source = &session_leading(session)->last;
	const struct client_run *run = &source->run;
	uint64_t trips = measure_total(source).messages;
	uint64_t streams = measure_streams_total(source).messages;
	uint64_t timed = source->latency ? histogram_trips(source->latency) : 0;
	uint64_t unanswered = source->latency ? source->latency->unanswered : 0;
	uint64_t answered;

	if (config_has(&session->source.config,
		       KTPUT_A_CONFIG_CONNECT_PER_REQUEST) &&
	    run->error == EADDRNOTAVAIL)
		return units_refuse(why,
				    "no local port is free: those of closed connections rest for a minute (TIME_WAIT); send fewer requests or set a lower rate, or widen net.ipv4.ip_local_port_range");
	if (!report_in_order(run, why))
		return -1;
	if (!session->source.present)
		return 0;
	if (timed != trips || streams != trips)
		return units_refuse(why, "CPUs count %" PRIu64
				    " round trips, streams %" PRIu64 ", and %"
				    PRIu64 " have been timed", trips, streams,
				    timed);
	if (!trips && session_two_hosts(session)) {
		unreached_say(session, why);
		return -1;
	}
	if (!trips)
		return units_refuse(why, "no request was answered");
	if (!session->sink.present)
		return 0;
	answered = measure_total(&session->sink.last).messages;
	/* A response may be lost as well as a request. */
	if (answered >= trips &&
	    (session->udp || answered - trips <= unanswered))
		return 0;
	return units_refuse(why, "the sink has answered %" PRIu64
			    " requests, and the source has %" PRIu64
			    " responses", answered, trips);
}

/* A time of a second or more needs no fraction, and the line is full. */
static int digits(double ns)
{
	return ns < UNITS_NSEC_PER_SEC ? 2 : 0;
}

#define FINEST_US	0.01

/* Print a percentile to the digits that its interval leaves. */
static void print_percentile(struct output *out, const char *key,
			     double percent, const struct percentile *of)
{
	double width = (of->high_ns - of->low_ns) / 1e3, us = of->ns / 1e3;
	double step = percentile_step(us, width, FINEST_US);
	int decimals = step < 0.1 ? 2 : step < 1 ? 1 : 0;
	char name[32];

	output_u64(out, key, of->ns, "                 %g%% %.*f us", percent,
		   decimals, round(us / step) * step);
	snprintf(name, sizeof(name), "%s_ci_low", key);
	output_u64(out, name, of->low_ns, " (%.*f to ", decimals,
		   floor(of->low_ns / 1e3 / step) * step);
	snprintf(name, sizeof(name), "%s_ci_high", key);
	output_u64(out, name, of->high_ns, "%.*f us)\n", decimals,
		   ceil(of->high_ns / 1e3 / step) * step);
}

/*
 * The default screen has the median, the 99th and the highest that is known, and says
 * that one is not known up to here: three lines in any case.
 */
#define ASKED_FOR	99.9

static bool on_screen(const struct histogram *histogram, size_t i)
{
	return i == 0 || percentiles[i].percent == 99 ||
	       i + 1 == COUNT(percentiles) ||
	       !percentile_of(histogram, percentiles[i + 1].percent).known;
}

static void print_percentiles(struct output *out, bool all,
			      const struct histogram *histogram)
{
	bool unknown = false;

	for (size_t i = 0; i < COUNT(percentiles); i++) {
		const double percent = percentiles[i].percent;
		struct percentile of = percentile_of(histogram, percent);

		if (of.known) {
			output_mute(out, !all && !on_screen(histogram, i));
			print_percentile(out, percentiles[i].key, percent, &of);
			output_mute(out, false);
			continue;
		}
		output_mute(out, unknown || (!all && percent > ASKED_FOR));
		output_null(out, percentiles[i].key, "                 ");
		output_text(out, "%g%% ", percent);
		output_mute(out, false);
		if (all || percent <= ASKED_FOR)
			unknown = true;
	}
	if (unknown)
		output_text(out, "and above: not known from %" PRIu64
			    " round trips\n", histogram->count);
}

static void print_latency(struct output *out, bool all,
			  const struct histogram *histogram)
{
	double mean = histogram_mean(histogram);

	output_object_begin(out, "latency_ns");
	output_data_u64(out, "count", histogram->count);
	output_data_u64(out, "sum", histogram->sum_ns);
	output_u64(out, "min", histogram->least_ns,
		   "Latency          %.*f us min", digits(histogram->least_ns),
		   histogram->least_ns / 1e3);
	output_double(out, "mean", mean, ", %.*f us mean", digits(mean),
		      mean / 1e3);
	output_u64(out, "max", histogram->greatest_ns, ", %.*f us max\n",
		   digits(histogram->greatest_ns), histogram->greatest_ns / 1e3);
	print_percentiles(out, all, histogram);
	output_object_end(out);
}

static void record_histogram(struct output *out,
			     const struct histogram *histogram)
{
	if (!output_is_json(out))
		return;
	output_array_begin(out, "histogram");
	for (size_t i = 0; i < KTPUT_HISTOGRAM_BUCKETS; i++) {
		if (!histogram->bucket[i])
			continue;
		output_object_begin(out, NULL);
		output_data_u64(out, "from_ns", histogram_from(i));
		output_data_u64(out, "to_ns", histogram_to(i));
		output_data_u64(out, "count", histogram->bucket[i]);
		output_object_end(out);
	}
	output_array_end(out);
}

/* Cycles of an end on a CPU for a round trip, NaN if either is missing. */
static double cycles_per_trip(const struct session_end *end,
			      const struct session_end *read, uint32_t id,
			      uint64_t trips)
{
	const struct client_cpu *cpu = measure_find_cpu(&end->last, id);

	if (!end->present || end->host != read->host || !trips)
		return NAN;
	return cpu ? (double)cpu->counters.call_cycles / trips : 0;
}

static void print_cycles(struct output *out, const char *key, double cycles)
{
	if (isfinite(cycles))
		output_double(out, key, cycles, "%.0f", cycles);
	else
		output_null(out, key, "-");
}

/* Sums over the CPUs: busy cycles of a round trip, and the run's own cycles. */
struct totals {
	double busy;
	double own;
	bool known;
};

/* Print a row for each CPU that an end reads, and add it to the totals. */
static void print_host(const struct session *session,
		       const struct session_end *end, uint64_t trips,
		       struct totals *sum)
{
	struct output *out = session->out;
	struct attribute_cpu whose;

	for (size_t i = 0; i < end->last.cpu_count; i++) {
		uint32_t id = end->last.cpus[i].id;
		struct measure_cpu cpu;
		double busy;

		if (!measure_cpu(&end->begin, &end->last, id, &cpu))
			continue;
		busy = trips ? cpu.cycles * cpu.busy / trips : NAN;
		sum->busy += busy;
		output_row_begin(out);
		cpu_table_id(session, end, id);
		output_double(out, "busy_share", cpu.busy, "%.1f%%",
			      cpu.busy * 100);
		print_cycles(out, "source_cycles_per_round_trip",
			     cycles_per_trip(&session->source, end, id, trips));
		print_cycles(out, "sink_cycles_per_round_trip",
			     cycles_per_trip(&session->sink, end, id, trips));
		print_cycles(out, "busy_cycles_per_round_trip", busy);
		output_data_u64(out, "elapsed_ns", cpu.elapsed_ns);
		output_data_u64(out, "cycles", cpu.cycles);
		if (attribute_cpu(session, end, id, &whose)) {
			attribute_record(out, &whose.cycles);
			sum->own += attribution_own(&whose.cycles);
			sum->known = true;
		}
		output_row_end(out);
	}
}

static void print_cpus(const struct session *session, uint64_t trips)
{
	struct output *out = session->out;
	const struct session_end *end;
	struct totals sum = { 0 };

	output_mute(out, !session->context->statistics);
	output_text(out, "\n");
	output_table_begin(out, "cpus", columns, COUNT(columns), false);
	for (size_t i = 0; (end = cpu_table_reader(session, i)); i++)
		print_host(session, end, trips, &sum);
	output_table_end(out);
	output_text(out, "\n");
	if (sum.known && trips) {
		output_text(out, "Own cycles       ");
		print_cycles(out, "own_cycles_per_round_trip", sum.own / trips);
		output_text(out, " per round trip, all CPUs together\n");
	}
	output_text(out, "Busy cycles      ");
	print_cycles(out, "busy_cycles_per_round_trip", sum.busy);
	output_text(out, " per round trip, all CPUs together\n");
	output_mute(out, false);
}

/* Who used the CPUs, and what limited the round trips. */
static void print_verdict(const struct session *session)
{
	struct attribute_disturbance disturbance;
	struct verdict verdict;

	cpu_line_print(session, &session->source);
	cpu_line_print(session, &session->sink);
	attribute_disturbance(session, &disturbance);
	judge_disturbance(session->out, &disturbance);
	if (!session->source.present)
		return;
	judge_trips(session, &disturbance, &verdict);
	judge_print(session->out, &verdict);
}

/* The time of a source, or of an end that answers from the first request on. */
static uint64_t span_of(const struct session *session)
{
	const struct session_end *end = session_leading(session);
	uint64_t span = 0;

	if (session->source.present)
		return end->last.run.ended_ns - end->last.run.begun_ns;
	(void)measure_span(&end->begin, &end->last, false, &span);
	return span;
}

/* Calls of a source of datagrams that the network made fail. */
static void print_failures(const struct session *session)
{
	struct output *out = session->out;
	int latest;
	uint64_t failures = arrivals_failures(&session->source.last, &latest);

	output_data_u64(out, "send_failures", failures);
	if (failures)
		output_data_string(out, "send_failure", strerror(latest));
	answer_not_sent(out, failures, latest);
}

static void print_times(const struct session *session,
			const struct histogram *latency)
{
	struct output *out = session->out;

	if (latency->count)
		print_latency(out, session->context->statistics, latency);
	output_mute(out, !session->context->statistics && !latency->timeouts &&
		    !latency->late);
	output_u64(out, "timeouts", latency->timeouts,
		   "Given up         %" PRIu64 " requests", latency->timeouts);
	output_u64(out, "late_responses", latency->late,
		   ", %" PRIu64 " late responses\n", latency->late);
	output_mute(out, !latency->unanswered);
	output_u64(out, "unanswered", latency->unanswered,
		   "Unanswered       %" PRIu64 " request%s at the end",
		   latency->unanswered, latency->unanswered > 1 ? "s" : "");
	output_text(out, ", waiting for up to %.*f us\n",
		    digits(latency->greatest_ns), latency->greatest_ns / 1e3);
	output_mute(out, false);
	record_histogram(out, latency);
}

static void print_result(const struct session *session)
{
	const struct client_snapshot *source = &session_leading(session)->last;
	uint64_t span = span_of(session);
	uint64_t trips = measure_total(source).messages;
	struct output *out = session->out;
	double per_s = span ? trips * (double)UNITS_NSEC_PER_SEC / span : 0;

	output_u64(out, "round_trips", trips, "Round trips      %" PRIu64,
		   trips);
	output_u64(out, "span_ns", span, " in %.6f s", span / 1e9);
	output_double(out, "round_trips_per_s", per_s, ": %s/s\n",
		      units_show_count(per_s).text);
	if (source->latency)
		print_times(session, source->latency);
	if (session->udp && session->source.present)
		print_failures(session);
	if (!trips && !session->source.present)
		paragraph_print(out, "Received", "nothing: nobody sent a request");
	if (source->latency || !session->source.present) {
		print_cpus(session, trips);
		print_verdict(session);
	}
}

/* The default screen has the reason only if the run was stopped early. */
static void print_end(const struct session *session)
{
	output_mute(session->out, !session->context->statistics &&
		    session_leading(session)->last.run.reason != KTPUT_REASON_STOPPED);
	report_reason(session);
	output_mute(session->out, false);
}

/**
 * pingpong_report_median() - median round trip of a session
 * @session: session that has ended
 *
 * Return: nanoseconds, 0 without a round trip.
 */
double pingpong_report_median(const struct session *session)
{
	const struct histogram *latency = session->source.last.latency;

	return latency && latency->count ? histogram_percentile(latency, 50) : 0;
}

/**
 * pingpong_report_end() - print the result
 * @session: session that has ended
 * @err: why the result is not valid
 *
 * Return: 0, or -1 with a sentence in @err if it is not valid.
 */
int pingpong_report_end(const struct session *session, struct units_error *err)
{
	struct output *out = session->out;
	struct units_error why;
	bool valid;

	readings_record(session);
	output_object_begin(out, "result");
	print_end(session);
	print_result(session);
	answer_refused(session);
	stages_report_print(session);
	valid = !pingpong_report_check(session, &why);
	return report_valid(out, valid ? NULL : &why, err) ||
	       run_stages_written(&session->stages, err) ? -1 : 0;
}
