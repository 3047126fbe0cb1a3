// SPDX-License-Identifier: GPL-2.0
/*
 * TCP at the socket layer: the turns of sources and sinks.
 */
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/sizes.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "compat/send_pages.h"
#include "run.h"
#include "tcp.h"

/*
 * What a turn does at most, so that thousands of streams on a CPU take turns
 * within milliseconds, and few enough turns that their own cost is lost in
 * that of the calls.
 */
#define TURN_CALLS	64
#define TURN_BYTES	SZ_256K

static struct ktput_stream *stream_of(struct ktput_turn *turn)
{
	return container_of(turn, struct ktput_stream, turn);
}

/*
 * Waits for the peer to acknowledge the FIN. A sink has seen the peer's FIN
 * before, so that it ends in CLOSE; for a source FIN_WAIT2 is enough, since
 * the kernel lets a socket in that state die in a time-wait of its own.
 */
static enum ktput_verdict drain(struct ktput_stream *stream)
{
	struct sock *sk = stream->sock->sk;
	int state = READ_ONCE(sk->sk_state);
	int error = -sock_error(sk);

	if (error || state == TCP_CLOSE || state == TCP_TIME_WAIT ||
	    state == TCP_FIN_WAIT2)
		ktput_stream_end(stream, error);
	return KTPUT_TURN_WAIT;
}

/*
 * What a stream that moves no payload has to do. An error that a call met ends
 * the stream in a turn of its own, so that what the turn of the call came to is
 * accounted before the stream may be used for another connection.
 */
static enum ktput_verdict wind_up(struct ktput_stream *stream)
{
	if (stream->state == KTPUT_STATE_ENDED)
		return KTPUT_TURN_WAIT;
	if (!stream->error)
		return drain(stream);
	ktput_stream_end(stream, stream->error);
	return KTPUT_TURN_WAIT;
}

/*
 * Messages that follow each other in the payload become one fragment of the
 * frame, where they are sent as pages. One that would not fit whole begins
 * the payload anew.
 */
static void next_message(struct ktput_stream *stream)
{
	const struct ktput_config *config = &stream->run->config;
	const u32 size = stream->turn.worker->payload.size;

	stream->message_left = min_t(u64, config->message_size,
				     stream->bytes_left);
	if (config->method == KTPUT_METHOD_COPY ||
	    stream->offset + min(stream->message_left, size) > size)
		stream->offset = 0;
}

static int send(struct ktput_stream *stream, u32 length, int flags)
{
	const struct ktput_payload *payload = &stream->turn.worker->payload;
	struct msghdr msg = { .msg_flags = flags };
	struct kvec vec;

	if (stream->run->config.method == KTPUT_METHOD_PAGES)
		return ktput_send_pages(stream->sock, payload->pages,
					stream->offset, length,
					flags | MSG_NO_SHARED_FRAGS);
	vec.iov_base = page_address(payload->pages) + stream->offset;
	vec.iov_len = length;
	return kernel_sendmsg(stream->sock, &msg, &vec, 1, length);
}

static void sent_all(struct ktput_stream *stream)
{
	struct ktput_run *run = stream->run;

	ktput_stream_sent(stream);
	ktput_run_stream_sent(run, run->config.end_bytes ?
			      KTPUT_REASON_BYTES : KTPUT_REASON_MESSAGES);
}

/**
 * ktput_tcp_source() - a turn of a source
 * @turn: of its stream
 * @came_to: filled in
 *
 * Return: whether it waits for room.
 */
enum ktput_verdict ktput_tcp_source(struct ktput_turn *turn,
				    struct ktput_counters *came_to)
{
	struct ktput_stream *stream = stream_of(turn);
	const u32 size = turn->worker->payload.size;

	if (stream->state != KTPUT_STATE_RUNNING || stream->error)
		return wind_up(stream);
	if (!stream->message_left)
		next_message(stream);

	while (came_to->calls < TURN_CALLS && came_to->bytes < TURN_BYTES) {
		u32 length = min(stream->message_left, size - stream->offset);
		int sent;

		sent = send(stream, length, MSG_DONTWAIT | MSG_NOSIGNAL |
			    (length < stream->message_left ? MSG_MORE : 0));
		came_to->calls++;
		if (sent == -EAGAIN) {
			came_to->would_blocks++;
			return KTPUT_TURN_WAIT;
		}
		if (sent < 0) {
			stream->error = -sent;
			return KTPUT_TURN_AGAIN;
		}
		came_to->bytes += sent;
		stream->bytes_left -= sent;
		stream->message_left -= sent;
		stream->offset += sent;
		if (stream->offset == size)
			stream->offset = 0;
		if (stream->message_left)
			continue;

		came_to->messages++;
		stream->messages_left--;
		if (!stream->bytes_left || !stream->messages_left) {
			sent_all(stream);
			return KTPUT_TURN_WAIT;
		}
		next_message(stream);
	}
	return KTPUT_TURN_AGAIN;
}

static int discard(read_descriptor_t *desc, struct sk_buff *skb,
		   unsigned int offset, size_t length)
{
	desc->count -= min(desc->count, length);
	return length;
}

static int receive(struct ktput_stream *stream)
{
	const struct ktput_config *config = &stream->run->config;
	const struct ktput_payload *payload = &stream->turn.worker->payload;
	struct msghdr msg = {};
	struct kvec vec;

	if (config->method == KTPUT_METHOD_DIRECT) {
		read_descriptor_t desc = { .count = config->message_size };
		struct sock *sk = stream->sock->sk;
		int received;

		lock_sock(sk);
		received = tcp_read_sock(sk, &desc, discard);
		release_sock(sk);
		return received;
	}
	if (config->method == KTPUT_METHOD_TRUNC)
		return kernel_recvmsg(stream->sock, &msg, NULL, 0,
				      config->message_size,
				      MSG_DONTWAIT | MSG_TRUNC);
	vec.iov_base = payload->buffer;
	vec.iov_len = min(config->message_size, payload->size);
	return kernel_recvmsg(stream->sock, &msg, &vec, 1, vec.iov_len,
			      MSG_DONTWAIT);
}

/* Nothing was there to be read: is there ever to be more? */
static enum ktput_verdict sink_empty(struct ktput_stream *stream)
{
	struct sock *sk = stream->sock->sk;

	stream->error = -sock_error(sk);
	if (stream->error)
		return KTPUT_TURN_AGAIN;
	if (!(READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN))
		return KTPUT_TURN_WAIT;
	/* Data that came just before the FIN, since the call. */
	if (!skb_queue_empty_lockless(&sk->sk_receive_queue))
		return KTPUT_TURN_AGAIN;
	ktput_stream_sent(stream);
	return KTPUT_TURN_WAIT;
}

/**
 * ktput_tcp_sink() - a turn of a sink
 * @turn: of its stream
 * @came_to: filled in
 *
 * Return: whether it waits for data.
 */
enum ktput_verdict ktput_tcp_sink(struct ktput_turn *turn,
				  struct ktput_counters *came_to)
{
	struct ktput_stream *stream = stream_of(turn);

	if (stream->state != KTPUT_STATE_RUNNING || stream->error)
		return wind_up(stream);

	while (came_to->calls < TURN_CALLS && came_to->bytes < TURN_BYTES) {
		int received = receive(stream);

		came_to->calls++;
		if (received > 0) {
			came_to->bytes += received;
			continue;
		}
		if (received == 0 || received == -EAGAIN) {
			came_to->would_blocks++;
			return sink_empty(stream);
		}
		stream->error = -received;
		break;
	}
	return KTPUT_TURN_AGAIN;
}
