// SPDX-License-Identifier: GPL-2.0
/*
 * TCP at the socket layer: a connection for each request.
 *
 * A turn does not wait, but is repeated when the state of the socket changes.
 * Connecting does not block. The next request waits until the FIN of the last
 * connection has been acknowledged, since a kernel socket has no timers once it
 * is closed. A connection whose FIN cannot be sent is reset. The round trip
 * includes the handshake, but nothing after the response.
 */
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "ops.h"
#include "pingpong.h"
#include "run.h"
#include "socket.h"
#include "tcp.h"
#include "worker.h"

/*
 * The run's lock is held while the socket and addresses of the stream are set
 * or cleared, as readers of these expect.
 */
static enum ktput_verdict open(struct ktput_stream *stream)
{
	struct ktput_pingpong *pingpong = stream->pingpong;
	const u64 due = ktput_pingpong_due(stream);
	struct ktput_run *run = stream->run;
	struct socket *sock;
	int error;

	if (due > ktime_get_ns())
		return ktput_pingpong_wait(stream, due);
	sock = ktput_tcp_source_socket(stream, NULL);
	if (IS_ERR(sock)) {
		WRITE_ONCE(stream->error, -PTR_ERR(sock));
		return KTPUT_TURN_AGAIN;
	}
	pingpong->closing = false;
	pingpong->in_left = run->config.pingpong.response_size;
	pingpong->out_left = run->config.pingpong.request_size;
	ktput_pingpong_begin(stream, pingpong->taken % KTPUT_PINGPONG_SLOTS,
			     ktime_get_ns());
	error = ktput_tcp_connect(run, sock);
	mutex_lock(&run->lock);
	ktput_socket_of(stream)->sock = sock;
	if (!error)
		ktput_socket_attach(stream);
	mutex_unlock(&run->lock);
	WRITE_ONCE(stream->error, -error);
	/* It may be connected already, before the callbacks were installed. */
	return KTPUT_TURN_AGAIN;
}

static void close(struct ktput_stream *stream)
{
	struct ktput_run *run = stream->run;

	run->ops->leave(stream);
	mutex_lock(&run->lock);
	run->ops->retire(stream);
	mutex_unlock(&run->lock);
	run->ops->close(stream);
}

/*
 * If there was no memory for a FIN, it is never sent, and nothing reports that:
 * the connection would wait for its acknowledgment for the rest of the run.
 */
static bool fin_is_lost(struct sock *sk)
{
	bool lost;

	lock_sock(sk);
	lost = sk->sk_state == TCP_FIN_WAIT1 &&
	       tcp_rtx_and_write_queues_empty(sk);
	release_sock(sk);
	return lost;
}

/* No connection exists or is under way. */
static enum ktput_verdict go_between(struct ktput_stream *stream,
				     enum ktput_state state)
{
	if (state == KTPUT_STATE_DRAINING) {
		ktput_stream_end(stream, 0);
		return KTPUT_TURN_WAIT;
	}
	if (!stream->messages_left) {
		ktput_pingpong_sent_all(stream);
		return KTPUT_TURN_WAIT;
	}
	return open(stream);
}

/**
 * ktput_tcp_reconnect() - handle the connection of a request
 * @stream: stream of a source without an error; called in its turn
 * @state: state of the stream
 * @verdict: set to how the turn ends, unless the request continues
 *
 * Return: true if the stream is connected, and may send and receive.
 */
bool ktput_tcp_reconnect(struct ktput_stream *stream, enum ktput_state state,
			 enum ktput_verdict *verdict)
{
	struct sock *sk;
	int error;

	if (!ktput_socket_of(stream)->sock) {
		*verdict = go_between(stream, state);
		return false;
	}
	sk = ktput_socket_sk(stream);
	error = -sock_error(sk);
	if (error) {
		WRITE_ONCE(stream->error, error);
		*verdict = KTPUT_TURN_AGAIN;
		return false;
	}
	if (stream->pingpong->closing) {
		*verdict = KTPUT_TURN_WAIT;
		if (ktput_tcp_may_close(sk) || fin_is_lost(sk)) {
			close(stream);
			*verdict = KTPUT_TURN_AGAIN;
		}
		return false;
	}
	*verdict = KTPUT_TURN_WAIT;
	return !ktput_tcp_connecting(sk);
}

/**
 * ktput_tcp_part() - close the connection of a request that has its response
 * @stream: connected stream of a source; called in its turn
 *
 * Return: how the turn ends.
 */
enum ktput_verdict ktput_tcp_part(struct ktput_stream *stream)
{
	stream->pingpong->closing = true;
	kernel_sock_shutdown(ktput_socket_of(stream)->sock, SHUT_WR);
	/* The FIN may be acknowledged already. */
	return KTPUT_TURN_AGAIN;
}
