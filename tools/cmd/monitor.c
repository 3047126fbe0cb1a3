// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl monitor: the rates of each run, interval by interval, and its end. */
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../analysis/arrivals.h"
#include "../analysis/measure.h"
#include "../base/clocks.h"
#include "../base/interrupt.h"
#include "../module/names.h"
#include "../result/record.h"
#include "commands.h"

/* Home, and clear from there to the end of the screen (ECMA-48). */
#define SCREEN_CLEAR	"\033[H\033[J"

struct monitor_options {
	const char *netns;
	const char *metrics;
	uint64_t interval_ns;
	uint64_t intervals;
};

static const struct options_entry entries[] = {
	{
		.keyword = "netns", .argument = "NAME",
		.values = OPTIONS_NAMESPACES, .parse = options_word,
		.target = offsetof(struct monitor_options, netns),
		.help = "network namespace: a name of ip-netns(8), a path, or "
			"a process number",
		.otherwise = "this one",
	}, {
		.keyword = "interval", .argument = "TIME",
		.parse = options_time, .min = 100000000,
		.max = KTPUT_MAX_TIME,
		.target = offsetof(struct monitor_options, interval_ns),
		.help = "time between two readings",
		.otherwise = "1s",
	}, {
		.keyword = "count", .argument = "N", .parse = options_count,
		.min = 1, .max = UINT32_MAX,
		.target = offsetof(struct monitor_options, intervals),
		.help = "end after so many intervals",
		.otherwise = "without end",
	}, {
		.keyword = "metrics", .argument = "FILE",
		.values = OPTIONS_FILES, .parse = options_word,
		.target = offsetof(struct monitor_options, metrics),
		.help = "replace FILE at each interval by the counters of all "
			"runs, in the text format of Prometheus",
	},
};

static const struct output_column columns[] = {
	{ .title = "run", .width = 4 },
	{ .title = "role", .width = 6, .left = true },
	{ .title = "state", .width = 10, .left = true },
	{ .title = "goodput", .width = 12 },
	{ .title = "messages/s", .width = 11 },
	{ .title = "lost", .width = 8 },
	{ .title = "retrans", .width = 8 },
	{ .title = "CPU", .width = 6 },
	{ .title = "streams", .width = 7 },
};

/* A run, and how it was at the last interval. */
struct watched {
	struct client_listing listing;
	struct client_snapshot snapshot;
	bool read;
};

/* The runs of one interval. */
struct watch {
	struct watched *runs;
	size_t count;
};

static void watch_free(struct watch *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->runs[i].read)
			client_snapshot_free(&watch->runs[i].snapshot);
	free(watch->runs);
	*watch = (struct watch) { 0 };
}

static const struct client_snapshot *find(const struct watch *watch,
					  uint32_t id)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->runs[i].read && watch->runs[i].snapshot.run.id == id)
			return &watch->runs[i].snapshot;
	return NULL;
}

/* A run that ends meanwhile is not read: the next interval does not have it. */
static int watch_read(struct client *client, struct watch *watch,
		      struct units_error *err)
{
	struct client_listing *list = NULL;
	struct units_error ignored;
	size_t count = 0;

	*watch = (struct watch) { 0 };
	if (client_runs(client, &list, &count, err))
		return -1;
	watch->runs = calloc(count ? count : 1, sizeof(*watch->runs));
	if (!watch->runs) {
		units_refuse(err, "out of memory");
		free(list);
		return -1;
	}
	watch->count = count;
	for (size_t i = 0; i < count; i++) {
		struct watched *run = &watch->runs[i];

		run->listing = list[i];
		run->read = !client_snapshot(client, list[i].run.id,
					     KTPUT_PART_STREAMS |
					     KTPUT_PART_CONTEXTS,
					     &run->snapshot, &ignored);
	}
	free(list);
	return 0;
}

/* Share of the CPU that the calls of a run took most of; NaN if it makes none. */
static double cpu_share(const struct client_snapshot *before,
			const struct client_snapshot *now)
{
	struct measure_cpu cpu;
	double most = NAN;

	for (size_t i = 0; i < now->cpu_count; i++) {
		if (!measure_cpu(before, now, now->cpus[i].id, &cpu) ||
		    !cpu.counters.call_cycles || !cpu.cycles)
			continue;
		most = fmax(most, (double)cpu.counters.call_cycles /
			    cpu.cycles);
	}
	return most;
}

