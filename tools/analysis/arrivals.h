/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arrivals: what happened to the datagrams of a source.
 *
 * Pure arithmetic on snapshots after the end. All figures cover the whole run:
 * otherwise datagrams in flight at the end of a warm-up would be missing.
 */
#ifndef KTPUT_TOOLS_ARRIVALS_H
#define KTPUT_TOOLS_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "../host/protocols.h"
#include "../module/client.h"

/**
 * struct arrivals - datagrams of all streams together
 * @sent: datagrams that the source's layer accepted, 0 without a source
 * @source_drops: dropped by the queueing discipline or the driver, including
 *	drops of other packets in their place
 * @source_refused: part of @source_drops that is not in @sent
 * @busy: times that the driver returned a frame
 * @stopped: times that a transmit queue was stopped, or a carrier missing
 * @refusals: errors to the source that nobody receives
 * @failures: calls of the source that failed for the network, without ending it
 * @failure: errno, positive, of the latest
 * @unreturned: buffers that the device had not returned
 * @recycled: streams whose frames are sent in sk_buffs that were sent before
 * @copied: streams that copied pages although zero-copy was requested
 * @received: datagrams that the sink received, 0 without a sink
 * @lost: sent and not received; without a source, skipped in the sequence
 * @reordered: received after a higher sequence number
 * @duplicates: received again
 * @late: received too late to tell whether they are duplicates
 * @foreign: datagrams to the sink that do not belong to this run
 * @socket_drops: dropped at the sink's sockets; one may stand for several
 *	datagrams if the sink receives several at once
 * @device_drops: dropped by the devices of both ends and their queueing
 *	disciplines, and not in @source_drops; may include other traffic
 * @protocol_drops: dropped by protocols of the sink's host before they came to a socket;
 *	may include other traffic
 * @unaccounted: lost, but not counted as a drop anywhere
 * @missing_on_link: part of @unaccounted that the sink's device has not received
 * @jitter_ns: mean interarrival jitter of the streams
 * @delay_known: delays were measured
 * @delay_min_ns: shortest one-way delay
 * @delay_max_ns: longest
 * @delay_mean_ns: mean over all datagrams; NaN if the sum of the differences
 *	overflows
 */
struct arrivals {
	uint64_t sent;
	uint64_t source_drops;
	uint64_t source_refused;
	uint64_t busy;
	uint64_t stopped;
	uint64_t refusals;
	uint64_t failures;
	int failure;
	uint64_t unreturned;
	uint64_t recycled;
	uint64_t copied;
	uint64_t received;
	uint64_t lost;
	uint64_t reordered;
	uint64_t duplicates;
	uint64_t late;
	uint64_t foreign;
	uint64_t socket_drops;
	uint64_t device_drops;
	uint64_t protocol_drops;
	uint64_t unaccounted;
	uint64_t missing_on_link;
	double jitter_ns;
	bool delay_known;
	int64_t delay_min_ns;
	int64_t delay_max_ns;
	double delay_mean_ns;
};

/**
 * struct arrivals_terms - how datagrams were sent and received
 * @segments: datagrams that the sink may receive, and thus drop, at once
 * @sent_segments: datagrams that the source may pass to its device at once
 * @reuse: all frames are identical, so they cannot be told apart
 * @pair: the devices of source and sink are a veth pair: what one of them cannot
 *	deliver to the other both count
 * @nothing_between: every device and network between the ends is counted
 * @source_filter_drops: dropped by filters at the source's device
 * @queue_drops: dropped by the queueing discipline of the source's device
 * @sent_drops: dropped by the source's device
 * @received_drops: dropped by the sink's device
 * @backlog_drops: dropped by backlogs of receiving CPUs, for all devices; drops
 *	for the sink's device are in @received_drops too
 * @filter_drops: dropped by filters at the sink's device
 * @received_known: @received_packets is known
 * @received_packets: packets that the sink's device received
 * @reasons: datagrams of the run that this kernel dropped, by its own reasons; 0 if
 *	they were not watched
 * @protocols: dropped by the protocols of the sink's host
 */
struct arrivals_terms {
	uint64_t segments;
	uint64_t sent_segments;
	bool reuse;
	bool pair;
	bool nothing_between;
	uint64_t source_filter_drops;
	uint64_t queue_drops;
	uint64_t sent_drops;
	uint64_t received_drops;
	uint64_t backlog_drops;
	uint64_t filter_drops;
	bool received_known;
	uint64_t received_packets;
	uint64_t reasons;
	struct protocols protocols;
};

void arrivals_compute(const struct client_snapshot *source,
		      const struct client_snapshot *sink,
		      const struct arrivals_terms *terms,
		      struct arrivals *arrivals);
uint64_t arrivals_failures(const struct client_snapshot *source, int *latest);
uint64_t arrivals_passed(const struct client_snapshot *sink);
uint64_t arrivals_passed_over(const struct client_snapshot *sink);

#endif
