// SPDX-License-Identifier: GPL-2.0
/* figures: quantities of a run and of its intervals, from its record. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../lib/json.h"
#include "figures.h"
#include "memory.h"

#define NSEC	1e9

static const struct {
	const char *key, *title, *path;
} figures[] = {
	[FIGURE_GOODPUT] = { "goodput_bps", "Goodput", "result.goodput_bps" },
	[FIGURE_PACKETS] = {
		"packets_per_s", "Packets/s", "result.packets_per_s",
	},
	[FIGURE_PER_BYTE] = {
		"busy_cycles_per_byte", "Cycles/byte",
		"result.busy_cycles_per_byte",
	},
	[FIGURE_PER_PACKET] = {
		"busy_cycles_per_packet", "Cycles/pkt",
		"result.busy_cycles_per_packet",
	},
	[FIGURE_LATENCY] = {
		"latency_mean_ns", "Latency, ns", "result.latency_ns.mean",
	},
	[FIGURE_PER_TRIP] = {
		"busy_cycles_per_round_trip", "Cycles/trip",
		"result.busy_cycles_per_round_trip",
	},
};

const char *figures_key(enum figure figure)
{
	return figures[figure].key;
}

const char *figures_title(enum figure figure)
{
	return figures[figure].title;
}

/**
 * figures_show() - a figure as text
 * @figure: which
 * @value: its value
 *
 * Return: the text, a dash where there is no value.
 */
struct units_text figures_show(enum figure figure, double value)
{
	double size = fabs(value);
	struct units_text text;

	if (!isfinite(value)) {
		snprintf(text.text, sizeof(text.text), "-");
	} else if (figure == FIGURE_GOODPUT || figure == FIGURE_PACKETS) {
		struct units_text plain = figure == FIGURE_GOODPUT ?
			units_show_bitrate(size) : units_show_count(size);

		snprintf(text.text, sizeof(text.text), "%s%.30s",
			 value < 0 ? "-" : "", plain.text);
	} else {
		snprintf(text.text, sizeof(text.text),
			 size < 100 ? "%.4f" : size < 1e7 ? "%.1f" : "%.5g",
			 value);
	}
	return text;
}

double figures_of_run(const struct record *record, enum figure figure)
{
	return json_number(record->root, figures[figure].path);
}

/**
 * figures_is_pingpong() - what a run was
 * @record: the run
 *
 * Return: true where it was round trips, which have no goodput.
 */
bool figures_is_pingpong(const struct record *record)
{
	return json_at(record->root, "result.latency_ns") ||
	       json_at(record->root, "result.round_trips_per_s");
}

static double over(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

/**
 * figures_of_span() - a figure over intervals in a row
 * @interval: the first
 * @count: how many
 * @figure: which
 *
 * Return: the figure, or NAN: intervals do not tell of round trips.
 */
double figures_of_span(const struct figures_interval *interval, size_t count,
		       enum figure figure)
{
	double bytes = 0, packets = 0, cycles = 0, seconds = 0;

	for (size_t i = 0; i < count; i++) {
		bytes += interval[i].bytes;
		packets += interval[i].packets;
		cycles += interval[i].busy_cycles;
		seconds += interval[i].to_s - interval[i].from_s;
	}
	switch (figure) {
	case FIGURE_GOODPUT:
		return over(bytes * 8, seconds);
	case FIGURE_PACKETS:
		return over(packets, seconds);
	case FIGURE_PER_BYTE:
		return over(cycles, bytes);
	case FIGURE_PER_PACKET:
		return over(cycles, packets);
	default:
		return NAN;
	}
}

/*
 * The end whose readings of the CPUs count: the sink, whose bytes do, but not
 * XDP, whose clock counts nanoseconds.
 */
static const char *read_end(const struct record *record)
{
	if (!json_at(record->root, "sink") ||
	    (json_at(record->root, "source") &&
	     json_at(record->root, "sink.xdp_mode")))
		return "source";
	return "sink";
}

static struct json_object *find_cpu(struct json_object *cpus, double id)
{
	for (size_t i = 0; i < json_length(cpus); i++) {
		struct json_object *cpu = json_element(cpus, i);

		if (json_number(cpu, "cpu") == id)
			return cpu;
	}
	return NULL;
}

/* Cycles between two readings of a CPU that it was not idle. */
static double busy_of(struct json_object *from, struct json_object *to)
{
	double ns = json_number(to, "time_ns") - json_number(from, "time_ns");
	double idle = json_number(to, "idle_ns") - json_number(from, "idle_ns");
	double cycles = json_number(to, "cycles") - json_number(from, "cycles");

	if (!(ns > 0) || isnan(idle))
		return NAN;
	return cycles * fmin(fmax(1 - idle / ns, 0), 1);
}

/* The same of all CPUs; NAN where one does not tell. */
static double busy_between(struct json_object *before,
			   struct json_object *after)
{
	double cycles = json_length(after) ? 0 : NAN;

	for (size_t i = 0; i < json_length(after); i++) {
		struct json_object *to = json_element(after, i);

		cycles += busy_of(find_cpu(before, json_number(to, "cpu")), to);
	}
	return cycles;
}

/**
 * figures_intervals_get() - the intervals of a run
 * @record: the run
 * @intervals: where they go; figures_intervals_free() releases them
 */
void figures_intervals_get(const struct record *record,
			   struct figures_intervals *intervals)
{
	struct json_object *array = json_array(record->root, "intervals");
	size_t count = json_length(array);
	const char *end = read_end(record);
	char begin[32], cpus[32];
	struct json_object *before;

	snprintf(begin, sizeof(begin), "%s.begin.cpus", end);
	snprintf(cpus, sizeof(cpus), "%s.cpus", end);
	before = json_array(record->root, begin);
	*intervals = (struct figures_intervals) {
		.interval = memory_must(calloc(count + 1,
					       sizeof(*intervals->interval))),
	};
	for (size_t i = 0; i < count; i++) {
		struct json_object *from = json_element(array, i);
		struct figures_interval *to =
			&intervals->interval[intervals->count];
		struct json_object *after = json_array(from, cpus);

		*to = (struct figures_interval) {
			.from_s = json_number(from, "from_ns") / NSEC,
			.to_s = json_number(from, "to_ns") / NSEC,
			.bytes = json_number(from, "bytes"),
			.goodput_bps = json_number(from, "goodput_bps"),
			.busy_share = json_number(from, "busy_share"),
			.busy_cycles = busy_between(before, after),
			.retransmissions = json_number(from, "retransmissions"),
			.lost = json_number(from, "lost_datagrams"),
			.round_trips_per_s = json_number(from,
							 "round_trips_per_s"),
			.latency_mean_ns = json_number(from, "latency_mean_ns"),
			.latency_p50_ns = json_number(from, "latency_p50_ns"),
			.latency_p99_ns = json_number(from, "latency_p99_ns"),
			.timeouts = json_number(from, "timeouts"),
			.warm_up = json_is(from, "warm_up"),
		};
		to->packets = json_number(from, "packets_per_s") *
			      (to->to_s - to->from_s);
		before = after;
		if (to->to_s > to->from_s &&
		    (isfinite(to->bytes) || isfinite(to->round_trips_per_s)))
			intervals->count++;
	}
}

void figures_intervals_free(struct figures_intervals *intervals)
{
	free(intervals->interval);
	*intervals = (struct figures_intervals) { 0 };
}
