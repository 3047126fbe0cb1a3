// SPDX-License-Identifier: GPL-2.0
/*
 * TCP at the socket layer: connecting the streams of a source.
 *
 * Sockets are created in the context of the requester, so that the kernel
 * checks the requester's privileges and charges the requester's control group.
 * They connect in turns, which do not wait: the requester holds a lock of
 * generic netlink that blocks all its users on the host.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "address.h"
#include "ops.h"
#include "run.h"
#include "socket.h"
#include "tcp.h"
#include "worker.h"

/*
 * Most connections under way at a time. A listener's backlog may be as small as
 * net.core.somaxconn, and a SYN that does not fit costs a second.
 */
#define CONNECT_WINDOW	64

/**
 * ktput_tcp_connect() - start to connect a socket
 * @run: run of a source
 * @sock: from ktput_tcp_source_socket()
 *
 * Return: 0, or a negative errno.
 */
int ktput_tcp_connect(const struct ktput_run *run, struct socket *sock)
{
	struct sockaddr_storage address = run->config.remote;
	int error;

	error = kernel_connect(sock, (void *)&address,
			       ktput_address_length(&address), O_NONBLOCK);
	return error == -EINPROGRESS ? 0 : error;
}

/**
 * ktput_tcp_connecting() - whether a handshake is under way
 * @sk: socket of a source
 *
 * Return: true until it is connected or refused.
 */
bool ktput_tcp_connecting(const struct sock *sk)
{
	return (1 << READ_ONCE(sk->sk_state)) &
	       (TCPF_SYN_SENT | TCPF_SYN_RECV);
}

/**
 * ktput_tcp_refusal() - explain why a source is not connected
 * @error: errno, positive
 *
 * Return: a constant sentence.
 */
const char *ktput_tcp_refusal(int error)
{
	switch (error) {
	case ENETUNREACH:
	case EHOSTUNREACH:
	case ENETDOWN:
		return "remote address: no route to it, or no neighbour answers";
	case ECONNREFUSED:
		return "remote-port: nothing listens there";
	case ECONNRESET:
		return "remote-port: what listens there turned the connection away; it may be full";
	case ETIMEDOUT:
		return "remote address did not answer within connect-timeout";
	case EADDRNOTAVAIL:
		return "no local port is free for so many streams, or it has such a connection";
	default:
		return "remote address cannot be connected to";
	}
}

static int connect_error(struct sock *sk)
{
	const int error = sock_error(sk);

	if (!error && READ_ONCE(sk->sk_state) == TCP_CLOSE)
		return -ECONNREFUSED;
	return error;
}

/**
 * ktput_tcp_connect_turn() - a turn of a stream that connects
 * @stream: stream of a source
 *
 * A stream that is connected starts another one, so that no more than a window
 * is under way. Later events on its socket are handled when the run has begun.
 *
 * Return: KTPUT_TURN_WAIT.
 */
enum ktput_verdict ktput_tcp_connect_turn(struct ktput_stream *stream)
{
	const u32 next = stream->slot + CONNECT_WINDOW;
	struct ktput_tcp_stream *tcp = ktput_tcp_of(stream);
	struct sock *sk = ktput_socket_sk(stream);
	struct ktput_run *run = stream->run;
	int error = 0;

	if (tcp->connection == KTPUT_CONNECTION_MADE)
		return KTPUT_TURN_WAIT;
	if (tcp->connection == KTPUT_CONNECTION_NONE) {
		tcp->connection = KTPUT_CONNECTION_BEGUN;
		error = ktput_tcp_connect(run, ktput_socket_of(stream)->sock);
	}
	if (!error && ktput_tcp_connecting(sk))
		return KTPUT_TURN_WAIT;
	error = error ?: connect_error(sk);
	if (error) {
		ktput_run_refuse(run, -error);
		return KTPUT_TURN_WAIT;
	}
	tcp->connection = KTPUT_CONNECTION_MADE;
	if (next < run->config.streams)
		ktput_turn_ready(&run->streams[next]->turn);
	ktput_run_stream_connected(run);
	return KTPUT_TURN_WAIT;
}

/**
 * ktput_tcp_connect_sources() - make all streams of a source connect in turns
 * @run: run with its streams; the caller holds its lock
 */
void ktput_tcp_connect_sources(struct ktput_run *run)
{
	u32 i;

	lockdep_assert_held(&run->lock);
	for (i = 0; i < run->stream_count; i++) {
		struct ktput_stream *stream = run->streams[i];

		stream->state = KTPUT_STATE_CONNECTING;
		ktput_stream_place(stream, run->workers[i % run->worker_count]);
		ktput_socket_attach(stream);
	}
	for (i = 0; i < min_t(u32, run->stream_count, CONNECT_WINDOW); i++)
		ktput_turn_ready(&run->streams[i]->turn);
}

/*
 * Creates a socket that is never connected, in the context of the requester.
 * Its options are refused, or their modules loaded, on behalf of the requester,
 * which turns could not do. It keeps these modules loaded, since no turn may
 * wait for a module: loading one waits for a CPU that goes offline, which waits
 * for the turn.
 */
static int make_model(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	struct socket *sock = ktput_tcp_source_socket(run->streams[0], extack);

	if (IS_ERR(sock))
		return PTR_ERR(sock);
	run->model = sock;
	return 0;
}

/**
 * ktput_tcp_release_model() - release the model of request sockets
 * @run: run
 */
void ktput_tcp_release_model(struct ktput_run *run)
{
	if (run->model)
		sock_release(run->model);
	run->model = NULL;
}

/**
 * ktput_tcp_prepare_sources() - create the streams of a source
 * @run: run
 * @extack: gets the reason of a refusal
 *
 * Return: 0, 1 if there are more to create, or the errno of the refusal.
 */
int ktput_tcp_prepare_sources(struct ktput_run *run,
			      struct netlink_ext_ack *extack)
{
	u32 i;

	for (i = 0; i < KTPUT_MAX_PREPARE_STEP &&
	     run->stream_count < run->config.streams; i++) {
		struct ktput_stream *stream;
		struct socket *sock;

		stream = ktput_run_add_stream(run, NUMA_NO_NODE);
		if (!stream)
			return -ENOMEM;
		/* Each request opens its own connection. */
		if (run->config.pingpong.reconnect)
			continue;
		sock = ktput_tcp_source_socket(stream, extack);
		if (IS_ERR(sock))
			return PTR_ERR(sock);
		ktput_socket_of(stream)->sock = sock;
	}
	if (run->stream_count < run->config.streams)
		return 1;
	return run->config.pingpong.reconnect ? make_model(run, extack) : 0;
}
