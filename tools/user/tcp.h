/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcp: the turns of sources and sinks of TCP.
 */
#ifndef KTPUT_USER_TCP_H
#define KTPUT_USER_TCP_H

#include "stream.h"

enum user_verdict user_tcp_source(struct user_stream *stream,
				  struct client_counters *came_to);
enum user_verdict user_tcp_sink(struct user_stream *stream,
				struct client_counters *came_to);
enum user_verdict user_tcp_drain(struct user_stream *stream);

#endif
