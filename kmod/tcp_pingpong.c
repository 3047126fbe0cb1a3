// SPDX-License-Identifier: GPL-2.0
/*
 * TCP at the socket layer: requests and responses.
 *
 * Messages are delimited by their sizes alone. They are answered in turns, or
 * directly in sk_data_ready, which TCP calls as its last action on a segment,
 * under the socket's lock. There
 *
 * - nothing sleeps: calls do not wait, and memory is allocated with GFP_ATOMIC;
 * - nothing recurses: the device queues what is sent, or
 *   ktput_pingpong_enter() prevents an answer on the same stack;
 * - the work that a peer requests at a time is bounded: a pass has a budget, and
 *   the worker takes over the rest, and everything that arrives until it has
 *   caught up;
 * - nothing is done while a process owns the socket and processes its backlog.
 *   Answers to answers would then be added to that backlog, whose limit covers
 *   everything that has passed it since the socket was owned. The worker takes
 *   over. It does not own the socket: it takes the spinlock, as softirq does,
 *   and segments that arrive meanwhile are received when it unlocks.
 */
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/sizes.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "compat/send_pages.h"
#include "pingpong.h"
#include "socket.h"
#include "tcp.h"
#include "worker.h"

/*
 * Most messages that a pass receives, and most that it sends. No source of
 * ktput has that many under way. Other peers may request a hundred thousand in
 * each of many segments, and softirq and a spinlock are held meanwhile.
 */
#define PASS_MESSAGES	(2 * KTPUT_PINGPONG_SLOTS)
#define PASS_BYTES	SZ_128K

/**
 * struct share - remaining budget of a pass, for receiving or for sending
 * @messages: messages that may still be completed, or begun
 * @bytes: bytes; the last call may exceed them
 */
struct share {
	u32 messages;
	s64 bytes;
};

/**
 * struct pass - one pass of receiving and sending
 * @stream: stream, locked
 * @sk: its socket
 * @now: CLOCK_MONOTONIC in nanoseconds when it began
 * @delta: counters of the pass
 * @due: when the next request of a source may be sent
 * @in: receive budget left
 * @out: send budget left
 * @behind: either budget was used up, so work may be left
 * @idle: nothing is under way, received in part, or to be sent
 * @eof: the peer has stopped sending, and everything it sent has been received
 */
struct pass {
	struct ktput_stream *stream;
	struct sock *sk;
	u64 now;
	struct ktput_counters *delta;
	u64 due;
	struct share in;
	struct share out;
	bool behind;
	bool idle;
	bool eof;
};

static bool is_spent(const struct share *share)
{
	return !share->messages || share->bytes <= 0;
}

static bool is_source(const struct ktput_stream *stream)
{
	return stream->run->config.role == KTPUT_ROLE_SOURCE;
}

/* Handles a complete message. */
static void whole(struct pass *pass)
{
	struct ktput_stream *stream = pass->stream;
	struct ktput_pingpong *pingpong = stream->pingpong;
	u32 slot;

	pass->in.messages--;
	if (!is_source(stream)) {
		pingpong->in_left = stream->run->config.pingpong.request_size;
		pingpong->owed++;
		return;
	}
	pingpong->in_left = stream->run->config.pingpong.response_size;
	/* The peer is not ktput, or uses other sizes. */
	if (unlikely(!pingpong->under_way)) {
		WRITE_ONCE(pingpong->error, EPROTO);
		return;
	}
	slot = (pingpong->taken - pingpong->under_way) % KTPUT_PINGPONG_SLOTS;
	ktput_pingpong_complete(stream, slot, pass->now);
	pass->delta->messages++;
}

static int take(read_descriptor_t *desc, struct sk_buff *skb,
		unsigned int offset, size_t length)
{
	struct pass *pass = desc->arg.data;
	struct ktput_pingpong *pingpong = pass->stream->pingpong;
	size_t left = length;

	if (pass->in.bytes <= 0)
		return 0;
	while (left && pass->in.messages) {
		const u32 part = min_t(size_t, left, pingpong->in_left);

		left -= part;
		pingpong->in_left -= part;
		if (!pingpong->in_left)
			whole(pass);
	}
	length -= left;
	pass->in.bytes -= length;
	pass->delta->bytes += length;
	return length;
}

static void receive(struct pass *pass)
{
	read_descriptor_t desc = { .arg.data = pass, .count = 1 };
	struct sock *sk = pass->sk;

	if (!skb_queue_empty_lockless(&sk->sk_receive_queue)) {
		pass->delta->calls++;
		tcp_read_sock(sk, &desc, take);
		/*
		 * The read stops for good at an urgent byte, which ktput never
		 * sends.
		 */
		if (unlikely(!skb_queue_empty_lockless(&sk->sk_receive_queue)) &&
		    !is_spent(&pass->in))
			WRITE_ONCE(pass->stream->pingpong->error, EBADMSG);
	}
	pass->eof = sk->sk_shutdown & RCV_SHUTDOWN && !is_spent(&pass->in);
}

