/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine: what another program says of a run that it has made.
 */
#ifndef KTPUT_TOOLS_ENGINE_H
#define KTPUT_TOOLS_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct engine_stream - a connection, a flow of UDP, or all of them
 * @bytes: payload that was sent, or received
 * @seconds: how long that took
 * @datagrams: sent or received; 0 of TCP
 * @lost: datagrams that a receiver misses
 * @reordered: datagrams that came after a later one
 * @jitter_ns: interarrival jitter, RFC 3550
 * @retransmissions: segments of TCP sent again
 * @rtt_us: mean of the smoothed round-trip times
 * @rtt_min_us: least of them
 * @window_bytes: largest window that the peer has advertised
 *
 * What a program does not tell is 0.
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
 * struct engine_result - what one end has come to
 * @version: of the program
 * @stream: its streams, for free()
 * @streams: how many
 */
struct engine_result {
	char version[32];
	struct engine_stream *stream;
	size_t streams;
};

#endif
