// SPDX-License-Identifier: GPL-2.0
/* iperf: read the results of iperf3. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/json.h"
#include "engine.h"

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
 */
int iperf_read(struct json_object *document, bool sender,
	       struct engine_result *result, struct units_error *err)
{
	struct json_object *streams = json_array(document, "end.streams");
	const uint64_t size = count(document, "start.test_start.blksize");
	const char *version = json_text(document, "start.version");

	*result = (struct engine_result){ .streams = json_length(streams) };
	if (!result->streams)
		return units_refuse(err, "iperf3 has printed no result");
	result->stream = calloc(result->streams, sizeof(*result->stream));
	if (!result->stream || read_intervals(document, result))
		return units_refuse(err, "out of memory");
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

/* Bounds of -i. */
#define INTERVAL_MIN_NS	(UNITS_NSEC_PER_SEC / 10)
#define INTERVAL_MAX_NS	(60 * UNITS_NSEC_PER_SEC)

/* Rate of each stream. iperf3 would limit UDP to 1 Mbit/s by default. */
static void add_rate(struct engine_argv *words, const struct config *config,
		     bool udp)
{
	const uint64_t *number = config->number;
	uint64_t bits = 0;

	if (config_has(config, KTPUT_A_CONFIG_PACKET_RATE))
		bits = number[KTPUT_A_CONFIG_PACKET_RATE] *
		       number[KTPUT_A_CONFIG_SIZE] * 8;
	else if (config_has(config, KTPUT_A_CONFIG_PACE))
		bits = number[KTPUT_A_CONFIG_PACE] * 8;
	if (udp || bits)
		engine_argv_option(words, udp ? "-b" : "--fq-rate",
				   "%" PRIu64, bits);
}

static int add_end(struct engine_argv *words, const struct config *config,
		   bool udp, struct units_error *err)
{
	const uint64_t warmup_ns = config->warmup_ns;
	const uint64_t time_ns = config->number[KTPUT_A_CONFIG_TIME] - warmup_ns;
	const uint64_t bytes = config->number[KTPUT_A_CONFIG_BYTES];

	if (engine_argv_one_end("iperf3", config, err))
		return -1;
	if (warmup_ns && (udp || bytes || warmup_ns % UNITS_NSEC_PER_SEC))
		return units_refuse(err,
				    "warmup: iperf3 takes whole seconds, of tcp before a time");
	if (warmup_ns)
		engine_argv_option(words, "-O", "%llu",
				   warmup_ns / UNITS_NSEC_PER_SEC);
	if (bytes) {
		engine_argv_option(words, "-n", "%" PRIu64, bytes);
		return 0;
	}
	if (!time_ns || time_ns % UNITS_NSEC_PER_SEC)
		return units_refuse(err,
				    "time: iperf3 takes whole seconds, 1 or more");
	engine_argv_option(words, "-t", "%llu", time_ns / UNITS_NSEC_PER_SEC);
	return 0;
}

static int add_client(struct engine_argv *words, const struct config *config,
		      struct units_error *err)
{
	const bool udp = config->number[KTPUT_A_CONFIG_TRANSPORT] ==
			 KTPUT_TRANSPORT_UDP;

	engine_argv_option(words, "-c", "%s",
			   address_show(&config->remote).text);
	engine_argv_option(words, "-p", "%" PRIu64,
			   config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
	if (address_family(&config->local) != AF_UNSPEC)
		engine_argv_option(words, "-B", "%s",
				   address_show(&config->local).text);
	if (udp)
		engine_argv_add(words, "-u");
	if (config->number[KTPUT_A_CONFIG_METHOD] == KTPUT_METHOD_SENDFILE)
		engine_argv_add(words, "-Z");
	if (config_has(config, KTPUT_A_CONFIG_NODELAY))
		engine_argv_add(words, "-N");
	if (config->congestion[0])
		engine_argv_option(words, "-C", "%s", config->congestion);
	engine_argv_pass(words, config, KTPUT_A_CONFIG_SIZE, "-l");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_STREAMS, "-P");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_SNDBUF, "-w");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_MSS, "-M");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_TOS, "-S");
	engine_argv_option(words, "--connect-timeout", "%" PRIu64,
			   config_has(config, KTPUT_A_CONFIG_CONNECT_TIMEOUT) ?
			    config->number[KTPUT_A_CONFIG_CONNECT_TIMEOUT] / 1000000 :
			    5000);
	add_rate(words, config, udp);
	return add_end(words, config, udp, err);
}

/**
 * iperf_argv_make() - a command line of iperf3
 * @words: filled in
 * @config: configuration of a source, which is a client, or of a sink
 * @err: option that iperf3 does not support
 */
int iperf_argv_make(struct engine_argv *words, const struct config *config,
		    struct units_error *err)
{
	const bool udp = config->number[KTPUT_A_CONFIG_TRANSPORT] ==
			 KTPUT_TRANSPORT_UDP;

	*words = (struct engine_argv){ 0 };
	engine_argv_add(words, "iperf3");
	engine_argv_add(words, "-J");
	if (config->interval_ns &&
	    (udp || config->interval_ns < INTERVAL_MIN_NS ||
	     config->interval_ns > INTERVAL_MAX_NS))
		return units_refuse(err,
				    "interval: iperf3 takes 100 ms to 60 s, with ktput of tcp alone");
	if (config->interval_ns)
		engine_argv_option(words, "-i", "%g",
				   config->interval_ns / (double)UNITS_NSEC_PER_SEC);
	if (config->number[KTPUT_A_CONFIG_ROLE] == KTPUT_ROLE_SOURCE)
		return add_client(words, config, err);
	engine_argv_add(words, "-s");
	engine_argv_add(words, "-1");
	engine_argv_option(words, "-p", "%" PRIu64,
			   config->number[KTPUT_A_CONFIG_LOCAL_PORT]);
	if (address_family(&config->local) != AF_UNSPEC)
		engine_argv_option(words, "-B", "%s",
				   address_show(&config->local).text);
	return 0;
}
