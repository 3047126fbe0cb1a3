/* SPDX-License-Identifier: GPL-2.0 */
/*
 * span: the time that a goodput is over.
 *
 * Goodput is what is known to have arrived, over the time in which it was to arrive.
 * An outage then lowers it by the same amount wherever it lies: at the beginning, in
 * the middle, or at the end.
 *
 * - The time of a source is its schedule: from its first call to the time when it
 *   stopped, or to its last datagram where a number of them ends the run.
 * - The time of a sink is from its first payload to its last.
 * - With both ends, the span is the longer of the two. A sink still receives what
 *   queues have kept when the source has stopped, and it receives nothing in an outage
 *   at either end of the run. Only durations are compared, since the clocks of two
 *   hosts differ.
 * - Of a TCP source alone, what counts is what the peer has acknowledged, and the span
 *   lasts until it has.
 * - A sink alone counts the time of its run, from the first payload unless it was told
 *   how long to run.
 *
 * After a warm-up, all of them begin at its end.
 */
#ifndef KTPUT_TOOLS_SPAN_H
#define KTPUT_TOOLS_SPAN_H

#include "measure.h"

/**
 * struct span_end - snapshots of an end
 * @begin: at the end of the warm-up, or the first one; NULL without that end
 * @last: after the end
 */
struct span_end {
	const struct client_snapshot *begin;
	const struct client_snapshot *last;
};

/**
 * struct span_facts - what a span is computed from
 * @source: the end that sends
 * @sink: the end that receives
 * @udp: the payload is carried in datagrams
 * @warmed_up: there was a warm-up
 * @timed: the time of the run was given
 * @gap_ns: time between two datagrams by the rate of all streams, 0 without a rate
 * @acknowledged_ns: CLOCK_MONOTONIC when the last acknowledgment of payload was seen
 *	while a TCP source drained, 0 if none was
 */
struct span_facts {
	struct span_end source;
	struct span_end sink;
	bool udp;
	bool warmed_up;
	bool timed;
	uint64_t gap_ns;
	uint64_t acknowledged_ns;
};

bool span_compute(const struct span_facts *facts, uint64_t *ns);

#endif
