// SPDX-License-Identifier: GPL-2.0
/*
 * A stream: one flow of a run.
 *
 * Its worker alone touches its socket while the run goes on. It is made ready
 * by the socket's callbacks, which find it through sk_user_data under RCU; the
 * run waits for a grace period between the last detach and freeing it.
 *
 * A socket of the kernel loses its timers when it is closed (tcp_close() does
 * so where sk_net_refcnt is 0). A FIN that nobody acknowledges would leave it
 * behind for ever. Therefore a stream drains before it is closed, with all
 * timers running, and one that cannot is reset.
 */
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <net/tcp_states.h>

#include "address.h"
#include "run.h"
#include "stream.h"
#include "worker.h"

static void make_ready(struct sock *sk)
{
	struct ktput_stream *stream;

	rcu_read_lock();
	stream = rcu_dereference_sk_user_data(sk);
	if (stream)
		ktput_turn_ready(&stream->turn);
	rcu_read_unlock();
}

static void write_space(struct sock *sk)
{
	if (!sk_stream_is_writeable(sk))
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	make_ready(sk);
}

/**
 * ktput_stream_attach() - have a socket make its stream ready
 * @stream: stream with a connected @sock and with @before filled in
 *
 * The turn's worker is set already: callbacks may come before this returns.
 */
void ktput_stream_attach(struct ktput_stream *stream)
{
	struct sock *sk = stream->sock->sk;

	ktput_address_of_sock(&stream->local, &stream->remote, sk);
	stream->copied = stream->run->config.method == KTPUT_METHOD_PAGES &&
			 !(sk->sk_route_caps & NETIF_F_SG);
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, stream);
	sk->sk_data_ready = make_ready;
	sk->sk_state_change = make_ready;
	sk->sk_write_space = write_space;
	write_unlock_bh(&sk->sk_callback_lock);
}

static void detach(struct ktput_stream *stream)
{
	struct sock *sk = stream->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_user_data) {
		rcu_assign_sk_user_data(sk, NULL);
		sk->sk_data_ready = stream->before.data_ready;
		sk->sk_state_change = stream->before.state_change;
		sk->sk_write_space = stream->before.write_space;
	}
	write_unlock_bh(&sk->sk_callback_lock);
}

/**
 * ktput_stream_begin() - give a stream to a worker
 * @stream: stream with a connected socket
 * @worker: worker
 *
 * The caller holds the run's lock. The first turn is ready at once, since data
 * or room may be there already.
 */
void ktput_stream_begin(struct ktput_stream *stream,
			struct ktput_worker *worker)
{
	lockdep_assert_held(&stream->run->lock);
	stream->turn.worker = worker;
	list_add_tail(&stream->node, &worker->streams);
	ktput_stream_attach(stream);
	ktput_turn_ready(&stream->turn);
}

/**
 * ktput_stream_sent() - a stream sends no more
 * @stream: stream that is running; called by its worker
 *
 * The turn ends the stream when the peer has acknowledged the FIN.
 */
void ktput_stream_sent(struct ktput_stream *stream)
{
	WRITE_ONCE(stream->state, KTPUT_STATE_DRAINING);
	kernel_sock_shutdown(stream->sock, SHUT_WR);
	/* The acknowledgement may have been there before the callback was. */
	ktput_turn_ready(&stream->turn);
}

/* True where closing needs no timer, see above. */
static bool may_close(const struct sock *sk)
{
	return (1 << READ_ONCE(sk->sk_state)) &
	       (TCPF_FIN_WAIT2 | TCPF_TIME_WAIT | TCPF_CLOSE);
}

static void release(struct ktput_stream *stream, int error)
{
	struct ktput_run *run = stream->run;
	struct socket *sock = stream->sock;

	detach(stream);
	tcp_get_info(sock->sk, &stream->tcp_info);
	mutex_lock(&run->lock);
	stream->sock = NULL;
	stream->error = error;
	WRITE_ONCE(stream->state, KTPUT_STATE_ENDED);
	mutex_unlock(&run->lock);

	if (!may_close(sock->sk))
		sock_no_linger(sock->sk);
	sock_release(sock);
}

/**
 * ktput_stream_end() - a stream has ended by itself
 * @stream: stream with a socket; called by its worker
 * @error: errno, positive, or 0
 */
void ktput_stream_end(struct ktput_stream *stream, int error)
{
	release(stream, error);
	ktput_run_stream_ended(stream->run, error);
}

/**
 * ktput_stream_drain_all() - tell a worker's streams to send no more
 * @worker: worker of a source; called by its thread
 */
void ktput_stream_drain_all(struct ktput_worker *worker)
{
	struct ktput_stream *stream;

	mutex_lock(&worker->run->lock);
	list_for_each_entry(stream, &worker->streams, node)
		if (stream->state == KTPUT_STATE_RUNNING)
			ktput_stream_sent(stream);
	mutex_unlock(&worker->run->lock);
}

/**
 * ktput_stream_release() - close a stream whose worker is stopped
 * @stream: stream, ended or not
 */
void ktput_stream_release(struct ktput_stream *stream)
{
	if (stream->sock)
		release(stream, stream->error);
}
