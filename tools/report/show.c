// SPDX-License-Identifier: GPL-2.0
/* ktput-report show: the results of runs again. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json.h"
#include "../module/names.h"
#include "ceilings.h"
#include "cycles.h"
#include "events.h"
#include "memory.h"
#include "report.h"
#include "settings.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Most keys are shorter. */
#define SETTING_COLUMN	36

struct show_options {
	struct options_words files;
};

static const struct options_entry entries[] = {
	REPORT_OPTION_FILES(struct show_options),
};

/* Round trips, which have no goodput. */
static bool is_pingpong(const struct record *record)
{
	return json_at(record->root, "result.latency_ns") ||
	       json_at(record->root, "result.round_trips_per_s");
}

/* Of a result: each is printed where the record has it. */
static void print_number(struct output *out, struct json_object *result,
			 const char *path, const char *key, const char *title,
			 const char *unit)
{
	double value = json_number(result, path);

	if (isnan(value))
		return;
	if (value == floor(value) && fabs(value) < 1e15)
		output_double(out, key, value, "%-16s %.0f%s\n", title, value,
			      unit);
	else
		output_double(out, key, value, "%-16s %.6g%s\n", title, value,
			      unit);
}

static const char *reason_text(const char *word)
{
	for (unsigned int i = 0; strcmp(names_reason(i), "unknown"); i++)
		if (!strcmp(names_reason(i), word))
			return names_reason_text(i);
	return word;
}

/* What was typed, where the record has it. */
static void print_command(struct output *out, const struct record *record)
{
	struct json_object *words = json_array(record->root, "command");
	char *line = memory_copy("");

	if (json_length(words))
		output_array_begin(out, "command");
	for (size_t i = 0; i < json_length(words); i++) {
		const char *word = json_text(json_element(words, i), "");
		char *longer;

		if (!word)
			continue;
		longer = memory_print("%s%s%s", line, i ? " " : "", word);
		output_data_string(out, NULL, word);
		free(line);
		line = longer;
	}
	if (json_length(words)) {
		output_array_end(out);
		report_paragraph(out, REPORT_COLUMN, "Command", line);
	}
	free(line);
}

static void print_rates(struct output *out, const struct record *record)
{
	struct json_object *result = json_at(record->root, "result");
	const char *reason = json_text(result, "reason");
	double goodput = json_number(result, "goodput_bps");
	double bytes = json_number(result, "bytes");
	double span = json_number(result, "span_ns");
	double packets = json_number(result, "packets_per_s");
	double messages = json_number(result, "messages_per_s");
	double wire = json_number(result, "wire.rate_bps");

	if (reason)
		output_string(out, "reason", reason, "%-16s %s\n", "Ended",
			      reason_text(reason));
	if (isnan(goodput) && is_pingpong(record))
		return;
	if (isnan(goodput)) {
		output_null(out, "goodput_bps", "%-16s none\n", "Goodput");
		return;
	}
	output_double(out, "goodput_bps", goodput, "%-16s %s", "Goodput",
		      units_show_bitrate(goodput).text);
	if (bytes >= 0)
		output_double(out, "bytes", bytes, ", %.0f bytes", bytes);
	if (span >= 0)
		output_double(out, "span_ns", span, " in %.6f s", span / 1e9);
	output_text(out, "\n");
	if (packets >= 0)
		output_double(out, "packets_per_s", packets, "%-16s %s/s\n",
			      "Packets", units_show_count(packets).text);
	if (messages >= 0)
		output_double(out, "messages_per_s", messages, "%-16s %s/s\n",
			      "Messages", units_show_count(messages).text);
	if (wire >= 0)
		output_double(out, "wire_rate_bps", wire, "%-16s %s\n",
			      "Wire rate", units_show_bitrate(wire).text);
}

/* Of a ping-pong. */
static void print_latency(struct output *out, struct json_object *result)
{
	static const char *const keys[] = {
		"min", "mean", "max", "p50", "p90", "p99", "p99_9", "p99_99",
		"p99_999",
	};
	struct json_object *latency = json_at(result, "latency_ns");
	double trips = json_number(result, "round_trips_per_s");
	const char *between = "";
	size_t printed = 0;

	if (trips >= 0)
		output_double(out, "round_trips_per_s", trips, "%-16s %s/s\n",
			      "Round trips", units_show_count(trips).text);
	if (!latency)
		return;
	output_object_begin(out, "latency_ns");
	output_text(out, "%-17s", "Latency");
	for (size_t i = 0; i < COUNT(keys); i++) {
		double ns = json_number(latency, keys[i]);

		if (isnan(ns))
			continue;
		output_double(out, keys[i], ns, "%s%s %.2f", between, keys[i],
			      ns / 1e3);
		between = ++printed % 3 ? ", " : ",\n                 ";
	}
	output_text(out, " us\n");
	output_object_end(out);
}

