/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine: result of a run by another program.
 */
#ifndef KTPUT_TOOLS_ENGINE_H
#define KTPUT_TOOLS_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct engine_stream - a connection, a UDP flow, or the sum of all
 * @bytes: payload sent or received
 * @seconds: duration
 * @datagrams: datagrams sent or received; 0 for TCP
 * @lost: datagrams missing at a receiver
 * @reordered: datagrams received after a later one
 * @jitter_ns: interarrival jitter, RFC 3550
 * @retransmissions: retransmitted TCP segments
 * @rtt_us: mean of the smoothed round-trip times
 * @rtt_min_us: minimum of them
 * @window_bytes: largest window advertised by the peer
 *
 * Values that the program does not report are 0.
 */
struct engine_stream {
	uint64_t bytes;
	double seconds;
	uint64_t datagrams;
	uint64_t lost;
	uint64_t reordered;
	uint64_t jitter_ns;
	uint32_t retransmissions;
	uint32_t rtt_us;
	uint32_t rtt_min_us;
	uint32_t window_bytes;
};

/**
 * struct engine_interval - payload of all streams between two of its reports
 * @to_ns: end, from that of the warm-up on; the next one begins there
 * @bytes: payload sent or received in it
 */
struct engine_interval {
	uint64_t to_ns;
	uint64_t bytes;
};

/**
 * struct engine_result - result of one end
 * @version: version of the program
 * @stream: its streams, for free()
 * @streams: number of streams
 * @interval: what it reports meanwhile, for free()
 * @intervals: number of those
 */
struct engine_result {
	char version[32];
	struct engine_stream *stream;
	size_t streams;
	struct engine_interval *interval;
	size_t intervals;
};

#endif
