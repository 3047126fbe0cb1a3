/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TCP at the socket layer.
 */
#ifndef KTPUT_TCP_H
#define KTPUT_TCP_H

#include "stream.h"
#include "thread.h"

struct ktput_run;
struct netlink_ext_ack;
struct sock;
struct socket;

/**
 * struct ktput_listener - listening socket of a sink
 * @turn: accepts them
 * @run: its run, which outlives it
 * @sock: the socket; NULL once it is closed
 * @before: the socket's original callbacks, which connections start with
 * @next: index of the worker that gets the next connection; turn only
 */
struct ktput_listener {
	struct ktput_turn turn;
	struct ktput_run *run;
	struct socket *sock;
	struct ktput_callbacks before;
	unsigned int next;
};

extern const struct ktput_ops ktput_tcp_source_ops;
extern const struct ktput_ops ktput_tcp_sink_ops;
extern const struct ktput_ops ktput_tcp_pingpong_source_ops;
extern const struct ktput_ops ktput_tcp_pingpong_sink_ops;

struct socket *ktput_tcp_source_socket(struct ktput_stream *stream,
				       struct netlink_ext_ack *extack);
int ktput_tcp_connect(const struct ktput_run *run, struct socket *sock);
bool ktput_tcp_connecting(const struct sock *sk);
int ktput_tcp_prepare_sources(struct ktput_run *run,
			      struct netlink_ext_ack *extack);
void ktput_tcp_release_model(struct ktput_run *run);
void ktput_tcp_connect_sources(struct ktput_run *run);
const char *ktput_tcp_refusal(int error);
enum ktput_verdict ktput_tcp_connect_turn(struct ktput_stream *stream);
bool ktput_tcp_may_close(const struct sock *sk);
bool ktput_tcp_reconnect(struct ktput_stream *stream, enum ktput_state state,
			 enum ktput_verdict *verdict);
enum ktput_verdict ktput_tcp_part(struct ktput_stream *stream);
enum ktput_verdict ktput_tcp_source(struct ktput_turn *turn,
				    struct ktput_counters *delta);
enum ktput_verdict ktput_tcp_sink(struct ktput_turn *turn,
				  struct ktput_counters *delta);
enum ktput_verdict ktput_tcp_drain(struct ktput_stream *stream);
enum ktput_verdict ktput_tcp_pingpong(struct ktput_turn *turn,
				      struct ktput_counters *delta);
void ktput_tcp_pingpong_attach(struct ktput_stream *stream);
void ktput_tcp_pingpong_leave(struct ktput_stream *stream);

#endif /* KTPUT_TCP_H */
