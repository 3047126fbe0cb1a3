// SPDX-License-Identifier: GPL-2.0
/*
 * tcp_pingpong: requests and responses over TCP.
 *
 * Messages are told apart by their sizes alone. There is room for more than is
 * expected, so that a recv() that gives less than was asked for has found all
 * there was, and is not called again to be told EAGAIN.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "pingpong.h"
#include "socket.h"
#include "tcp.h"
#include "user_engine.h"

#define TURN_BYTES	(256 * 1024)

/**
 * struct pass - receiving and sending once, as far as it goes
 * @stream: stream
 * @settings: of its run
 * @came_to: what it came to
 * @now: CLOCK_MONOTONIC in nanoseconds when it began, or received last
 * @due: when the next request of a source may be sent
 * @error: errno, positive, of a call that failed
 * @eof: the peer sends no more, and all that it sent has been received
 * @again: there may be more to receive
 */
struct pass {
	struct user_stream *stream;
	const struct user_settings *settings;
	struct client_counters *came_to;
	uint64_t now;
	uint64_t due;
	int error;
	bool eof;
	bool again;
};

static bool idle(const struct user_stream *stream)
{
	const struct user_pingpong *pingpong = stream->pingpong;

	return !pingpong->under_way && !pingpong->out_left && !pingpong->owed;
}

/* A whole message has come. */
static void whole(struct pass *pass)
{
	struct user_stream *stream = pass->stream;
	struct user_pingpong *pingpong = stream->pingpong;

	if (!pass->settings->source) {
		pingpong->in_left = pass->settings->request_size;
		pingpong->owed++;
		return;
	}
	pingpong->in_left = pass->settings->response_size;
	/* The peer is none of ours, or has other sizes. */
	if (!pingpong->under_way) {
		pass->error = EPROTO;
		return;
	}
	user_pingpong_complete(stream,
			       (pingpong->taken - pingpong->under_way) %
			       USER_PINGPONG_SLOTS, pass->now);
	pass->came_to->messages++;
	if (!pass->settings->reconnect)
		return;
	close(stream->fd);
	stream->fd = -1;
}

static void take(struct pass *pass, uint64_t length)
{
	struct user_pingpong *pingpong = pass->stream->pingpong;

	pass->came_to->bytes += length;
	while (length && !pass->error) {
		uint64_t part = length < pingpong->in_left ? length :
							     pingpong->in_left;

		length -= part;
		pingpong->in_left -= part;
		if (!pingpong->in_left)
			whole(pass);
	}
}

/*
 * Whether a call would find anything, or is to wait for it: not for the answer to a
 * message whose rest is still to be sent, since a signal came between.
 */
static bool expects(const struct pass *pass)
{
	const struct user_stream *stream = pass->stream;

	if (stream->fd < 0 || (pass->settings->wait == CONFIG_WAIT_BLOCK &&
			       stream->pingpong->out_left))
		return false;
	return !pass->settings->source || stream->pingpong->under_way ||
	       stream->hung_up;
}

static void receive(struct pass *pass)
{
	struct user_stream *stream = pass->stream;
	const struct user_payload *payload = &stream->thread->payload;
	ssize_t received;

	while (expects(pass) && !pass->error) {
		received = recv(stream->fd, payload->buffer, payload->size, 0);
		pass->came_to->calls++;
		if (received < 0 && errno == EAGAIN) {
			pass->came_to->would_blocks++;
			stream->hung_up = false;
			return;
		}
		pass->again = received < 0 && errno == EINTR;
		if (pass->again)
			return;
		if (received < 0)
			pass->error = errno;
		pass->eof = !received;
		if (received <= 0)
			return;
		pass->now = user_clock_now();
		take(pass, received);
		/* Behind the last byte there is an end, which nobody tells of. */
		if ((size_t)received < payload->size && !stream->hung_up)
			return;
		pass->again = pass->settings->wait == CONFIG_WAIT_BLOCK ||
			      pass->came_to->bytes >= TURN_BYTES;
		if (pass->again)
			return;
	}
}