static void print_share(struct output *out, double share)
{
	if (isnan(share))
		output_null(out, "cpu_share", "-");
	else
		output_double(out, "cpu_share", share, "%.1f%%", share * 100);
}

/* What a transport does not have is not known, and of JSON null. */
static void print_losses(struct output *out, const struct config *config,
			 const struct client_snapshot *before,
			 const struct client_snapshot *now)
{
	const bool source = now->run.role == KTPUT_ROLE_SOURCE;
	const bool tcp = config->number[KTPUT_A_CONFIG_TRANSPORT] ==
			 KTPUT_TRANSPORT_TCP;
	struct measure_tcp told;

	if (!tcp && !source) {
		const int64_t lost = arrivals_passed_over(now) -
				     arrivals_passed_over(before);

		output_text(out, "%" PRId64, lost);
		output_data_i64(out, "lost_datagrams", lost);
	} else {
		output_null(out, "lost_datagrams", "-");
	}
	if (tcp && source) {
		measure_tcp(before, now, &told);
		output_u64(out, "retransmissions", told.retransmissions,
			   "%" PRIu64, told.retransmissions);
	} else {
		output_null(out, "retransmissions", "-");
	}
}

static void print_row(struct output *out, const struct watched *run,
		      const struct client_snapshot *before)
{
	const struct client_snapshot *now = &run->snapshot;
	const uint64_t ns = now->run.now_ns - before->run.now_ns;
	const struct client_counters last = measure_total(before);
	const struct client_counters total = measure_total(now);
	const struct client_counters delta = measure_difference(&total, &last);
	const double bps = delta.bytes * 8.0 * UNITS_NSEC_PER_SEC / ns;
	const double rate = delta.messages * (double)UNITS_NSEC_PER_SEC / ns;

	output_row_begin(out);
	output_u64(out, "id", now->run.id, "%" PRIu32, now->run.id);
	output_string(out, "role", names_role(now->run.role), "%s",
		      names_role(now->run.role));
	output_string(out, "state", names_state(now->run.state), "%s",
		      names_state(now->run.state));
	output_data_u64(out, "elapsed_ns", ns);
	output_data_u64(out, "bytes", delta.bytes);
	output_double(out, "goodput_bps", bps, "%s",
		      units_show_bitrate(bps).text);
	output_double(out, "messages_per_s", rate, "%s",
		      units_show_count(rate).text);
	print_losses(out, &run->listing.config, before, now);
	print_share(out, cpu_share(before, now));
	output_u64(out, "streams", now->run.streams, "%" PRIu32,
		   now->run.streams);
	output_row_end(out);
}

/* An interval is a document of its own. Returns 0, or -1 if nobody reads it. */
static int print_interval(struct output *out, const struct watch *before,
			  const struct watch *now, bool screen)
{
	bool any = screen || output_form_of(out) != OUTPUT_TEXT;

	for (size_t i = 0; i < now->count; i++)
		any |= now->runs[i].read &&
		       find(before, now->runs[i].snapshot.run.id);
	if (!any)
		return 0;
	if (screen)
		output_text(out, "%s", SCREEN_CLEAR);
	output_table_begin(out, "runs", columns, COUNT(columns), false);
	for (size_t i = 0; i < now->count; i++) {
		const struct watched *run = &now->runs[i];
		const struct client_snapshot *last;

		last = run->read ? find(before, run->snapshot.run.id) : NULL;
		if (last && run->snapshot.run.now_ns > last->run.now_ns)
			print_row(out, run, last);
	}
	output_table_end(out);
	if (screen && !now->count)
		output_text(out, "no run\n");
	return output_document_end(out);
}

