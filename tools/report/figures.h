/* SPDX-License-Identifier: GPL-2.0 */
/*
 * figures: quantities of a run and of its intervals, from its record.
 *
 * What a record does not have is NAN.
 */
#ifndef KTPUT_REPORT_FIGURES_H
#define KTPUT_REPORT_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "record.h"

/**
 * enum figure - what two runs are compared by
 * @FIGURE_GOODPUT: payload in bit/s
 * @FIGURE_PACKETS: datagrams or frames a second
 * @FIGURE_PER_BYTE: busy cycles of all CPUs over bytes of payload
 * @FIGURE_PER_PACKET: busy cycles of all CPUs over datagrams or frames
 * @FIGURE_LATENCY: mean time of a round trip, ns
 * @FIGURE_PER_TRIP: busy cycles of all CPUs over round trips
 * @FIGURE_COUNT: how many there are
 */
enum figure {
	FIGURE_GOODPUT,
	FIGURE_PACKETS,
	FIGURE_PER_BYTE,
	FIGURE_PER_PACKET,
	FIGURE_LATENCY,
	FIGURE_PER_TRIP,
	FIGURE_COUNT,
};

/**
 * struct figures_interval - one interval
 * @from_s: seconds since the first payload
 * @to_s: likewise, its end
 * @bytes: payload
 * @packets: datagrams or frames, NAN with TCP
 * @goodput_bps: payload in bit/s
 * @busy_share: share of the time that the CPUs were not idle
 * @busy_cycles: cycles that the CPUs were not idle, all together
 * @retransmissions: TCP segments
 * @lost: datagrams
 * @round_trips_per_s: of a ping-pong, which has no payload, and NAN else
 * @latency_mean_ns: likewise
 * @latency_p50_ns: likewise
 * @latency_p99_ns: likewise
 * @timeouts: likewise
 * @warm_up: it is left out of the result
 */
struct figures_interval {
	double from_s;
	double to_s;
	double bytes;
	double packets;
	double goodput_bps;
	double busy_share;
	double busy_cycles;
	double retransmissions;
	double lost;
	double round_trips_per_s;
	double latency_mean_ns;
	double latency_p50_ns;
	double latency_p99_ns;
	double timeouts;
	bool warm_up;
};

/**
 * struct figures_intervals - all of a run
 * @count: how many
 * @interval: in order
 */
struct figures_intervals {
	size_t count;
	struct figures_interval *interval;
};

const char *figures_key(enum figure figure);
const char *figures_title(enum figure figure);
struct units_text figures_show(enum figure figure, double value);
double figures_of_run(const struct record *record, enum figure figure);
bool figures_is_pingpong(const struct record *record);
double figures_of_span(const struct figures_interval *interval, size_t count,
		       enum figure figure);
void figures_intervals_get(const struct record *record,
			   struct figures_intervals *intervals);
void figures_intervals_free(struct figures_intervals *intervals);

#endif
