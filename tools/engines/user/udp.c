// SPDX-License-Identifier: GPL-2.0
/*
 * udp: the turns of sources of UDP.
 *
 * A message is what one call hands over, one datagram or as many segments as
 * the settings say; a system call has a batch of them. Errors that the network makes
 * are no end of a stream: they are counted, see linux/ktput_send_errors.h. Any other
 * error ends the run.
 */
#include <errno.h>
#include <linux/ktput_send_errors.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>

#include "clock.h"
#include "socket.h"
#include "udp.h"
#include "user_engine.h"

#define TURN_CALLS	64
#define TURN_BYTES	(256 * 1024)

/*
 * Waits until all has left the socket's write memory, and with it what the
 * kernel refers to.
 */
static enum user_verdict drain(struct user_stream *stream)
{
	int left = 0;

	if (stream->error || !user_settings_of(stream)->source)
		return user_stream_end(stream, stream->error);
	if (!ioctl(stream->fd, SIOCOUTQ, &left) && left)
		return USER_WAIT;
	user_zerocopy_reap(stream);
	return user_zerocopy_done(stream) ? user_stream_end(stream, 0) :
					    USER_WAIT;
}

/* Where a message is put together. */
static uint8_t *place(const struct user_stream *stream, uint32_t i)
{
	const struct user_payload *payload = &stream->thread->payload;
	uint32_t number = stream->zerocopy.sent + i;

	if (!stream->buffers)
		return payload->buffer + i * payload->piece;
	return stream->buffers + payload->piece *
	       (number % user_zerocopy_slots(user_settings_of(stream)));
}

static bool place_is_busy(const struct user_stream *stream, uint32_t i)
{
	uint32_t number = stream->zerocopy.sent + i;

	return stream->busy &&
	       stream->busy[number % user_zerocopy_slots(user_settings_of(stream))];
}

/* Datagrams of a message, the last of a stream may have fewer. */
static uint64_t segments_of(const struct user_stream *stream, uint64_t before)
{
	const uint64_t left = stream->messages_left - before;
	const uint32_t segments = user_settings_of(stream)->segments;

	return left < segments ? left : segments;
}

/* Messages that are put together, at most; 0 where the kernel has all places. */
static uint32_t compose(struct user_stream *stream, uint64_t max)
{
	const struct user_settings *settings = user_settings_of(stream);
	const uint64_t now = clock_ns(CLOCK_REALTIME);
	struct user_payload *payload = &stream->thread->payload;
	uint64_t before = 0;
	uint32_t i;

	for (i = 0; i < settings->batch && before < max &&
	     !place_is_busy(stream, i); i++) {
		uint64_t segments = segments_of(stream, before);
		uint8_t *to = place(stream, i);

		payload->vectors[i].iov_base = to;
		payload->vectors[i].iov_len = segments *
					      settings->message_size;
		for (uint64_t j = 0; j < segments; j++)
			user_datagram_fill(to + j * settings->message_size,
					   settings->cookie,
					   stream->sequence + before + j, now);
		before += segments;
	}
	return i;
}

/* Messages that were sent, or -1 with errno. */
static int hand_over(struct user_stream *stream, uint32_t count)
{
	const struct user_payload *payload = &stream->thread->payload;
	const int flags = MSG_NOSIGNAL | (stream->busy ? MSG_ZEROCOPY : 0);
	int sent;

	if (count > 1)
		sent = sendmmsg(stream->fd, payload->messages, count, flags);
	else
		sent = send(stream->fd, payload->vectors[0].iov_base,
			    payload->vectors[0].iov_len, flags) < 0 ? -1 : 1;
	for (int i = 0; stream->busy && i < sent; i++) {
		uint32_t number = stream->zerocopy.sent++;

		stream->busy[number %
			     user_zerocopy_slots(user_settings_of(stream))] = true;
	}
	return sent;
}

static enum user_verdict fail(struct user_stream *stream, int error)
{
	stream->error = error;
	user_stream_sent(stream);
	return USER_AGAIN;
}

/**
 * user_udp_rides_out() - count an error of a call, unless the stream ends with it
 * @stream: stream of a source
 * @error: errno, positive
 *
 * Return: true if the stream goes on.
 */
bool user_udp_rides_out(struct user_stream *stream, int error)
{
	switch (ktput_send_error(error)) {
	case KTPUT_SEND_REFUSED:
		stream->refusals++;
		return true;
	case KTPUT_SEND_MTU:
		if (++stream->failed_in_row > KTPUT_SEND_MTU_MAX)
			return false;
		break;
	case KTPUT_SEND_UNREACHABLE:
		stream->retry_ns = user_clock_now() + KTPUT_SEND_RETRY_NS;
		break;
	default:
		return false;
	}
	stream->failures++;
	stream->failure = error;
	return true;
}

static enum user_verdict not_sent(struct user_stream *stream, int error,
				  struct client_counters *came_to)
{
	const enum ktput_send_error kind = ktput_send_error(error);

	if (kind == KTPUT_SEND_ROOM) {
		came_to->would_blocks++;
		/* Nobody tells when there is memory again. */
		return error == ENOBUFS && !stream->busy ? USER_AGAIN :
							   USER_WAIT;
	}
	if (!user_udp_rides_out(stream, error))
		return fail(stream, error);
	return kind == KTPUT_SEND_UNREACHABLE ?
	       user_stream_wait_until(stream, stream->retry_ns) : USER_AGAIN;
}

static void advance(struct user_stream *stream, int sent,
		    struct client_counters *came_to)
{
	uint64_t datagrams = 0, bytes;

	for (int i = 0; i < sent; i++)
		datagrams += segments_of(stream, datagrams);
	bytes = datagrams * user_settings_of(stream)->message_size;
	came_to->messages += datagrams;
	came_to->bytes += bytes;
	stream->sequence += datagrams;
	stream->messages_left -= datagrams;
	stream->failed_in_row = 0;
	user_pace_sent(&stream->pace, datagrams, bytes);
}

/**
 * user_udp_source() - a turn of a source
 * @stream: stream
 * @came_to: what it comes to is added
 *
 * With pacing, a system call takes no more messages than are due; all segments
 * of a message leave when the first is due.
 *
 * Return: how it ends.
 */
enum user_verdict user_udp_source(struct user_stream *stream,
				  struct client_counters *came_to)
{
	const struct user_settings *settings = user_settings_of(stream);

	if (stream->state != KTPUT_STATE_RUNNING)
		return drain(stream);
	if (stream->busy)
		user_zerocopy_reap(stream);
	/* What was not sent frees memory, which is an event, and no reason to try. */
	if (stream->retry_ns && stream->retry_ns > user_clock_now())
		return user_stream_wait_until(stream, stream->retry_ns);
	stream->retry_ns = 0;
	while (came_to->calls < TURN_CALLS && came_to->bytes < TURN_BYTES) {
		uint64_t max = stream->messages_left;
		uint32_t count;
		int sent;

		if (stream->pace.gap)
			max = user_pace_packets(&stream->pace,
						user_clock_now(),
						settings->message_size, max);
		if (!max)
			return user_stream_wait_until(stream,
						      stream->pace.next);
		count = compose(stream, max);
		if (!count)
			return USER_WAIT;
		sent = hand_over(stream, count);
		came_to->calls++;
		if (sent < 0)
			return not_sent(stream, errno, came_to);
		advance(stream, sent, came_to);
		if (!stream->messages_left) {
			user_stream_sent(stream);
			user_engine_stream_sent(stream->thread->engine);
			return USER_AGAIN;
		}
	}
	return USER_AGAIN;
}
