// SPDX-License-Identifier: GPL-2.0
/*
 * tcp: the turns of sources and sinks of TCP.
 *
 * Events are edge-triggered. A send() that takes less than it was given has
 * found the send buffer full, and asked the kernel to tell when there is room
 * again; a recv() that gives less than was asked for has found all there was.
 * So neither is called once more to be told EAGAIN. Of sendfile(), whose pipe
 * may cut a call short as well, a short one tells nothing.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "clock.h"
#include "socket.h"
#include "tcp.h"
#include "user_engine.h"

static int socket_error(const struct user_stream *stream)
{
	int error = 0;
	socklen_t size = sizeof(error);

	getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &error, &size);
	return error;
}

/**
 * user_tcp_drain() - a turn of a stream that has nothing more to say
 * @stream: stream; of a source its FIN has been sent
 *
 * Waits until the peer has acknowledged the FIN, and so all. The kernel sees to
 * the rest of a socket that is closed then. A sink has nothing to wait for.
 *
 * Return: how it ends.
 */
enum user_verdict user_tcp_drain(struct user_stream *stream)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);
	int error = stream->error ? stream->error : socket_error(stream);

	if (error || !user_settings_of(stream)->source)
		return user_stream_end(stream, error);
	getsockopt(stream->fd, IPPROTO_TCP, TCP_INFO, &info, &size);
	if (info.tcpi_state != TCP_FIN_WAIT2 &&
	    info.tcpi_state != TCP_TIME_WAIT && info.tcpi_state != TCP_CLOSE)
		return USER_WAIT;
	if (stream->last_cycles && !stream->acknowledged)
		stream->last_cycles = user_clock_cycles();
	stream->acknowledged = true;
	user_zerocopy_reap(stream);
	return user_zerocopy_done(stream) ? user_stream_end(stream, 0) :
					    USER_WAIT;
}

/**
 * user_tcp_fail() - a call of a stream has met an error
 * @stream: stream that is running
 * @error: errno, positive
 *
 * The turn is accounted before the stream ends, which another turn does.
 *
 * Return: how it ends.
 */
enum user_verdict user_tcp_fail(struct user_stream *stream, int error)
{
	stream->error = error;
	user_stream_sent(stream);
	return USER_AGAIN;
}

static ssize_t send_some(struct user_stream *stream, size_t length)
{
	const struct user_payload *payload = &stream->thread->payload;
	off_t offset = stream->offset;
	ssize_t sent;

	if (user_settings_of(stream)->method == KTPUT_METHOD_SENDFILE)
		return sendfile(stream->fd, payload->file, &offset, length);
	if (user_settings_of(stream)->method != KTPUT_METHOD_ZEROCOPY)
		return send(stream->fd, payload->buffer + offset, length,
			    MSG_NOSIGNAL);
	sent = send(stream->fd, payload->buffer + offset, length,
		    MSG_NOSIGNAL | MSG_ZEROCOPY);
	stream->zerocopy.sent += sent > 0;
	return sent;
}

/**
 * user_tcp_message() - the message under way, or the next one
 * @stream: stream of a source that has more to send
 *
 * Return: bytes of it that are left to send.
 */
uint64_t user_tcp_message(struct user_stream *stream)
{
	uint64_t length = user_settings_of(stream)->message_size;

	if (stream->message_left)
		return stream->message_left;
	if (length > stream->bytes_left)
		length = stream->bytes_left;
	stream->message_left = length;
	return length;
}

/**
 * user_tcp_advance() - a stream has sent something
 * @stream: stream of a source
 * @sent: bytes, of the message under way and of no other
 * @came_to: what that comes to is added
 *
 * Return: true where the stream has sent all that it is to.
 */
bool user_tcp_advance(struct user_stream *stream, size_t sent,
		      struct client_counters *came_to)
{
	came_to->bytes += sent;
	stream->bytes_left -= sent;
	stream->message_left -= sent;
	stream->offset += sent;
	if (stream->message_left)
		return false;
	came_to->messages++;
	stream->messages_left--;
	stream->offset = 0;
	return !stream->bytes_left || !stream->messages_left;
}

/**
 * user_tcp_sent_all() - a stream of a source has sent all that it is to
 * @stream: stream that is running
 *
 * Return: how the turn ends.
 */
enum user_verdict user_tcp_sent_all(struct user_stream *stream)
{
	user_stream_sent(stream);
	user_engine_stream_sent(stream->thread->engine);
	return USER_AGAIN;
}

/**
 * user_tcp_source() - a turn of a source
 * @stream: stream
 * @came_to: what it comes to is added
 *
 * Return: how it ends.
 */
enum user_verdict user_tcp_source(struct user_stream *stream,
				  struct client_counters *came_to)
{
	const struct user_settings *settings = user_settings_of(stream);
	const bool file = settings->method == KTPUT_METHOD_SENDFILE;

	if (stream->state != KTPUT_STATE_RUNNING)
		return user_tcp_drain(stream);
	if (settings->method == KTPUT_METHOD_ZEROCOPY)
		user_zerocopy_reap(stream);
	while (came_to->calls < USER_TCP_TURN_CALLS &&
	       came_to->bytes < USER_TCP_TURN_BYTES) {
		const uint64_t length = user_tcp_message(stream);
		const ssize_t sent = send_some(stream, length);

		came_to->calls++;
		if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS)) {
			/* ENOBUFS: too much is still to be told of. */
			came_to->would_blocks++;
			return USER_WAIT;
		}
		if (sent < 0)
			return user_tcp_fail(stream, errno);
		if (user_tcp_advance(stream, sent, came_to))
			return user_tcp_sent_all(stream);
		if ((uint64_t)sent < length && !file)
			return USER_WAIT;
	}
	return USER_AGAIN;
}

/**
 * user_tcp_sink() - a turn of a sink
 * @stream: stream
 * @came_to: what it comes to is added
 *
 * Return: how it ends.
 */
enum user_verdict user_tcp_sink(struct user_stream *stream,
				struct client_counters *came_to)
{
	const struct user_settings *settings = user_settings_of(stream);
	const int flags = settings->method == KTPUT_METHOD_TRUNC ?
			  MSG_TRUNC : 0;

	if (stream->state != KTPUT_STATE_RUNNING)
		return user_tcp_drain(stream);
	while (came_to->calls < USER_TCP_TURN_CALLS &&
	       came_to->bytes < USER_TCP_TURN_BYTES) {
		ssize_t received = recv(stream->fd,
					stream->thread->payload.buffer,
					settings->message_size, flags);

		came_to->calls++;
		if (received < 0 && errno == EAGAIN) {
			came_to->would_blocks++;
			stream->hung_up = false;
			return USER_WAIT;
		}
		if (received < 0)
			return user_tcp_fail(stream, errno);
		if (!received) {
			user_stream_sent(stream);
			return USER_AGAIN;
		}
		came_to->bytes += received;
		/* Behind the last byte there is an end, which nobody tells of. */
		if ((uint64_t)received < settings->message_size &&
		    !stream->hung_up)
			return USER_WAIT;
	}
	return USER_AGAIN;
}