/* Requests of a ping-pong that nobody waited for any longer. */
static void print_timeouts(struct output *out, struct json_object *result)
{
	double timeouts = json_number(result, "timeouts");
	double late = json_number(result, "late_responses");

	if (!(timeouts >= 0))
		return;
	output_double(out, "timeouts", timeouts, "%-16s %.0f requests",
		      "Given up", timeouts);
	if (late >= 0)
		output_double(out, "late_responses", late,
			      ", %.0f late responses", late);
	output_text(out, "\n");
}

static void print_statistics(struct output *out, struct json_object *result)
{
	struct json_object *of = json_at(result, "statistics.goodput_bps");
	double mean = json_number(of, "mean");
	double sigma = json_number(of, "sigma");
	double low = json_number(of, "ci_low"), high = json_number(of, "ci_high");
	static const char *const keys[] = { "min", "p05", "median", "p95", "max" };
	size_t printed = 0;

	if (isnan(mean))
		return;
	output_object_begin(out, "statistics");
	output_double(out, "goodput_mean_bps", mean, "%-16s mean %s",
		      "Intervals", units_show_bitrate(mean).text);
	if (!isnan(sigma))
		output_double(out, "goodput_sigma_bps", sigma, ", sigma %s",
			      units_show_bitrate(sigma).text);
	if (isfinite(sigma / mean))
		output_double(out, "stability", sigma / mean, " (%.2f%% of it)",
			      sigma / mean * 100);
	for (size_t i = 0; i < COUNT(keys); i++) {
		double value = json_number(of, keys[i]);
		char key[32];

		if (isnan(value))
			continue;
		snprintf(key, sizeof(key), "goodput_%s_bps", keys[i]);
		output_double(out, key, value, printed++ % 3 ? "%.0s, %s %s" :
			      "\n%17s%s %s", "", keys[i],
			      units_show_bitrate(value).text);
	}
	output_text(out, "\n");
	/* Records of before had a guess there. */
	if (!json_is(of, "too_short") && !isnan(low) && !isnan(high)) {
		output_double(out, "goodput_ci_low_bps", low,
			      "%-16s %s", "95% interval",
			      units_show_bitrate(low).text);
		output_double(out, "goodput_ci_high_bps", high, " to %s\n",
			      units_show_bitrate(high).text);
	}
	output_bool(out, "too_short", json_is(of, "too_short"), "%s",
		    json_is(of, "too_short") ?
		    "95% interval     not known: the run is too short for it\n" :
		    "");
	output_object_end(out);
}

