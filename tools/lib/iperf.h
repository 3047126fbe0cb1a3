/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iperf: what iperf3 says of a run (iperf3 -J).
 */
#ifndef KTPUT_TOOLS_IPERF_H
#define KTPUT_TOOLS_IPERF_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

/* The port of a server that nothing else is said of. */
#define IPERF_PORT	5201

/**
 * struct iperf_stream - a connection, or a flow of UDP
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
 */
struct iperf_stream {
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
 * struct iperf_result - what one end says
 * @version: of iperf3
 * @stream: its streams, for free()
 * @streams: how many
 */
struct iperf_result {
	char version[32];
	struct iperf_stream *stream;
	size_t streams;
};

const char *iperf_error(struct json_object *document);
int iperf_read(struct json_object *document, bool sender,
	       struct iperf_result *result, struct units_error *err);

#endif
