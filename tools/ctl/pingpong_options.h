/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong_options: keywords of "pingpong", and what they mean beside each other.
 */
#ifndef KTPUT_CTL_PINGPONG_OPTIONS_H
#define KTPUT_CTL_PINGPONG_OPTIONS_H

#include "start_options.h"

/**
 * struct pingpong_sizes - sizes that are swept
 * @first: least size in bytes
 * @last: greatest
 */
struct pingpong_sizes {
	uint64_t first;
	uint64_t last;
};

/**
 * enum pingpong_engine - what measures the sizes of a sweep
 * @PINGPONG_KTPUT: ktput itself
 * @PINGPONG_NPTCP: NPtcp of NetPIPE
 */
enum pingpong_engine {
	PINGPONG_KTPUT,
	PINGPONG_NPTCP,
};

extern const char *const pingpong_engines[];

/**
 * struct pingpong_options - what the words of "pingpong" say
 * @start: what it has in common with "start", whose entries apply
 * @size: bytes of requests and responses
 * @request: bytes of requests
 * @response: bytes of responses
 * @outstanding: requests of a stream under way at a time
 * @think_ns: from a response to the next request
 * @reply: of enum ktput_reply
 * @wait: of enum config_wait
 * @busy_poll_ns: SO_BUSY_POLL
 * @reconnect: 1 for a connection for each request
 * @timeout_ns: after which a request is given up
 * @rate: requests a second of all streams together
 * @sizes: sizes that are swept
 * @engine: of enum pingpong_engine
 *
 * Members without a default say nothing unless their keyword was given.
 */
struct pingpong_options {
	struct start_options start;
	uint64_t size;
	uint64_t request;
	uint64_t response;
	uint64_t outstanding;
	uint64_t think_ns;
	unsigned int reply;
	unsigned int wait;
	uint64_t busy_poll_ns;
	unsigned int reconnect;
	uint64_t timeout_ns;
	uint64_t rate;
	struct pingpong_sizes sizes;
	unsigned int engine;
};

/* Whether the words named a member of struct pingpong_options. */
#define PINGPONG_GIVEN(context, field)					\
	options_given((context)->options, (context)->given,		\
		      offsetof(struct pingpong_options, field))

extern const struct pingpong_options pingpong_options_defaults;
extern const struct options_table pingpong_options_table;

int pingpong_options_check(const struct command_context *context,
			   const void *data, struct units_error *err);

#endif
