/* SPDX-License-Identifier: GPL-2.0 */
/*
 * udp: the turns of sources and sinks of UDP.
 */
#ifndef KTPUT_USER_UDP_H
#define KTPUT_USER_UDP_H

#include "stream.h"

enum user_verdict user_udp_source(struct user_stream *stream,
				  struct client_counters *came_to);
enum user_verdict user_udp_sink(struct user_stream *stream,
				struct client_counters *came_to);
bool user_udp_rides_out(struct user_stream *stream, int error);
bool user_udp_met(struct user_stream *stream, uint64_t calls);
void user_udp_missed(struct user_stream *stream, uint64_t calls);

#endif
