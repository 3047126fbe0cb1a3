/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets of streams: their options, and the callbacks that make streams ready.
 */
#ifndef KTPUT_SOCKET_H
#define KTPUT_SOCKET_H

#include <linux/types.h>

struct ktput_callbacks;
struct ktput_run;
struct ktput_stream;
struct netlink_ext_ack;
struct sock;
struct sockaddr_storage;
struct socket;

bool __must_check ktput_socket_claim(struct sock *sk, const void *inherited);
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
void ktput_socket_init_room(struct ktput_stream *stream);
bool ktput_socket_await_room(struct ktput_stream *stream, struct sock *sk);
void ktput_socket_forget_room(struct ktput_stream *stream);

#endif /* KTPUT_SOCKET_H */
