// SPDX-License-Identifier: GPL-2.0
/* ktput-report csv: intervals or runs as comma-separated values. */
#include <math.h>
#include <stdio.h>

#include "../lib/json.h"
#include "csv_field.h"
#include "figures.h"
#include "report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

struct csv_options {
	struct options_words files;
	unsigned int runs;
};

static const struct options_entry entries[] = {
	{
		.keyword = "runs", .parse = options_set, .value = 1,
		.target = offsetof(struct csv_options, runs),
		.help = "a row for each run (default: for each interval)",
	},
	REPORT_OPTION_FILES(struct csv_options),
};

/* A column that is a member of the record, numbers times @scale. */
struct column {
	const char *title;
	const char *path;
	double scale;
};

/* What every row begins with, after file and run. */
static const struct column common[] = {
	{ "transport", "source.config.transport", 0 },
	{ "source_layer", "source.config.layer", 0 },
	{ "source_method", "source.config.method", 0 },
	{ "sink_layer", "sink.config.layer", 0 },
	{ "sink_method", "sink.config.method", 0 },
	{ "streams", "source.config.streams", 1 },
	{ "message_bytes", "source.config.message_bytes", 1 },
	{ "mtu_bytes", "route.mtu_bytes", 1 },
	{ "valid", "result.valid", 0 },
	{ "interrupted", "result.interrupted", 0 },
};

static const struct column of_runs[] = {
	{ "ended", "result.reason", 0 },
	{ "invalid_because", "result.invalid_because", 0 },
	{ "goodput_bps", "result.goodput_bps", 1 },
	{ "goodput_ci_low_bps", "result.statistics.goodput_bps.ci_low", 1 },
	{ "goodput_ci_high_bps", "result.statistics.goodput_bps.ci_high", 1 },
	{ "bytes", "result.bytes", 1 },
	{ "span_s", "result.span_ns", 1 / 1e9 },
	{ "messages_per_s", "result.messages_per_s", 1 },
	{ "packets_per_s", "result.packets_per_s", 1 },
	{ "wire_rate_bps", "result.wire.rate_bps", 1 },
	{ "wire_ceiling_bps", "result.wire.ceiling_bps", 1 },
	{ "retransmissions", "result.retransmissions", 1 },
	{ "rtt_us", "result.rtt_us", 1 },
	{ "sent_datagrams", "result.datagrams.sent", 1 },
	{ "received_datagrams", "result.datagrams.received", 1 },
	{ "lost_datagrams", "result.datagrams.lost", 1 },
	{ "busy_cycles_per_byte", "result.busy_cycles_per_byte", 1 },
	{ "busy_cycles_per_packet", "result.busy_cycles_per_packet", 1 },
	{ "source_call_cycles_per_byte", "result.source_call_cycles_per_byte",
	  1 },
	{ "sink_call_cycles_per_byte", "result.sink_call_cycles_per_byte", 1 },
	{ "core_cycles_per_byte", "result.core_cycles_per_byte", 1 },
	{ "instructions_per_byte", "result.instructions_per_byte", 1 },
	{ "round_trips", "result.round_trips", 1 },
	{ "round_trips_per_s", "result.round_trips_per_s", 1 },
	{ "latency_min_ns", "result.latency_ns.min", 1 },
	{ "latency_mean_ns", "result.latency_ns.mean", 1 },
	{ "latency_max_ns", "result.latency_ns.max", 1 },
	{ "latency_p50_ns", "result.latency_ns.p50", 1 },
	{ "latency_p90_ns", "result.latency_ns.p90", 1 },
	{ "latency_p99_ns", "result.latency_ns.p99", 1 },
	{ "latency_p99_9_ns", "result.latency_ns.p99_9", 1 },
	{ "latency_p99_99_ns", "result.latency_ns.p99_99", 1 },
	{ "latency_p99_999_ns", "result.latency_ns.p99_999", 1 },
	{ "timeouts", "result.timeouts", 1 },
	{ "late_responses", "result.late_responses", 1 },
	{ "busy_cycles_per_round_trip", "result.busy_cycles_per_round_trip", 1 },
};

