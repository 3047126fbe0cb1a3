// SPDX-License-Identifier: GPL-2.0
/* pingpong: what its streams have, whatever they travel in. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "clock.h"
#include "pingpong.h"
#include "user_engine.h"

/* The longest tick that a kernel is built with: timeouts are counted in ticks. */
#define TICK_NS		10000000

/**
 * user_pingpong_measures() - whether a run has histograms
 * @settings: of the run
 *
 * Return: true for a source of ping-pong streams.
 */
bool user_pingpong_measures(const struct user_settings *settings)
{
	return settings->pingpong && settings->source;
}

/* Begin anew, with another connection. */
static void reset(struct user_stream *stream,
		  const struct user_settings *settings)
{
	*stream->pingpong = (struct user_pingpong) {
		.in_left = settings->source ? settings->response_size :
					      settings->request_size,
	};
}

/**
 * user_pingpong_socket() - have calls of a socket wait, where they are to
 * @fd: socket
 * @settings: of its run
 */
void user_pingpong_socket(int fd, const struct user_settings *settings)
{
	/* Soon after a request is to be given up, and not before. */
	const uint64_t ns = settings->timeout_ns + TICK_NS;
	const struct timeval timeout = {
		.tv_sec = ns / UNITS_NSEC_PER_SEC,
		.tv_usec = ns % UNITS_NSEC_PER_SEC / 1000,
	};

	if (!settings->pingpong || settings->wait != CONFIG_WAIT_BLOCK)
		return;
	fcntl(fd, F_SETFL, 0);
	if (settings->timeout_ns)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout,
			   sizeof(timeout));
}

/**
 * user_pingpong_make() - have a stream be one of ping-pong
 * @stream: stream without a thread
 * @settings: of its run
 * @err: why that cannot be
 */
int user_pingpong_make(struct user_stream *stream,
		       const struct user_settings *settings,
		       struct units_error *err)
{
	stream->take = settings->udp ? user_udp_pingpong : user_tcp_pingpong;
	if (!stream->pingpong)
		stream->pingpong = malloc(sizeof(*stream->pingpong));
	if (!stream->pingpong)
		return units_refuse(err, "out of memory");
	reset(stream, settings);
	return settings->source ? user_stream_make_timer(stream, err) : 0;
}

/**
 * user_pingpong_due() - when the next request may be sent
 * @stream: stream of a source
 *
 * Return: CLOCK_MONOTONIC in nanoseconds, 0 for at once, or
 * USER_PINGPONG_NEVER until a response has come.
 */
uint64_t user_pingpong_due(const struct user_stream *stream)
{
	const struct user_pingpong *pingpong = stream->pingpong;

	if (stream->state != KTPUT_STATE_RUNNING || !stream->messages_left ||
	    pingpong->under_way == user_settings_of(stream)->outstanding)
		return USER_PINGPONG_NEVER;
	return stream->pace.gap ? stream->pace.next :
		pingpong->ready[pingpong->taken % USER_PINGPONG_SLOTS];
}

/**
 * user_pingpong_begin() - a request that is due is sent now
 * @stream: stream of a source
 * @slot: free slot
 * @now: CLOCK_MONOTONIC in nanoseconds
 *
 * With a rate its time counts from when it was due (coordinated omission).
 */
void user_pingpong_begin(struct user_stream *stream, uint32_t slot,
			 uint64_t now)
{
	struct user_pingpong *pingpong = stream->pingpong;

	pingpong->begun[slot] = stream->pace.gap ? stream->pace.next : now;
	user_pace_sent(&stream->pace, 1, 0);
	pingpong->under_way++;
	pingpong->taken++;
	stream->messages_left--;
}

/**
 * user_pingpong_free() - a request is under way no more
 * @stream: stream of a source with a request under way
 * @now: CLOCK_MONOTONIC in nanoseconds
 */
void user_pingpong_free(struct user_stream *stream, uint64_t now)
{
	const struct user_settings *settings = user_settings_of(stream);
	struct user_pingpong *pingpong = stream->pingpong;

	if (settings->think_ns)
		pingpong->ready[(pingpong->taken + settings->outstanding -
				 pingpong->under_way) % USER_PINGPONG_SLOTS] =
			now + settings->think_ns;
	pingpong->under_way--;
}

/**
 * user_pingpong_complete() - a response has come
 * @stream: stream of a source with a request under way
 * @slot: of the request
 * @now: CLOCK_MONOTONIC in nanoseconds
 */
void user_pingpong_complete(struct user_stream *stream, uint32_t slot,
			    uint64_t now)
{
	histogram_add(stream->thread->latency,
		      now - stream->pingpong->begun[slot]);
	user_pingpong_free(stream, now);
}

/**
 * user_pingpong_abandon() - count the requests that were never answered
 * @stream: stream of a source that ends; called by its thread
 *
 * Those in datagrams are in the slots that wait; of a connection they are the latest.
 */
void user_pingpong_abandon(struct user_stream *stream)
{
	const struct user_pingpong *pingpong = stream->pingpong;
	const uint64_t now = user_clock_now();

	for (uint32_t i = 0; i < USER_PINGPONG_SLOTS; i++) {
		const uint32_t slot = pingpong->waiting ? i :
			(pingpong->taken - 1 - i) % USER_PINGPONG_SLOTS;
		const uint64_t begun = pingpong->begun[slot];

		if (pingpong->waiting ? !(pingpong->waiting >> i & 1) :
					i >= pingpong->under_way)
			continue;
		histogram_add_unanswered(stream->thread->latency, now - begun);
	}
}

static enum user_verdict sleep_until(uint64_t due)
{
	const struct timespec at = {
		.tv_sec = due / UNITS_NSEC_PER_SEC,
		.tv_nsec = due % UNITS_NSEC_PER_SEC,
	};