/* The rest of a message. False where there is no room for it, or an error. */
static bool send_rest(struct pass *pass)
{
	struct user_stream *stream = pass->stream;
	struct user_pingpong *pingpong = stream->pingpong;
	ssize_t sent;

	if (!pingpong->out_left)
		return true;
	sent = send(stream->fd, stream->thread->payload.buffer,
		    pingpong->out_left, MSG_NOSIGNAL);
	pass->came_to->calls++;
	if (sent < 0 && errno == EAGAIN) {
		pass->came_to->would_blocks++;
		return false;
	}
	if (sent < 0) {
		if (errno == EINTR)
			pass->again = true;
		else
			pass->error = errno;
		return false;
	}
	pass->came_to->bytes += sent;
	pingpong->out_left -= sent;
	return !pingpong->out_left;
}

/* A connection for a request, whose time is from here on. */
static bool open_connection(struct pass *pass)
{
	struct user_stream *stream = pass->stream;
	struct units_error ignored;
	int error;

	stream->fd = user_socket_make_source(pass->settings, stream->id,
					     &ignored);
	if (stream->fd < 0) {
		pass->error = errno;
		return false;
	}
	stream->hung_up = false;
	user_pingpong_socket(stream->fd, pass->settings);
	pass->now = user_clock_now();
	error = connect(stream->fd, (struct sockaddr *)&stream->remote.storage,
			sizeof(stream->remote.storage)) ? errno : 0;
	pass->came_to->calls++;
	/* Where a signal came between, the first send() waits for the rest. */
	if (error == EINPROGRESS || error == EINTR)
		error = 0;
	if (!error && pass->settings->wait == CONFIG_WAIT_EPOLL &&
	    user_thread_watch(stream->thread, stream))
		error = errno;
	pass->error = error;
	return !error;
}

/* Whether there is a message to be sent now. */
static bool next_message(struct pass *pass)
{
	struct user_stream *stream = pass->stream;
	struct user_pingpong *pingpong = stream->pingpong;

	if (!pass->settings->source) {
		if (!pingpong->owed)
			return false;
		pingpong->owed--;
		pingpong->out_left = pass->settings->response_size;
		pass->came_to->messages++;
		return true;
	}
	pass->due = user_pingpong_due(stream);
	if (pass->due > pass->now ||
	    (pass->settings->reconnect && !open_connection(pass)))
		return false;
	pingpong->out_left = pass->settings->request_size;
	user_pingpong_begin(stream, pingpong->taken % USER_PINGPONG_SLOTS,
			    pass->now);
	return true;
}

/* Nothing is under way, and the run has ended, or the peer has. */
static enum user_verdict finish(struct user_stream *stream,
				const struct user_settings *settings)
{
	struct user_pingpong *pingpong = stream->pingpong;

	if (stream->fd < 0)
		return user_stream_end(stream, 0);
	if (settings->source && !pingpong->closing)
		shutdown(stream->fd, SHUT_WR);
	pingpong->closing = true;
	return user_tcp_drain(stream);
}

static enum user_verdict go_on(struct pass *pass)
{
	struct user_stream *stream = pass->stream;
	const bool source = pass->settings->source;

	if (pass->error)
		return user_pingpong_fail(stream, pass->error);
	if (stream->state != KTPUT_STATE_RUNNING && idle(stream))
		return USER_AGAIN;
	if (source && !stream->messages_left && idle(stream))
		return user_pingpong_sent_all(stream);
	if (source && pass->eof)
		return user_pingpong_fail(stream, ECONNRESET);
	if (pass->eof && idle(stream)) {
		user_stream_sent(stream);
		return USER_AGAIN;
	}
	return pass->again ? USER_AGAIN :
			     user_pingpong_wait(stream, pass->due);
}

/**
 * user_tcp_pingpong() - a turn of a stream of ping-pong
 * @stream: stream
 * @came_to: what it comes to is added
 *
 * Return: how it ends.
 */
enum user_verdict user_tcp_pingpong(struct user_stream *stream,
				    struct client_counters *came_to)
{
	struct pass pass = {
		.stream = stream,
		.settings = &stream->thread->engine->settings,
		.came_to = came_to,
		.now = user_clock_now(),
		.due = USER_PINGPONG_NEVER,
	};

	if (stream->error)
		return user_stream_end(stream, stream->error);
	if (stream->state != KTPUT_STATE_RUNNING && idle(stream))
		return finish(stream, pass.settings);
	receive(&pass);
	while (!pass.error && send_rest(&pass) && next_message(&pass))
		;
	return go_on(&pass);
}
