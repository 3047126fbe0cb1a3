// SPDX-License-Identifier: GPL-2.0
/*
 * TCP at the socket layer: a connection for each request.
 *
 * A turn waits for nothing, but is taken again when the state of the socket
 * changes: connecting does not block, and the next request waits until the FIN
 * of the last connection has been acknowledged, since a socket of the kernel has
 * no timers once it is closed. One whose FIN cannot be sent is reset. The
 * handshake is a part of the round trip, what comes after the response is not.
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
 * The lock of the run is held while the stream gets its socket and addresses, or
 * is rid of them, as whoever looks at them expects.
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
	stream->sock = sock;
	if (!error)
		ktput_socket_attach(stream);
	mutex_unlock(&run->lock);
	WRITE_ONCE(stream->error, -error);
	/* It may be connected before there was anybody to tell. */
	return KTPUT_TURN_AGAIN;
}

static void close(struct ktput_stream *stream)
{
	struct ktput_run *run = stream->run;
	struct socket *sock = stream->sock;

	run->ops->leave(stream);
	mutex_lock(&run->lock);
	run->ops->look(stream);
	stream->sock = NULL;
	mutex_unlock(&run->lock);
	run->ops->close(sock);
}

/*
 * A FIN for which there was no memory is never sent, and nobody tells so: the
 * connection would wait for its acknowledgment as long as the run lasts.
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

/* Nothing is connected, nor under way. */
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
 * ktput_tcp_reconnect() - see to the connection of a request
 * @stream: stream of a source without an error; called in its turn
 * @state: how far it has come
 * @verdict: how the turn is to end; unless the request is to go on
 *
 * Return: true where the stream is connected, and may send and receive.
 */
bool ktput_tcp_reconnect(struct ktput_stream *stream, enum ktput_state state,
			 enum ktput_verdict *verdict)
{
	struct sock *sk;
	int error;

	if (!stream->sock) {
		*verdict = go_between(stream, state);
		return false;
	}
	sk = stream->sock->sk;
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
 * ktput_tcp_part() - a request has its response: close its connection
 * @stream: connected stream of a source; called in its turn
 *
 * Return: how the turn is to end.
 */
enum ktput_verdict ktput_tcp_part(struct ktput_stream *stream)
{
	stream->pingpong->closing = true;
	kernel_sock_shutdown(stream->sock, SHUT_WR);
	/* The FIN may be acknowledged already. */
	return KTPUT_TURN_AGAIN;
}