static void print_transport(struct output *out, struct json_object *result)
{
	static const struct {
		const char *path, *key, *title, *unit;
	} rows[] = {
		{ "retransmissions", "retransmissions", "Retransmissions",
		  " segments" },
		{ "rtt_us", "rtt_us", "Round-trip time", " us smoothed" },
		{ "datagrams.sent", "sent", "Sent", " datagrams" },
		{ "datagrams.received", "received", "Received", " datagrams" },
		{ "datagrams.lost", "lost", "Lost", " datagrams" },
		{ "datagrams.reordered", "reordered", "Reordered",
		  " datagrams" },
		{ "datagrams.duplicates", "duplicates", "Duplicates",
		  " datagrams" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		print_number(out, result, rows[i].path, rows[i].key,
			     rows[i].title, rows[i].unit);
}

static void print_cycles(struct output *out, struct json_object *result)
{
	static const struct {
		const char *key, *title;
	} rows[] = {
		{ "busy_cycles", "Busy cycles" },
		{ "source_call_cycles", "Source calls" },
		{ "sink_call_cycles", "Sink calls" },
		{ "core_cycles", "Core cycles" },
		{ "instructions", "Instructions" },
	};
	double trip = json_number(result, "busy_cycles_per_round_trip");

	for (size_t i = 0; i < COUNT(rows); i++) {
		char byte_key[48], packet_key[48];
		double byte, packet;

		snprintf(byte_key, sizeof(byte_key), "%s_per_byte", rows[i].key);
		snprintf(packet_key, sizeof(packet_key), "%s_per_packet",
			 rows[i].key);
		byte = json_number(result, byte_key);
		packet = json_number(result, packet_key);
		if (isnan(byte))
			continue;
		output_double(out, byte_key, byte, "%-16s %.4f a byte",
			      rows[i].title, byte);
		if (packet >= 0)
			output_double(out, packet_key, packet,
				      ", %.1f a packet", packet);
		output_text(out, "\n");
	}
	if (trip >= 0)
		output_double(out, "busy_cycles_per_round_trip", trip,
			      "%-16s %.0f a round trip, all CPUs together\n",
			      "Busy cycles", trip);
}

/* What held TCP back; streams of which the same is true share a line. */
static void print_verdicts(struct output *out, struct json_object *result)
{
	struct json_object *all = json_array(result, "tcp");
	const char *said = NULL;

	if (!json_length(all))
		return;
	output_array_begin(out, "tcp");
	for (size_t i = 0; i < json_length(all); i++) {
		struct json_object *one = json_element(all, i);
		const char *verdict = json_text(one, "verdict");
		const char *because = json_text(one, "because");

		if (!verdict)
			continue;
		output_object_begin(out, NULL);
		output_data_double(out, "id", json_number(one, "id"));
		output_data_string(out, "verdict", verdict);
		if (because)
			output_data_string(out, "because", because);
		output_object_end(out);
		if (!said || strcmp(said, verdict))
			report_paragraph(out, REPORT_COLUMN, "TCP",
					 because ? because : verdict);
		said = verdict;
	}
	output_array_end(out);
}

static struct units_text show_counter(double value)
{
	struct units_text text = { "-" };

	if (isfinite(value))
		snprintf(text.text, sizeof(text.text), "%.0f", value);
	return text;
}

static void print_disagreement(struct output *out, struct json_object *one)
{
	static const char *const words[] = {
		"what", "unit", "relation", "where",
	};
	double expected = json_number(one, "expected");
	double counted = json_number(one, "counted");
	char *text = memory_print("%s: expected %s, counted %s",
				  json_text(one, "what"),
				  show_counter(expected).text,
				  show_counter(counted).text);

	output_object_begin(out, NULL);
	for (size_t i = 0; i < COUNT(words); i++)
		if (json_text(one, words[i]))
			output_data_string(out, words[i],
					   json_text(one, words[i]));
	output_data_double(out, "expected", expected);
	output_data_double(out, "counted", counted);
	output_object_end(out);
	report_paragraph(out, REPORT_COLUMN, "Disagreement", text);
	free(text);
}

/* What counters of one thing should have agreed, and where they do not. */
static void print_reconciliation(struct output *out,
				 struct json_object *result)
{
	struct json_object *all = json_array(result, "reconciliation");

	if (!json_length(all))
		return;
	output_array_begin(out, "disagreements");
	for (size_t i = 0; i < json_length(all); i++) {
		struct json_object *one = json_element(all, i);

		if (json_text(one, "what") && !json_is(one, "agrees"))
			print_disagreement(out, one);
	}
	output_array_end(out);
}

static void print_settings(struct output *out, const struct record *record)
{
	struct settings settings;

	settings_get(record, &settings);
	output_text(out, "\n");
	output_object_begin(out, "settings");
	for (size_t i = 0; i < settings.count; i++) {
		const struct setting *setting = &settings.setting[i];

		output_data_string(out, setting->key, setting->value);
		report_paragraph(out, SETTING_COLUMN, setting->key,
				 setting->value);
	}
	output_object_end(out);
	settings_free(&settings);
}

static void print_run(const struct command_context *context,
		      const struct record *record)
{
	struct json_object *result = json_at(record->root, "result");
	struct output *out = context->out;

	output_object_begin(out, NULL);
	report_head(out, record);
	print_command(out, record);
	print_rates(out, record);
	print_latency(out, result);
	print_timeouts(out, result);
	print_statistics(out, result);
	print_transport(out, result);
	print_verdicts(out, result);
	print_reconciliation(out, result);
	output_text(out, "\n");
	ceilings_print(out, record);
	output_text(out, "\n");
	cycles_print(out, record);
	events_print(out, record);
	print_cycles(out, result);
	if (context->statistics)
		print_settings(out, record);
	output_object_end(out);
}

static int run(const struct command_context *context, const void *data)
{
	const struct show_options *options = data;

	return report_each(context, &options->files, print_run);
}

const struct command command_show = {
	.name = "show",
	.summary = "the results of runs, with -s what they were made with",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct show_options),
	.run = run,
};
