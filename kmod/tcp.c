// SPDX-License-Identifier: GPL-2.0
/*
 * TCP at the socket layer: the turns of sources and sinks.
 */
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "compat/send_pages.h"
#include "run.h"
#include "tcp.h"
#include "worker.h"

/* Limits of a turn, for the reasons given at KTPUT_TURN_BYTES. */
#define TURN_CALLS	1024

static struct ktput_stream *stream_of(struct ktput_turn *turn)
{
	return container_of(turn, struct ktput_stream, turn);
}

/**
 * ktput_tcp_drained() - wait for the peer to acknowledge the FIN
 * @stream: stream that has sent it; called in its turn
 *
 * A sink has seen the peer's FIN before, so it ends in CLOSE. For a source
 * FIN_WAIT2 is enough, since the kernel ends a socket in that state in a
 * time-wait of its own.
 *
 * Return: KTPUT_TURN_WAIT.
 */
enum ktput_verdict ktput_tcp_drained(struct ktput_stream *stream)
{
	struct sock *sk = ktput_socket_sk(stream);
	int state = READ_ONCE(sk->sk_state);
	int error = -sock_error(sk);

	if (!error && state != TCP_CLOSE && state != TCP_TIME_WAIT &&
	    state != TCP_FIN_WAIT2)
		return KTPUT_TURN_WAIT;
	/* The time of what was acknowledged. A sink's is that of its last read. */
	if (!error && stream->tally.last_cycles &&
	    stream->run->config.role == KTPUT_ROLE_SOURCE)
		WRITE_ONCE(stream->tally.last_cycles, ktput_counters_clock());
	ktput_stream_end(stream, error);
	return KTPUT_TURN_WAIT;
}

/* Handles a stream that moves no payload. */
static enum ktput_verdict wind_up(struct ktput_stream *stream,
				  enum ktput_state state)
{
	if (state == KTPUT_STATE_CONNECTING)
		return ktput_tcp_connect_turn(stream);
	return ktput_stream_wind_up(stream, state);
}

/*
 * Consecutive messages in the payload become one fragment of the frame if they
 * are sent as pages. A message that would not fit whole starts at the beginning
 * of the payload again.
 */
static void next_message(struct ktput_stream *stream)
{
	const struct ktput_config *config = &stream->run->config;
	struct ktput_tcp_stream *tcp = ktput_tcp_of(stream);
	const u32 size = stream->turn.worker->payload.size;

	tcp->message_left = min_t(u64, config->message_size,
				  stream->bytes_left);
	if (config->method == KTPUT_METHOD_COPY ||
	    tcp->offset + min(tcp->message_left, size) > size)
		tcp->offset = 0;
}

/* Most bytes of a turn, and of its last call, with segments of a size. */
static u32 turn_bytes(u32 mss)
{
	return min_t(u32, KTPUT_TURN_BYTES, mss * KTPUT_TURN_PACKETS);
}

static int send(struct ktput_stream *stream, u32 length, int flags)
{
	const struct ktput_tcp_stream *tcp = ktput_tcp_of(stream);
	const struct ktput_payload *payload = &stream->turn.worker->payload;
	struct msghdr msg = { .msg_flags = flags };
	struct kvec vec;

	if (stream->run->config.method == KTPUT_METHOD_ZEROCOPY)
		return ktput_send_pages(ktput_socket_sk(stream), payload->pages,
					tcp->offset, length, flags);
	vec.iov_base = page_address(payload->pages) + tcp->offset;
	vec.iov_len = length;
	iov_iter_kvec(&msg.msg_iter, ITER_SOURCE, &vec, 1, length);
	return tcp_sendmsg_locked(ktput_socket_sk(stream), &msg, length);
}

static void sent_all(struct ktput_stream *stream)
{
	struct ktput_run *run = stream->run;

	ktput_stream_sent(stream);
	ktput_run_stream_sent(run, run->config.end_bytes ?
			      KTPUT_REASON_BYTES : KTPUT_REASON_MESSAGES);
}

/* Result of a turn under the socket's lock. */
enum sent {
	SENT_SOME,	/* there is more to send */
	SENT_FULL,	/* and no room for it */
	SENT_ALL,	/* that the stream is to send */
	SENT_ERROR,
};

static enum sent send_some(struct ktput_stream *stream,
			   struct ktput_counters *delta)
{
	const u32 size = stream->turn.worker->payload.size;
	const u32 most = turn_bytes(tcp_sk(ktput_socket_sk(stream))->mss_cache);
	struct ktput_tcp_stream *tcp = ktput_tcp_of(stream);

	while (delta->calls < TURN_CALLS && delta->bytes < most) {
		u32 length = min3(tcp->message_left, size - tcp->offset, most);
		int sent;

		sent = send(stream, length, MSG_DONTWAIT | MSG_NOSIGNAL |
			    (length < tcp->message_left ? MSG_MORE : 0));
		delta->calls++;
		if (sent == -EAGAIN) {
			delta->would_blocks++;
			return SENT_FULL;
		}
		if (sent < 0) {
			WRITE_ONCE(stream->error, -sent);
			return SENT_ERROR;
		}
		delta->bytes += sent;
		stream->bytes_left -= sent;
		tcp->message_left -= sent;
		tcp->offset += sent;
		if (tcp->offset == size)
			tcp->offset = 0;
		if (tcp->message_left)
			continue;

		delta->messages++;
		stream->messages_left--;
		if (!stream->bytes_left || !stream->messages_left)
			return SENT_ALL;
		next_message(stream);
	}
	return SENT_SOME;
}