static int send_part(const struct pass *pass, u32 length, int flags)
{
	const struct ktput_stream *stream = pass->stream;
	const struct ktput_payload *payload = &stream->turn.worker->payload;
	struct msghdr msg = { .msg_flags = flags };
	struct kvec vec;

	if (stream->run->config.method == KTPUT_METHOD_ZEROCOPY)
		return ktput_send_pages(pass->sk, payload->pages, 0, length,
					flags);
	vec.iov_base = page_address(payload->pages);
	vec.iov_len = length;
	iov_iter_kvec(&msg.msg_iter, ITER_SOURCE, &vec, 1, length);
	return tcp_sendmsg_locked(pass->sk, &msg, length);
}

/* Sends the rest of a message. Returns false without room for it, or on error. */
static bool send_rest(struct pass *pass)
{
	const u32 size = pass->stream->turn.worker->payload.size;
	struct ktput_pingpong *pingpong = pass->stream->pingpong;

	while (pingpong->out_left) {
		const u32 length = min(pingpong->out_left, size);
		int sent;

		if (pass->out.bytes <= 0)
			return false;

		sent = send_part(pass, length, MSG_DONTWAIT | MSG_NOSIGNAL |
				 (length < pingpong->out_left ? MSG_MORE : 0));
		pass->delta->calls++;
		if (sent == -EAGAIN) {
			pass->delta->would_blocks++;
			return false;
		}
		if (unlikely(sent < 0)) {
			WRITE_ONCE(pingpong->error, -sent);
			return false;
		}
		pass->delta->bytes += sent;
		pass->out.bytes -= sent;
		pingpong->out_left -= sent;
	}
	return true;
}

/* Returns whether a message is to be sent now. */
static bool next_message(struct pass *pass)
{
	struct ktput_stream *stream = pass->stream;
	struct ktput_pingpong *pingpong = stream->pingpong;

	/* With a connection for each request, the connection starts the request. */
	if (stream->run->config.pingpong.reconnect || is_spent(&pass->out))
		return false;
	if (!is_source(stream)) {
		if (!pingpong->owed)
			return false;
		pingpong->owed--;
		pass->out.messages--;
		pingpong->out_left = stream->run->config.pingpong.response_size;
		pass->delta->messages++;
		return true;
	}
	if (READ_ONCE(stream->state) != KTPUT_STATE_RUNNING)
		return false;
	pass->due = ktput_pingpong_due(stream);
	if (pass->due > pass->now)
		return false;
	pass->out.messages--;
	pingpong->out_left = stream->run->config.pingpong.request_size;
	ktput_pingpong_begin(stream, pingpong->taken % KTPUT_PINGPONG_SLOTS,
			     pass->now);
	return true;
}

/* Receives what is queued and sends what is due, within the budget of a pass. */
static void advance(struct pass *pass)
{
	struct ktput_pingpong *pingpong = pass->stream->pingpong;

	pass->now = ktime_get_ns();
	pass->due = KTPUT_PINGPONG_NEVER;
	pass->in = (struct share) { PASS_MESSAGES, PASS_BYTES };
	pass->out = pass->in;
	receive(pass);
	while (likely(!pingpong->error) && send_rest(pass))
		if (!next_message(pass))
			break;
	pass->idle = !pingpong->under_way && !pingpong->out_left &&
		     !pingpong->owed;
	pass->behind = is_spent(&pass->in) || is_spent(&pass->out);
	pingpong->behind = pass->behind;
}

/* Returns whether a pass has left work for a turn. */
static bool concerns_worker(const struct pass *pass)
{
	const struct ktput_stream *stream = pass->stream;

	if (pass->eof || stream->pingpong->error || pass->behind ||
	    pass->due != KTPUT_PINGPONG_NEVER)
		return true;
	return is_source(stream) && pass->idle;
}

static void data_ready(struct sock *sk)
{
	struct ktput_counters delta = {};
	struct pass pass = { .sk = sk, .delta = &delta };
	struct ktput_stream *stream;
	enum ktput_state state;
	u64 begin;

	rcu_read_lock();
	stream = rcu_dereference_sk_user_data(sk);
	if (!stream)
		goto unlock;
	/* Pairs with ktput_stream_begin(); after that, a turn checks by itself. */
	state = smp_load_acquire(&stream->state);
	if (state == KTPUT_STATE_ENDED || state == KTPUT_STATE_CONNECTING)
		goto unlock;
	if (sock_owned_by_user_nocheck(sk) || stream->pingpong->behind ||
	    !ktput_pingpong_enter()) {
		ktput_turn_ready(&stream->turn);
		goto unlock;
	}
	begin = ktput_counters_clock();
	pass.stream = stream;
	advance(&pass);
	ktput_pingpong_leave();
	delta.call_cycles = ktput_counters_clock() - begin;
	ktput_pingpong_account(stream, &delta);
	if (unlikely(concerns_worker(&pass)))
		ktput_turn_ready(&stream->turn);
unlock:
	rcu_read_unlock();
}