static int print_event(struct output *out, const struct client_run *run)
{
	output_text(out, "run %" PRIu32 ", %s, has ended ", run->id,
		    names_role(run->role));
	if (run->begun_ns)
		output_text(out, "after %.6f s: ",
			    (run->ended_ns - run->begun_ns) / 1e9);
	else
		output_text(out, "before it began: ");
	output_text(out, "%s", names_reason_text(run->reason));
	if (run->error)
		output_text(out, " (%s)", strerror(run->error));
	output_text(out, "\n");
	record_run(out, "run", run);
	return output_document_end(out);
}

static int print_events(struct output *out, struct client *client)
{
	struct client_run run;
	int ret;

	while ((ret = client_event(client, &run))) {
		if (ret < 0)
			output_warning(out, "some notifications were lost");
		else if (run.state == KTPUT_STATE_ENDED &&
			 print_event(out, &run))
			return -1;
	}
	return 0;
}

static int write_metrics(const struct monitor_options *options,
			 const struct watch *watch, struct units_error *err)
{
	struct metrics metrics;

	if (!options->metrics)
		return 0;
	metrics_begin(&metrics, options->netns);
	for (size_t i = 0; i < watch->count; i++)
		if (watch->runs[i].read)
			metrics_add(&metrics, &watch->runs[i].listing.config,
				    &watch->runs[i].snapshot);
	return metrics_replace(&metrics, options->metrics, err);
}

/* Returns a command's status. */
static int watch(const struct command_context *context, struct client *client,
		 const struct monitor_options *options, struct units_error *err)
{
	struct pollfd fds[] = {
		{ .fd = interrupt_catch(), .events = POLLIN },
		{ .fd = client_event_fd(client), .events = POLLIN },
	};
	const bool screen = output_form_of(context->out) == OUTPUT_TEXT &&
			    isatty(STDOUT_FILENO);
	uint64_t due_ns = monotonic_ns() + options->interval_ns, done = 0;
	struct watch before, now;
	int ret = 0;

	if (watch_read(client, &before, err))
		return -1;
	if (!before.count && output_form_of(context->out) == OUTPUT_TEXT) {
		output_text(context->out, "no run in this network namespace yet\n");
		ret = output_document_end(context->out);
	}
	if (!ret)
		ret = write_metrics(options, &before, err);
	while (!ret && !interrupt_count() &&
	       (!options->intervals || done < options->intervals)) {
		const uint64_t at_ns = monotonic_ns();
		const int left_ms = due_ns > at_ns ?
				    (due_ns - at_ns + 999999) / 1000000 : 0;

		/* Stop when the reader of the output has gone. */
		if (print_events(context->out, client)) {
			ret = 1;
			break;
		}
		if (left_ms) {
			poll(fds, COUNT(fds), left_ms);
			continue;
		}
		/* What was missed is not made up for. */
		due_ns += options->interval_ns *
			  (1 + (at_ns - due_ns) / options->interval_ns);
		done++;
		if (watch_read(client, &now, err)) {
			ret = -1;
			break;
		}
		ret = print_interval(context->out, &before, &now, screen);
		watch_free(&before);
		before = now;
		if (!ret)
			ret = write_metrics(options, &before, err);
	}
	watch_free(&before);
	return ret;
}

static int run(const struct command_context *context, const void *data)
{
	const struct monitor_options *options = data;
	struct units_error err;
	struct client client;
	int ret;

	err.text[0] = '\0';
	interrupt_catch();
	if (client_open(&client, options->netns, &err)) {
		output_error(context->out, "%s", err.text);
		return COMMAND_FAILED;
	}
	ret = client_subscribe(&client, options->netns, &err);
	if (!ret)
		ret = watch(context, &client, options, &err);
	if (ret && err.text[0])
		output_error(context->out, "%s", err.text);
	client_close(&client);
	return ret ? COMMAND_FAILED : COMMAND_DONE;
}

static const struct monitor_options defaults = {
	.interval_ns = UNITS_NSEC_PER_SEC,
};

const struct command command_monitor = {
	.name = "monitor",
	.summary = "print the rates of all runs of the module, and their ends",
	.notes = "Ctrl-C ends it. With -j one JSON object a line: runs of an interval, or the run\n"
		 "that has ended.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct monitor_options),
	.defaults = &defaults,
	.run = run,
};
