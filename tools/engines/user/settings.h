/* SPDX-License-Identifier: GPL-2.0 */
/*
 * settings: the configuration of a run in user space.
 *
 * Attributes, bounds and defaults are the module's, but for what an
 * application's socket cannot do, or does in another way.
 */
#ifndef KTPUT_USER_SETTINGS_H
#define KTPUT_USER_SETTINGS_H

#include "../../module/config.h"

/* Calls of one system call: what the kernel takes of sendmmsg(). */
#define USER_BATCH_MAX	1024

/**
 * struct user_settings - what is in effect
 * @config: all of it, as a record has it
 * @source: it sends
 * @udp: its payload travels in datagrams
 * @any: a sink takes what goes to any address of both IP versions
 * @method: of enum ktput_method, or one of CONFIG_METHOD_...
 * @streams: streams of a source or of UDP, connections that a sink serves
 * @message_size: bytes of a message, or that a call asks for
 * @segments: datagrams of a call
 * @batch: calls of a system call
 * @cookie: what datagrams begin with
 * @packet_rate: packets per second of a stream of UDP, 0 without a limit
 * @pacing_rate: bytes per second of a stream, 0 without a limit
 * @pingpong: it has requests and responses, and what follows is theirs
 * @request_size: bytes of a request
 * @response_size: bytes of a response
 * @outstanding: requests of a stream under way at a time
 * @think_ns: from a response to the next request
 * @timeout_ns: after which a request is given up, with UDP
 * @wait: how messages are waited for
 * @busy_poll_us: SO_BUSY_POLL, 0 to leave it as it is
 * @reconnect: each request has a connection of its own
 * @end_bytes: of all streams, 0 without a limit
 * @end_messages: of all streams, 0 without a limit
 */
struct user_settings {
	struct config config;
	bool source;
	bool udp;
	bool any;
	unsigned int method;
	uint32_t streams;
	uint32_t message_size;
	uint32_t segments;
	uint32_t batch;
	uint32_t cookie;
	uint64_t packet_rate;
	uint64_t pacing_rate;
	bool pingpong;
	uint32_t request_size;
	uint32_t response_size;
	uint32_t outstanding;
	uint64_t think_ns;
	uint64_t timeout_ns;
	enum config_wait wait;
	uint32_t busy_poll_us;
	bool reconnect;
	uint64_t end_bytes;
	uint64_t end_messages;
};

int user_settings_make(struct user_settings *settings,
		       const struct config *config, struct units_error *err);
int user_settings_range(const struct config *config, int type, uint64_t min,
			uint64_t max, struct units_error *err);
uint64_t user_settings_number(const struct user_settings *settings, int type);

#endif
