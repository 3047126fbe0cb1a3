// SPDX-License-Identifier: GPL-2.0
/* iperf: read the results of iperf3. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "iperf.h"
#include "../base/json.h"

/* A count; 0 if it is absent or not a count. */
static uint64_t count(struct json_object *from, const char *path)
{
	const double number = json_number(from, path);

	return number > 0 && number < 0x1p63 ? llround(number) : 0;
}

static uint32_t count32(struct json_object *from, const char *path)
{
	const uint64_t number = count(from, path);

	return number < UINT32_MAX ? number : UINT32_MAX;
}

/*
 * UDP results of both ends have the same member. For a receiver, "packets" is the
 * number of packets sent, by their highest number, and "bytes" is not usable.
 */
static void read_udp(struct json_object *udp, bool sender, uint64_t size,
		     struct engine_stream *to)
{
	const uint64_t packets = count(udp, "packets");

	to->datagrams = packets;
	if (!sender) {
		to->lost = count(udp, "lost_packets");
		to->lost = to->lost < packets ? to->lost : packets;
		to->datagrams = packets - to->lost;
		to->reordered = count(udp, "out_of_order");
		to->jitter_ns = json_number(udp, "jitter_ms") > 0 ?
				json_number(udp, "jitter_ms") * 1e6 : 0;
	}
	to->bytes = to->datagrams * size;
	to->seconds = json_number(udp, "seconds");
}

static void read_tcp(struct json_object *from, bool sender,
		     struct engine_stream *to)
{
	from = json_at(from, sender ? "sender" : "receiver");
	to->bytes = count(from, "bytes");
	to->seconds = json_number(from, "seconds");
	to->retransmissions = count32(from, "retransmits");
	to->rtt_us = count32(from, "mean_rtt");
	to->rtt_min_us = count32(from, "min_rtt");
	to->window_bytes = count32(from, "max_snd_wnd");
}

/* The server's and the client's begin anew after the warm-up. */
static int read_intervals(struct json_object *document, struct engine_result *result)
{
	struct json_object *intervals = json_array(document, "intervals");
	const size_t length = json_length(intervals);
	uint64_t from = 0;

	result->interval = calloc(length + 1, sizeof(*result->interval));
	for (size_t i = 0; i < length && result->interval; i++) {
		struct json_object *sum = json_at(json_element(intervals, i), "sum");

		const double end_ns = json_number(sum, "end") * UNITS_NSEC_PER_SEC;

		if (json_is(sum, "omitted") || !(end_ns > from))
			continue;
		from = end_ns;
		result->interval[result->intervals++] = (struct engine_interval){
			.to_ns = from, .bytes = count(sum, "bytes"),
		};
	}
	return result->interval ? 0 : -1;
}

/**
 * iperf_error() - error reported by iperf3
 * @document: output of iperf3 -J
 *
 * Return: its message, or NULL.
 */
const char *iperf_error(struct json_object *document)
{
	return json_text(document, "error");
}

/**
 * iperf_read() - read the result of one end
 * @document: output of iperf3 -J
 * @sender: result of the client, which sends, else of the server
 * @result: filled in
 * @err: why it is not a result
 *
 * Return: 0, or -1 with a message in @err.
 */
int iperf_read(struct json_object *document, bool sender,
	       struct engine_result *result, struct units_error *err)
{
	struct json_object *streams = json_array(document, "end.streams");
	const uint64_t size = count(document, "start.test_start.blksize");
	const char *version = json_text(document, "start.version");

	*result = (struct engine_result){ .streams = json_length(streams) };
	if (!result->streams) {
		units_refuse(err, "iperf3 has printed no result");
		return -1;
	}
	result->stream = calloc(result->streams, sizeof(*result->stream));
	if (!result->stream || read_intervals(document, result)) {
		units_refuse(err, "out of memory");
		return -1;
	}
	snprintf(result->version, sizeof(result->version), "%s",
		 version ? version : "iperf 3");
	for (size_t i = 0; i < result->streams; i++) {
		struct json_object *from = json_element(streams, i);
		struct json_object *udp = json_at(from, "udp");
		struct engine_stream *stream = &result->stream[i];

		if (udp)
			read_udp(udp, sender, size, stream);
		else
			read_tcp(from, sender, stream);
		if (stream->seconds > 0)
			continue;
		units_refuse(err, "iperf3 does not say how long stream %zu took",
			     i);
		free(result->stream);
		free(result->interval);
		*result = (struct engine_result){ 0 };
		return -1;
	}
	return 0;
}