/**
 * ktput_tcp_source() - a turn of a source
 * @turn: of its stream
 * @delta: filled in
 *
 * The socket is locked once per turn. Acknowledgments that arrive meanwhile are
 * processed at its end, as for any busy sender.
 *
 * Return: whether it waits for room.
 */
enum ktput_verdict ktput_tcp_source(struct ktput_turn *turn,
				    struct ktput_counters *delta)
{
	struct ktput_stream *stream = stream_of(turn);
	/* Pairs with ktput_stream_begin(). */
	const enum ktput_state state = smp_load_acquire(&stream->state);
	struct sock *sk;
	enum sent sent;

	if (state != KTPUT_STATE_RUNNING || stream->error)
		return wind_up(stream, state);
	if (!ktput_tcp_of(stream)->message_left)
		next_message(stream);

	sk = ktput_socket_sk(stream);
	lock_sock(sk);
	sent = send_some(stream, delta);
	release_sock(sk);

	if (sent == SENT_ALL)
		sent_all(stream);
	return sent == SENT_SOME || sent == SENT_ERROR ? KTPUT_TURN_AGAIN :
							 KTPUT_TURN_WAIT;
}

static int discard(read_descriptor_t *desc, struct sk_buff *skb,
		   unsigned int offset, size_t length)
{
	desc->count -= min(desc->count, length);
	return length;
}

static int receive_direct(struct ktput_stream *stream, u32 size)
{
	read_descriptor_t desc = { .count = size };
	struct sock *sk = ktput_socket_sk(stream);
	int received;

	lock_sock(sk);
	received = tcp_read_sock(sk, &desc, discard);
	release_sock(sk);
	/* The read stops for good at an urgent byte, which the caller skips. */
	if (!received && !skb_queue_empty_lockless(&sk->sk_receive_queue))
		return -EBADMSG;
	return received;
}

static int receive(struct ktput_stream *stream, u32 size)
{
	struct socket *sock = ktput_socket_of(stream)->sock;
	struct msghdr msg = {};
	struct kvec vec = {
		.iov_base = stream->turn.worker->payload.buffer,
		.iov_len = size,
	};
	int received;

	switch (stream->run->config.method) {
	case KTPUT_METHOD_ZEROCOPY:
		received = receive_direct(stream, size);
		if (received != -EBADMSG)
			return received;
		fallthrough;
	case KTPUT_METHOD_TRUNC:
		return kernel_recvmsg(sock, &msg, NULL, 0, size,
				      MSG_DONTWAIT | MSG_TRUNC);
	default:
		return kernel_recvmsg(sock, &msg, &vec, 1, size,
				      MSG_DONTWAIT);
	}
}

/* Nothing could be read: checks whether more can ever come. */
static enum ktput_verdict sink_empty(struct ktput_stream *stream)
{
	struct sock *sk = ktput_socket_sk(stream);
	const int error = sock_error(sk);

	if (error) {
		WRITE_ONCE(stream->error, -error);
		return KTPUT_TURN_AGAIN;
	}
	/* Data that came since the call, or lies behind an urgent byte. */
	if (!skb_queue_empty_lockless(&sk->sk_receive_queue))
		return KTPUT_TURN_AGAIN;
	if (!(READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN))
		return KTPUT_TURN_WAIT;
	ktput_stream_sent(stream);
	return KTPUT_TURN_WAIT;
}

/**
 * ktput_tcp_sink() - a turn of a sink
 * @turn: of its stream
 * @delta: filled in
 *
 * A call that returns less than requested has emptied the queue.
 *
 * Return: whether it waits for data.
 */
enum ktput_verdict ktput_tcp_sink(struct ktput_turn *turn,
				  struct ktput_counters *delta)
{
	struct ktput_stream *stream = stream_of(turn);
	u32 size = stream->run->config.method == KTPUT_METHOD_COPY ?
		   min(stream->run->config.message_size,
		       turn->worker->payload.size) :
		   stream->run->config.message_size;
	/* Pairs with ktput_stream_begin(). */
	const enum ktput_state state = smp_load_acquire(&stream->state);
	u32 most;

	if (state != KTPUT_STATE_RUNNING || stream->error)
		return wind_up(stream, state);

	/* The kernel's estimate is of small segments only where all are small. */
	most = turn_bytes(READ_ONCE(inet_csk(ktput_socket_sk(stream))->
				    icsk_ack.rcv_mss));
	if (most < KTPUT_TURN_BYTES)
		size = min(size, most);
	while (delta->calls < TURN_CALLS && delta->bytes < most) {
		int received = receive(stream, size);

		delta->calls++;
		if (received > 0)
			delta->bytes += received;
		if (received >= (int)size)
			continue;
		if (received == 0 || received == -EAGAIN)
			delta->would_blocks++;
		if (received >= 0 || received == -EAGAIN)
			return sink_empty(stream);
		WRITE_ONCE(stream->error, -received);
		break;
	}
	return KTPUT_TURN_AGAIN;
}
