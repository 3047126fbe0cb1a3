/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine: other programs that generate traffic, at both ends.
 */
#ifndef KTPUT_CTL_ENGINE_H
#define KTPUT_CTL_ENGINE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/units.h"
#include "../module/config.h"

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

#define ENGINE_ARGV_MAX	48

/**
 * struct engine_argv - a command line
 * @count: number of words
 * @word: words, ended by NULL
 * @used: bytes in use in @text
 * @text: storage for numbers and addresses
 */
struct engine_argv {
	size_t count;
	char *word[ENGINE_ARGV_MAX + 1];
	size_t used;
	char text[1024];
};

void engine_argv_add(struct engine_argv *words, const char *word);
void engine_argv_option(struct engine_argv *words, const char *option,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void engine_argv_pass(struct engine_argv *words, const struct config *config,
		      int type, const char *option);
int engine_argv_one_end(const char *engine, const struct config *config,
			struct units_error *err);

/* Command line of each engine, as a client for a source, as a server for a sink. */
int iperf_argv_make(struct engine_argv *words, const struct config *config,
		    struct units_error *err);
int nuttcp_argv_make(struct engine_argv *words, const struct config *config,
		     struct units_error *err);

/**
 * struct engine - a program
 * @name: name of the program, of its package, and of the engine
 * @number: number of the engine
 * @port: default port of a server
 * @ports: the server uses one more port per stream, after @port
 * @told_by_client: the client prints the counts of its server
 * @tells_tcp: the result includes TCP statistics
 * @serves_on: the server continues after its client was interrupted
 * @make: make its command line
 * @read: read the result of an end from its output file; a stopped client reports
 *	that as an error
 */
struct engine {
	const char *name;
	enum config_engine number;
	uint16_t port;
	bool ports;
	bool told_by_client;
	bool tells_tcp;
	bool serves_on;
	int (*make)(struct engine_argv *words, const struct config *config,
		    struct units_error *err);
	int (*read)(int fd, bool sender, bool stopped,
		    struct engine_result *result, struct units_error *err);
};

const struct engine *engine_of(enum config_engine number);

const char *iperf_error(struct json_object *document);
int iperf_read(struct json_object *document, bool sender,
	       struct engine_result *result, struct units_error *err);

int nuttcp_read(const char *text, bool sender, struct engine_result *result,
		struct units_error *err);

#endif
