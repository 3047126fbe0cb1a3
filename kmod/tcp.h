/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TCP at the socket layer.
 */
#ifndef KTPUT_TCP_H
#define KTPUT_TCP_H

#include <linux/tcp.h>
#include <linux/wait.h>

#include "cachelines.h"
#include "socket.h"
#include "stream.h"
#include "thread.h"

struct ktput_run;
struct netlink_ext_ack;
struct sock;
struct socket;

/**
 * enum ktput_connection - progress of a stream of a source that connects
 * @KTPUT_CONNECTION_NONE: not begun
 * @KTPUT_CONNECTION_BEGUN: a handshake is under way
 * @KTPUT_CONNECTION_MADE: it is connected, and its run has been notified
 */
enum ktput_connection {
	KTPUT_CONNECTION_NONE,
	KTPUT_CONNECTION_BEGUN,
	KTPUT_CONNECTION_MADE,
};

/**
 * struct ktput_tcp_stream - a stream of TCP at the socket layer
 * @stream: what is scheduled
 * @socket: its socket
 * @message_left: bytes of the current message still to be sent; worker only
 * @offset: offset of the next byte in the payload; worker only
 * @connection: progress of connecting, enum ktput_connection; worker only
 * @tcp_info: TCP_INFO of the last reading, or of the end; the run's lock
 *
 * All that a turn uses besides @stream is in one cache line.
 */
struct ktput_tcp_stream {
	struct ktput_stream stream;
	struct ktput_socket socket;
	u32 message_left;
	u32 offset;
	enum ktput_connection connection;

	struct tcp_info tcp_info ____cacheline_aligned_in_smp;
};

KTPUT_HAS_SOCKET(struct ktput_tcp_stream);
KTPUT_SEPARATE_CACHELINES(struct ktput_tcp_stream, stream, socket);
static_assert(SMP_CACHE_BYTES < 64 ||
	      offsetofend(struct ktput_tcp_stream, connection) -
	      offsetof(struct ktput_tcp_stream, socket) <= SMP_CACHE_BYTES);

/**
 * ktput_tcp_of() - private part of a stream of TCP
 * @stream: stream of TCP at the socket layer
 *
 * Return: the structure that @stream is part of.
 */
static inline struct ktput_tcp_stream *
ktput_tcp_of(const struct ktput_stream *stream)
{
	return container_of(stream, struct ktput_tcp_stream, stream);
}

/**
 * struct ktput_listener - listening socket of a sink
 * @turn: accepts them
 * @run: its run, which outlives it
 * @sock: the socket; NULL once it is closed
 * @event: in the socket's wait queue; makes the turn ready
 * @next: index of the worker that gets the next connection; turn only
 */
struct ktput_listener {
	struct ktput_turn turn;
	struct ktput_run *run;
	struct socket *sock;
	struct wait_queue_entry event;
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
enum ktput_verdict ktput_tcp_drained(struct ktput_stream *stream);
enum ktput_verdict ktput_tcp_pingpong(struct ktput_turn *turn,
				      struct ktput_counters *delta);
void ktput_tcp_pingpong_attach(struct ktput_stream *stream);
void ktput_tcp_pingpong_leave(struct ktput_stream *stream);

#endif /* KTPUT_TCP_H */
