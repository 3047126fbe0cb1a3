/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets of streams: their options, and the callbacks that make streams ready.
 */
#ifndef KTPUT_SOCKET_H
#define KTPUT_SOCKET_H

#include <linux/build_bug.h>
#include <linux/container_of.h>
#include <linux/net.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "stream.h"

struct ktput_run;
struct ktput_stream_reading;
struct netlink_ext_ack;
struct sk_buff;
struct sock;
struct sockaddr_storage;

/**
 * struct ktput_callbacks - original callbacks of a socket
 * @data_ready: &sock.sk_data_ready
 * @write_space: &sock.sk_write_space
 * @change: &sock.sk_state_change; &sock.sk_error_report of a datagram socket,
 *	which has no states
 */
struct ktput_callbacks {
	void (*data_ready)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	void (*change)(struct sock *sk);
};

/**
 * struct ktput_socket - socket of a stream
 * @sock: the socket, NULL once the stream has ended, and between requests that
 *	have a connection each. Set before the turn can be taken, or in turns;
 *	cleared by the worker, or by the task that has stopped the worker; both
 *	under the run's lock. The worker reads it without the lock, others with
 *	it.
 * @before: the socket's original callbacks
 * @closing: socket that the stream has left, until it is closed; used by the
 *	worker, or by the task that has stopped it
 * @copied: the kernel copies pages, see KTPUT_A_STREAM_COPIED; the run's lock
 */
struct ktput_socket {
	struct socket *sock;
	struct ktput_callbacks before;
	struct socket *closing;
	bool copied;
};

/**
 * struct ktput_socket_stream - a stream with a socket
 * @stream: what is scheduled
 * @socket: its socket
 *
 * TCP and UDP begin with these members, see KTPUT_HAS_SOCKET(). They do not
 * nest the structure, whose padding would separate @socket from what a turn
 * uses with it.
 */
struct ktput_socket_stream {
	struct ktput_stream stream;
	struct ktput_socket socket;
};

/**
 * KTPUT_HAS_SOCKET() - assert that a stream is one with a socket
 * @type: structure of a transport
 */
#define KTPUT_HAS_SOCKET(type)						\
	static_assert(!offsetof(type, stream) &&			\
		      offsetof(type, socket) ==				\
		      offsetof(struct ktput_socket_stream, socket))

/**
 * ktput_socket_of() - socket part of a stream
 * @stream: stream of TCP or UDP at the socket layer
 *
 * Return: its part, which lives as long as the stream.
 */
static inline struct ktput_socket *
ktput_socket_of(const struct ktput_stream *stream)
{
	return &container_of(stream, struct ktput_socket_stream,
			     stream)->socket;
}

/**
 * ktput_socket_sk() - protocol's part of a stream's socket
 * @stream: stream with a socket
 *
 * Return: &socket.sk.
 */
static inline struct sock *ktput_socket_sk(const struct ktput_stream *stream)
{
	return ktput_socket_of(stream)->sock->sk;
}

void ktput_socket_mark_listener(struct sock *sk);
bool __must_check ktput_socket_claim_accepted(struct sock *sk);
struct socket *ktput_socket_create(struct ktput_run *run, int family, int type,
				   int protocol,
				   struct netlink_ext_ack *extack);
int ktput_socket_bind(struct socket *sock,
		      const struct sockaddr_storage *local,
		      struct netlink_ext_ack *extack);
void ktput_socket_callbacks(struct ktput_callbacks *callbacks,
			    const struct socket *sock);
void ktput_socket_attach(struct ktput_stream *stream);
void ktput_socket_attach_to(struct ktput_stream *stream,
			    void (*data_ready)(struct sock *sk));
void ktput_socket_detach(struct ktput_stream *stream);
void ktput_socket_retire(struct ktput_stream *stream);
void ktput_socket_gone(struct ktput_stream *stream, int error);
int ktput_socket_put(struct sk_buff *skb,
		     const struct ktput_stream_reading *stream);

#endif /* KTPUT_SOCKET_H */