/* Returns false if a task owns the socket: its release makes the stream ready. */
static bool advance_as_softirq(struct pass *pass)
{
	bool free;

	local_bh_disable();
	bh_lock_sock(pass->sk);
	free = !sock_owned_by_user_nocheck(pass->sk) && ktput_pingpong_enter();
	if (free) {
		advance(pass);
		ktput_pingpong_leave();
	}
	bh_unlock_sock(pass->sk);
	local_bh_enable();
	return free;
}

static enum ktput_verdict source_goes_on(const struct pass *pass,
					 enum ktput_state state)
{
	struct ktput_stream *stream = pass->stream;
	struct ktput_pingpong *pingpong = stream->pingpong;

	if (pingpong->closing)
		return ktput_tcp_drained(stream);
	if (state == KTPUT_STATE_RUNNING && pass->idle &&
	    !stream->messages_left) {
		ktput_pingpong_sent_all(stream);
		return KTPUT_TURN_WAIT;
	}
	if (state == KTPUT_STATE_DRAINING && pass->idle) {
		pingpong->closing = true;
		kernel_sock_shutdown(ktput_socket_of(stream)->sock, SHUT_WR);
		return ktput_tcp_drained(stream);
	}
	if (pass->eof) {
		WRITE_ONCE(stream->error, ECONNRESET);
		return KTPUT_TURN_AGAIN;
	}
	return ktput_pingpong_wait(stream, pass->due);
}

static enum ktput_verdict sink_goes_on(const struct pass *pass,
				       enum ktput_state state)
{
	if (state == KTPUT_STATE_DRAINING)
		return ktput_tcp_drained(pass->stream);
	if (pass->eof && pass->idle)
		ktput_stream_sent(pass->stream);
	return KTPUT_TURN_WAIT;
}

/**
 * ktput_tcp_pingpong() - a turn of a stream of ping-pong
 * @turn: of the stream
 * @delta: filled in
 *
 * Return: whether it waits for a message, for room or for a request to become
 * due.
 */
enum ktput_verdict ktput_tcp_pingpong(struct ktput_turn *turn,
				      struct ktput_counters *delta)
{
	struct ktput_stream *stream =
		container_of(turn, struct ktput_stream, turn);
	/* Pairs with ktput_stream_begin(). */
	const enum ktput_state state = smp_load_acquire(&stream->state);
	struct pass pass = { .stream = stream, .delta = delta };
	enum ktput_verdict verdict;
	int error;

	if (state == KTPUT_STATE_CONNECTING)
		return ktput_tcp_connect_turn(stream);
	if (state == KTPUT_STATE_ENDED || stream->error)
		return ktput_stream_wind_up(stream, state);
	if (stream->run->config.pingpong.reconnect &&
	    !ktput_tcp_reconnect(stream, state, &verdict))
		return verdict;
	pass.sk = ktput_socket_sk(stream);
	if (!ktput_pingpong_in_callback(stream)) {
		lock_sock(pass.sk);
		advance(&pass);
		release_sock(pass.sk);
	} else if (!advance_as_softirq(&pass)) {
		return KTPUT_TURN_AGAIN;
	}
	error = READ_ONCE(stream->pingpong->error) ?: -sock_error(pass.sk);
	if (error) {
		/* Ends in a turn of its own, after this one has been accounted. */
		WRITE_ONCE(stream->error, error);
		return KTPUT_TURN_AGAIN;
	}
	if (pass.behind)
		return KTPUT_TURN_AGAIN;
	if (stream->run->config.pingpong.reconnect && pass.idle)
		return ktput_tcp_part(stream);
	return is_source(stream) ? source_goes_on(&pass, state) :
				   sink_goes_on(&pass, state);
}

/**
 * ktput_tcp_pingpong_attach() - install callbacks that make a stream ready
 * @stream: stream with a connected socket, or one whose requests connect
 */
void ktput_tcp_pingpong_attach(struct ktput_stream *stream)
{
	ktput_pingpong_reset(stream);
	if (!ktput_socket_of(stream)->sock)
		return;
	if (!ktput_pingpong_in_callback(stream)) {
		ktput_socket_attach(stream);
		return;
	}
	ktput_socket_sk(stream)->sk_allocation = GFP_ATOMIC;
	ktput_socket_attach_to(stream, data_ready);
}

/**
 * ktput_tcp_pingpong_leave() - undo ktput_tcp_pingpong_attach()
 * @stream: stream, attached or not
 *
 * Callbacks that have found the stream have finished with its requests and
 * responses, since they run under the socket's lock. So the stream may start
 * again with another connection.
 */
void ktput_tcp_pingpong_leave(struct ktput_stream *stream)
{
	struct socket *sock = ktput_socket_of(stream)->sock;
	struct sock *sk;

	if (!sock)
		return;
	sk = sock->sk;
	lock_sock(sk);
	ktput_socket_detach(stream);
	release_sock(sk);
}
