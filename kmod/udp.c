// SPDX-License-Identifier: GPL-2.0
/*
 * UDP at the socket layer: the turns of sources.
 *
 * Errors that the network makes do not end a stream: they are counted, see
 * linux/ktput_send_errors.h. Any other error of a send ends the run.
 */
#include <linux/ktput_send_errors.h>
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/sizes.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "compat/send_pages.h"
#include "datagram.h"
#include "run.h"
#include "socket.h"
#include "udp.h"

/*
 * Most calls in a turn, and most datagrams, but for those of the last call. They
 * run with softirqs disabled, which delays other softirqs on the CPU by some tens
 * of microseconds: where software segments, a datagram of a call costs as much as
 * a call.
 */
#define BATCH_CALLS	32
#define BATCH_DATAGRAMS	64
#define BATCH_BYTES	SZ_128K

/*
 * Headers and payloads are written side by side into the worker's buffer. The
 * socket copies them in the call, so the buffer is free again afterwards. The
 * protocol is called directly, as with TCP: sock_sendmsg() would first ask
 * security modules whether the thread may use its own socket.
 */
static int send_copies(struct ktput_stream *stream, u32 segments)
{
	struct ktput_udp_stream *udp = ktput_udp_of(stream);
	const struct ktput_config *config = &stream->run->config;
	void *buffer = stream->turn.worker->payload.buffer;
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };
	const u64 now = ktput_datagram_now();
	struct kvec vec = {
		.iov_base = buffer,
		.iov_len = segments * config->message_size,
	};
	u32 i;

	for (i = 0; i < segments; i++, buffer += config->message_size)
		ktput_datagram_fill(buffer, config->cookie,
				    udp->sequence + i, now);
	iov_iter_kvec(&msg.msg_iter, WRITE, &vec, 1, vec.iov_len);
	return udp->socket.sock->ops->sendmsg(udp->socket.sock, &msg,
					      vec.iov_len);
}

/*
 * Headers must not change until the last frame that refers to them is gone, so
 * each call takes new memory for them.
 */
static int send_pages(struct ktput_stream *stream, u32 segments)
{
	struct ktput_udp_stream *udp = ktput_udp_of(stream);
	const struct ktput_config *config = &stream->run->config;
	struct ktput_payload *payload = &stream->turn.worker->payload;
	struct bio_vec vecs[2 * KTPUT_PAGE_SEGMENTS];
	const u32 rest = config->message_size - KTPUT_MIN_DATAGRAM;
	const u64 now = ktput_datagram_now();
	struct bio_vec *vec = vecs;
	u32 i;

	if (!ktput_payload_room(payload, segments * KTPUT_MIN_DATAGRAM))
		return -ENOBUFS;
	for (i = 0; i < segments; i++) {
		void *header = page_address(payload->headers) +
			       payload->header_offset;

		ktput_datagram_fill(header, config->cookie,
				    udp->sequence + i, now);
		*vec++ = (struct bio_vec) {
			.bv_page = payload->headers,
			.bv_offset = payload->header_offset,
			.bv_len = KTPUT_MIN_DATAGRAM,
		};
		payload->header_offset += KTPUT_MIN_DATAGRAM;
		if (rest)
			*vec++ = (struct bio_vec) {
				.bv_page = payload->pages,
				.bv_len = rest,
			};
	}
	return ktput_send_datagram_pages(udp->socket.sock, vecs, vec - vecs,
					 segments * config->message_size,
					 MSG_DONTWAIT);
}

/**
 * ktput_udp_rides_out() - count an error of a call, unless the stream ends with it
 * @stream: stream of a source; called in its turn, or with ping-pong under its
 *	lock
 * @error: errno, positive
 *
 * Return: true if the stream goes on.
 */
bool ktput_udp_rides_out(struct ktput_stream *stream, int error)
{
	struct ktput_udp_stream *udp = ktput_udp_of(stream);

	switch (ktput_send_error(error)) {
	case KTPUT_SEND_REFUSED:
		WRITE_ONCE(udp->refusals, udp->refusals + 1);
		return true;
	case KTPUT_SEND_MTU:
		if (++udp->failed_in_row > KTPUT_SEND_MTU_MAX)
			return false;
		break;
	case KTPUT_SEND_UNREACHABLE:
		break;
	default:
		return false;
	}
	WRITE_ONCE(udp->failures, udp->failures + 1);
	WRITE_ONCE(udp->failure, error);
	return true;
}

static enum ktput_verdict not_sent(struct ktput_stream *stream, int error,
				   struct ktput_counters *delta)
{
	const enum ktput_send_error kind = ktput_send_error(-error);

