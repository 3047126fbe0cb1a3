/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcp: the turns of sources and sinks of TCP.
 */
#ifndef KTPUT_USER_TCP_H
#define KTPUT_USER_TCP_H

#include "stream.h"

/*
 * What a turn does at most, as in the module: so that thousands of streams on a
 * CPU take turns within milliseconds.
 */
#define USER_TCP_TURN_CALLS	1024
#define USER_TCP_TURN_BYTES	(256 * 1024)

enum user_verdict user_tcp_source(struct user_stream *stream,
				  struct client_counters *came_to);
enum user_verdict user_tcp_sink(struct user_stream *stream,
				struct client_counters *came_to);
enum user_verdict user_tcp_drain(struct user_stream *stream);
uint64_t user_tcp_message(struct user_stream *stream);
bool user_tcp_advance(struct user_stream *stream, size_t sent,
		      struct client_counters *came_to);
enum user_verdict user_tcp_sent_all(struct user_stream *stream);
enum user_verdict user_tcp_fail(struct user_stream *stream, int error);

#endif