static const char *const of_intervals[] = {
	"from_s", "to_s", "warm_up", "bytes", "goodput_bps", "busy_share",
	"busy_cycles", "packets_per_s", "retransmissions", "lost_datagrams",
	"round_trips_per_s", "latency_mean_ns", "latency_p50_ns",
	"latency_p99_ns", "timeouts",
};

static void print_titles(struct csv_field *csv, const struct column *column,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		csv_field_text(csv, column[i].title);
}

static void print_members(struct csv_field *csv, const struct record *record,
			  const struct column *column, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct json_object *member = json_at(record->root,
						     column[i].path);

		if (column[i].scale)
			csv_field_number(csv, json_number(member, "") *
					      column[i].scale);
		else
			csv_field_text(csv, member ?
				       json_object_get_string(member) : NULL);
	}
}

static void print_common(struct csv_field *csv, const struct record *record)
{
	csv_field_text(csv, record->file);
	csv_field_number(csv, record->number);
	print_members(csv, record, common, COUNT(common));
}

static void print_intervals(struct csv_field *csv, const struct record *record)
{
	struct figures_intervals intervals;

	figures_intervals_get(record, &intervals);
	for (size_t i = 0; i < intervals.count; i++) {
		const struct figures_interval *one = &intervals.interval[i];

		print_common(csv, record);
		csv_field_number(csv, one->from_s);
		csv_field_number(csv, one->to_s);
		csv_field_text(csv, one->warm_up ? "true" : "false");
		csv_field_number(csv, one->bytes);
		csv_field_number(csv, one->goodput_bps);
		csv_field_number(csv, one->busy_share);
		csv_field_number(csv, one->busy_cycles);
		csv_field_number(csv, figures_of_span(one, 1, FIGURE_PACKETS));
		csv_field_number(csv, one->retransmissions);
		csv_field_number(csv, one->lost);
		csv_field_number(csv, one->round_trips_per_s);
		csv_field_number(csv, one->latency_mean_ns);
		csv_field_number(csv, one->latency_p50_ns);
		csv_field_number(csv, one->latency_p99_ns);
		csv_field_number(csv, one->timeouts);
		csv_field_end(csv);
	}
	figures_intervals_free(&intervals);
}

static void print_run(struct csv_field *csv, const struct record *record)
{
	print_common(csv, record);
	print_members(csv, record, of_runs, COUNT(of_runs));
	csv_field_end(csv);
}

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	(void)data;
	if (!output_is_json(context->out))
		return 0;
	units_refuse(err, "csv is no JSON: leave -j out, or say show");
	return -1;
}

static int run(const struct command_context *context, const void *data)
{
	const struct csv_options *options = data;
	struct csv_field csv = { .to = stdout };
	struct records records;
	int ret = COMMAND_FAILED;

	if (report_read(context, &options->files, true, &records))
		goto out;
	csv_field_text(&csv, "file");
	csv_field_text(&csv, "run");
	print_titles(&csv, common, COUNT(common));
	if (options->runs)
		print_titles(&csv, of_runs, COUNT(of_runs));
	for (size_t i = 0; i < COUNT(of_intervals) && !options->runs; i++)
		csv_field_text(&csv, of_intervals[i]);
	csv_field_end(&csv);
	for (size_t i = 0; i < records.count; i++) {
		if (options->runs)
			print_run(&csv, &records.record[i]);
		else
			print_intervals(&csv, &records.record[i]);
	}
	ret = COMMAND_DONE;
out:
	record_free(&records);
	return ret;
}

const struct command command_csv = {
	.name = "csv",
	.summary = "intervals or runs as comma-separated values",
	.notes = "The titles carry the units; what a record does not have is empty.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct csv_options),
	.check = check,
	.run = run,
};