	/* A signal ends it: then the thread is wanted. */
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	return USER_AGAIN;
}

/**
 * user_pingpong_wait() - end a turn with nothing to do now
 * @stream: stream of ping-pong
 * @due: when a turn is to be taken at the latest, or USER_PINGPONG_NEVER
 *
 * Return: how the turn is to end.
 */
enum user_verdict user_pingpong_wait(struct user_stream *stream, uint64_t due)
{
	switch (user_settings_of(stream)->wait) {
	case CONFIG_WAIT_SPIN:
		return USER_AGAIN;
	case CONFIG_WAIT_BLOCK:
		/* What is expected is waited for in the next call. */
		if (user_settings_of(stream)->source &&
		    !stream->pingpong->under_way && due != USER_PINGPONG_NEVER)
			return sleep_until(due);
		return USER_AGAIN;
	default:
		return due == USER_PINGPONG_NEVER ?
		       USER_WAIT : user_stream_wait_until(stream, due);
	}
}

/**
 * user_pingpong_sent_all() - all requests have been sent and answered
 * @stream: stream of a source that is running
 *
 * Return: how the turn is to end.
 */
enum user_verdict user_pingpong_sent_all(struct user_stream *stream)
{
	user_stream_sent(stream);
	user_engine_stream_sent(stream->thread->engine);
	return USER_AGAIN;
}

/**
 * user_pingpong_fail() - a call met an error
 * @stream: stream of ping-pong
 * @error: errno, positive
 *
 * Return: how the turn is to end; the next one ends the stream.
 */
enum user_verdict user_pingpong_fail(struct user_stream *stream, int error)
{
	stream->error = error;
	if (stream->state == KTPUT_STATE_RUNNING)
		user_stream_sent(stream);
	return USER_AGAIN;
}

#define DEFAULT_REQUEST	64

static const char *contradiction(const struct user_settings *settings)
{
	const struct config *config = &settings->config;

	if (settings->method != KTPUT_METHOD_COPY)
		return "method: must be copy, in user space with pattern ping-pong";
	if (config_has(config, KTPUT_A_CONFIG_REPLY))
		return "reply: an application has no callback, only the module";
	if (settings->wait == CONFIG_WAIT_BLOCK &&
	    (settings->outstanding > 1 || config->number[KTPUT_A_CONFIG_STREAMS] > 1))
		return "wait: a call that blocks can wait for one response of one stream only";
	if (settings->reconnect && settings->outstanding > 1)
		return "outstanding: a connection for each request has one of them";
	if (settings->reconnect && !settings->source)
		return "connect-per-request: it is the source that connects";
	if (settings->reconnect && settings->udp)
		return "connect-per-request: UDP has no connections";
	return NULL;
}

static int take_size(struct user_settings *settings, int type, uint32_t *size,
		     uint32_t otherwise, struct units_error *err)
{
	const uint64_t min = settings->udp ? KTPUT_MIN_DATAGRAM : 1;
	const uint64_t max = settings->udp ? KTPUT_MAX_DATAGRAM :
					     KTPUT_MAX_MESSAGE;

	if (!config_has(&settings->config, type))
		config_set(&settings->config, type, otherwise);
	if (user_settings_range(&settings->config, type, min, max, err))
		return -1;
	*size = user_settings_number(settings, type);
	return 0;
}

static uint64_t take(struct user_settings *settings, int type,
		     uint64_t otherwise)
{
	if (!config_has(&settings->config, type))
		config_set(&settings->config, type, otherwise);
	return user_settings_number(settings, type);
}

/**
 * user_pingpong_settings() - check the part about ping-pong
 * @settings: all the rest; the part is filled in, and what follows from it
 * @err: why it is refused
 */
int user_pingpong_settings(struct user_settings *settings,
			   struct units_error *err)
{
	struct config *config = &settings->config;
	const char *refused;

	settings->wait = config->wait;
	settings->busy_poll_us = config->busy_poll_us;
	settings->reconnect =
		config_has(config, KTPUT_A_CONFIG_CONNECT_PER_REQUEST);
	settings->outstanding = 1;
	if (take_size(settings, KTPUT_A_CONFIG_REQUEST,
		      &settings->request_size, DEFAULT_REQUEST, err) ||
	    take_size(settings, KTPUT_A_CONFIG_RESPONSE,
		      &settings->response_size, settings->request_size, err))
		return -1;
	settings->message_size = settings->request_size;
	if (settings->response_size > settings->message_size)
		settings->message_size = settings->response_size;
	if (!settings->udp)
		config_set(config, KTPUT_A_CONFIG_NODELAY, 1);
	if (settings->source) {
		settings->outstanding =
			take(settings, KTPUT_A_CONFIG_OUTSTANDING, 1);
		settings->think_ns =
			take(settings, KTPUT_A_CONFIG_THINK, 0);
		settings->timeout_ns = settings->udp ?
			take(settings, KTPUT_A_CONFIG_TIMEOUT,
			     UNITS_NSEC_PER_SEC) : 0;
	}
	refused = contradiction(settings);
	if (!refused)
		return user_settings_range(config, KTPUT_A_CONFIG_OUTSTANDING,
					   1, KTPUT_MAX_OUTSTANDING, err) ||
		       user_settings_range(config, KTPUT_A_CONFIG_THINK,
					   0, KTPUT_MAX_TIME, err) ||
		       user_settings_range(config, KTPUT_A_CONFIG_TIMEOUT,
					   KTPUT_MIN_TIMEOUT, KTPUT_MAX_CONNECT_TIME,
					   err) ? -1 : 0;
	return units_refuse(err, "refused: %s", refused);
}
