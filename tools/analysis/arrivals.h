/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arrivals: what became of the datagrams of a source.
 *
 * Pure arithmetic on snapshots after the end. All figures are of the whole run:
 * what is under way when a warm-up ends would be missing in them otherwise.
 */
#ifndef KTPUT_TOOLS_ARRIVALS_H
#define KTPUT_TOOLS_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "../module/client.h"

/**
 * struct arrivals - datagrams of all streams together
 * @sent: datagrams that the source's layer took, 0 without a source
 * @source_drops: those that queueing discipline or driver dropped, or others
 *	for them
 * @source_refused: those of them that are not in @sent
 * @busy: times that the driver gave one back
 * @stopped: times that a transmit queue was stopped, or a carrier missing
 * @refusals: times that the source was told that nobody receives
 * @unreturned: buffers that the device had not given back
 * @copied: streams whose pages were copied all the same
 * @received: datagrams that the sink took, 0 without a sink
 * @lost: sent and not received; without a source, passed over in the sequence
 * @reordered: received after a higher sequence number
 * @duplicates: received again
 * @late: received too far behind to tell
 * @foreign: datagrams to the sink that are not of this run
 * @socket_drops: dropped at the sink's sockets; one may stand for several
 *	datagrams where the sink takes several at once
 * @device_drops: dropped by the devices of both ends and their queueing
 *	disciplines, and not in @source_drops; other traffic may be among them
 * @unaccounted: lost, and in none of the drops
 * @jitter_ns: mean of the streams' interarrival jitters
 * @delay_known: there are delays
 * @delay_min_ns: shortest one-way delay
 * @delay_max_ns: longest
 * @delay_mean_ns: mean of all datagrams; NaN where delays differ by more than can
 *	be added up
 */
struct arrivals {
	uint64_t sent;
	uint64_t source_drops;
	uint64_t source_refused;
	uint64_t busy;
	uint64_t stopped;
	uint64_t refusals;
	uint64_t unreturned;
	uint64_t copied;
	uint64_t received;
	uint64_t lost;
	uint64_t reordered;
	uint64_t duplicates;
	uint64_t late;
	uint64_t foreign;
	uint64_t socket_drops;
	uint64_t device_drops;
	uint64_t unaccounted;
	double jitter_ns;
	bool delay_known;
	int64_t delay_min_ns;
	int64_t delay_max_ns;
	double delay_mean_ns;
};

/**
 * struct arrivals_terms - what datagrams were sent and taken as
 * @segments: datagrams that the sink may take, and so drop, at once
 * @reuse: all frames are the same, so that none can be told from another
 * @queue_drops: dropped by the queueing discipline of the source's device
 * @sent_drops: dropped by the source's device
 * @received_drops: dropped by the sink's device
 * @backlog_drops: dropped by backlogs of CPUs that receive, of all devices; those
 *	of the sink's device are in @received_drops too
 * @filter_drops: dropped by filters at the sink's device
 */
struct arrivals_terms {
	uint64_t segments;
	bool reuse;
	uint64_t queue_drops;
	uint64_t sent_drops;
	uint64_t received_drops;
	uint64_t backlog_drops;
	uint64_t filter_drops;
};

void arrivals_compute(const struct client_snapshot *source,
		      const struct client_snapshot *sink,
		      const struct arrivals_terms *terms,
		      struct arrivals *arrivals);
uint64_t arrivals_passed_over(const struct client_snapshot *sink);

#endif