	if (kind == KTPUT_SEND_ROOM) {
		delta->would_blocks++;
		return ktput_udp_await_room(stream, ktput_socket_sk(stream)) ?
		       KTPUT_TURN_AGAIN : KTPUT_TURN_WAIT;
	}
	if (!ktput_udp_rides_out(stream, -error))
		WRITE_ONCE(stream->error, -error);
	if (kind == KTPUT_SEND_UNREACHABLE)
		return ktput_pace_look_again(&stream->pace,
					     KTPUT_SEND_RETRY_NS);
	return KTPUT_TURN_AGAIN;
}

/**
 * ktput_udp_drained() - end a stream once all its datagrams have left its socket
 * @stream: stream that has stopped sending; called in its turn
 *
 * Return: KTPUT_TURN_WAIT.
 */
enum ktput_verdict ktput_udp_drained(struct ktput_stream *stream)
{
	struct sock *sk = ktput_socket_sk(stream);

	ktput_udp_await_room(stream, sk);
	/*
	 * A frame calls back before it releases its last byte, so 1 is left at
	 * the last callback. If two CPUs free the last two frames, each leaves 1
	 * in its callback, and no callback reports the end.
	 */
	if (sk_wmem_alloc_get(sk) > 1)
		return ktput_pace_look_again(&stream->pace, NSEC_PER_MSEC);
	ktput_stream_end(stream, 0);
	return KTPUT_TURN_WAIT;
}

static void sent_all(struct ktput_stream *stream)
{
	struct ktput_run *run = stream->run;

	ktput_stream_sent(stream);
	ktput_run_stream_sent(run, run->config.end_bytes ?
			      KTPUT_REASON_BYTES : KTPUT_REASON_MESSAGES);
}

static int send(struct ktput_stream *stream, struct dst_entry *dst,
		u32 segments)
{
	if (dst)
		return ktput_udp_send_direct(stream, dst);
	if (stream->run->config.method == KTPUT_METHOD_ZEROCOPY &&
	    KTPUT_DATAGRAM_PAGES)
		return send_pages(stream, segments);
	return send_copies(stream, segments);
}

/*
 * Sends until there is a reason to end the turn: by a route that is valid at
 * its start, or else one that the socket has to find.
 */
static enum ktput_verdict send_batch(struct ktput_stream *stream,
				     struct dst_entry *dst,
				     struct ktput_counters *delta)
{
	const struct ktput_config *config = &stream->run->config;
	struct ktput_udp_stream *udp = ktput_udp_of(stream);

	while (delta->calls < BATCH_CALLS && delta->bytes < BATCH_BYTES &&
	       delta->messages < BATCH_DATAGRAMS) {
		u32 segments = min_t(u64, config->segments,
				     stream->messages_left);
		int sent;

		if (!ktput_pace_credit(&stream->pace))
			return ktput_pace_wait(&stream->pace);
		sent = send(stream, dst, segments);
		delta->calls++;
		if (sent < 0)
			return not_sent(stream, sent, delta);

		delta->bytes += sent;
		delta->messages += segments;
		udp->sequence += segments;
		udp->failed_in_row = 0;
		ktput_pace_sent(&stream->pace, segments, sent);
		stream->messages_left -= segments;
		if (!stream->messages_left) {
			sent_all(stream);
			break;
		}
	}
	return KTPUT_TURN_AGAIN;
}

static struct dst_entry *route(struct ktput_stream *stream)
{
	struct ktput_udp_stream *udp = ktput_udp_of(stream);
	struct sock *sk = udp->socket.sock->sk;

	return ktput_udp_route(&udp->path, sk, sk->sk_bound_dev_if);
}

/**
 * ktput_udp_source() - a turn of a source
 * @turn: of its stream
 * @delta: filled in
 *
 * If frames come back to this CPU, as on lo, they are received together when
 * softirqs are enabled again. With pacing, all segments of a call leave when
 * the first is due, and delay the next call accordingly.
 *
 * Return: whether it waits for room, or for the next datagram to become due.
 */
enum ktput_verdict ktput_udp_source(struct ktput_turn *turn,
				    struct ktput_counters *delta)
{
	struct ktput_stream *stream =
		container_of(turn, struct ktput_stream, turn);
	struct dst_entry *dst = NULL;
	enum ktput_verdict verdict;

	if (stream->state != KTPUT_STATE_RUNNING || stream->error)
		return ktput_stream_wind_up(stream, stream->state);
	local_bh_disable();
	rcu_read_lock();
	if (stream->run->config.method == KTPUT_METHOD_DIRECT)
		dst = route(stream);
	if (IS_ERR(dst))
		verdict = not_sent(stream, PTR_ERR(dst), delta);
	else
		verdict = send_batch(stream, dst, delta);
	rcu_read_unlock();
	local_bh_enable();
	return verdict;
}
