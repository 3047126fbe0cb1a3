/* SPDX-License-Identifier: GPL-2.0 */
/*
 * measure: convert raw counters of snapshots to quantities.
 *
 * Pure arithmetic on two snapshots of a run, an earlier and a later one.
 *
 * Elapsed time. A snapshot reads the clock (ns) and the cycle counter of each CPU
 * together. Each stream notes the cycle counter of its CPU c before its first and
 * after its latest payload. With two snapshots,
 *
 *   time(c, cycles) = time_c - (cycles_c - cycles) x dt_c / dc_c
 *
 * where time_c and cycles_c are those of the later one, and dt_c and dc_c are the
 * differences between the two on that CPU. The span of the payload of an end is from
 * the first payload of any stream or, after a warm-up, from the earlier snapshot as
 * read on the CPU of the latest payload, to that. The span of a measurement may be
 * longer, see struct span_facts.
 */
#ifndef KTPUT_TOOLS_MEASURE_H
#define KTPUT_TOOLS_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "../module/client.h"

/**
 * struct measure_cpu - activity of a CPU between two snapshots
 * @id: number
 * @elapsed_ns: time between the readings
 * @cycles: cycles between the readings
 * @busy: share of the time that it was not idle, 0 to 1; NaN if unknown
 * @contradiction: share of the time by which contexts exceed @busy
 * @counters: difference of the run's counters
 * @contexts: difference of its cycles by context; idle is limited by @busy
 * @events: difference of its events
 * @times: difference of its times from /proc
 * @thread_ns: CPU time of the thread that serves the run there
 * @delay_known: its run delay is known
 * @delay_ns: time that it was ready to run and did not
 */
struct measure_cpu {
	uint32_t id;
	uint64_t elapsed_ns;
	uint64_t cycles;
	double busy;
	double contradiction;
	struct client_counters counters;
	struct contexts contexts;
	struct events events;
	struct cpu_times times;
	uint64_t thread_ns;
	bool delay_known;
	uint64_t delay_ns;
};

/**
 * struct measure_payload - when the payload of an end was moved
 * @first_ns: CLOCK_MONOTONIC before the first
 * @last_ns: likewise after the latest. With TCP, that of a source that has drained is
 *	over when the peer has acknowledged it.
 * @begin_ns: when the earlier snapshot was read on the CPU of the latest
 */
struct measure_payload {
	double first_ns;
	double last_ns;
	double begin_ns;
};

/**
 * struct measure_tcp - the streams of a source together
 * @retransmissions: segments retransmitted between the snapshots
 * @rtt_us: mean of the smoothed round-trip times at the later one
 * @rtt_min_us: minimum round-trip time
 * @copied: streams that copied pages although zero-copy was requested
 */
struct measure_tcp {
	uint64_t retransmissions;
	double rtt_us;
	uint32_t rtt_min_us;
	uint32_t copied;
};

struct client_counters
measure_difference(const struct client_counters *later,
		   const struct client_counters *earlier);
struct client_counters measure_total(const struct client_snapshot *snapshot);
struct client_counters
measure_streams_total(const struct client_snapshot *snapshot);

const struct client_cpu *measure_find_cpu(const struct client_snapshot *from,
					  uint32_t id);
bool measure_cpu(const struct client_snapshot *earlier,
		 const struct client_snapshot *later, uint32_t id,
		 struct measure_cpu *cpu);
double measure_busy(const struct client_snapshot *earlier,
		    const struct client_snapshot *later);
double measure_window_ns(const struct client_snapshot *before,
			 const struct client_snapshot *now);
bool measure_payload(const struct client_snapshot *earlier,
		     const struct client_snapshot *later,
		     struct measure_payload *to);
bool measure_span(const struct client_snapshot *earlier,
		  const struct client_snapshot *later, bool warmed_up,
		  uint64_t *ns);
uint64_t measure_acknowledged(const struct client_stream *stream);
uint64_t measure_acknowledged_total(const struct client_snapshot *snapshot);
bool measure_undrained(const struct client_stream *stream);
void measure_tcp(const struct client_snapshot *earlier,
		 const struct client_snapshot *later, struct measure_tcp *tcp);

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
