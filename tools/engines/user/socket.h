/* SPDX-License-Identifier: GPL-2.0 */
/*
 * socket: sockets with the options of a run.
 */
#ifndef KTPUT_USER_SOCKET_H
#define KTPUT_USER_SOCKET_H

#include "settings.h"
#include "stream.h"

struct user_engine;

int user_socket_make_any(struct user_settings *settings,
			 struct units_error *err);
int user_socket_make_source(const struct user_settings *settings, uint32_t id,
			    struct units_error *err);
int user_socket_set(int fd, int level, int option, int value,
		    const char *attribute, struct units_error *err);
int user_socket_bind(int fd, const struct address *local,
		     struct units_error *err);
int user_socket_tell_local(int fd, int family, struct units_error *err);
bool user_socket_is_mptcp(int fd);
void user_socket_local(int fd, struct address *local);

/* Of a run: make the sockets of its streams. */
int user_tcp_connect(struct user_engine *engine, struct units_error *err);
int user_tcp_listen(struct user_engine *engine, struct units_error *err);
int user_udp_connect(struct user_engine *engine, struct units_error *err);
int user_udp_bind(struct user_engine *engine, struct units_error *err);

void user_zerocopy_reap(struct user_stream *stream);

/* Messages of a stream of UDP whose payload the kernel may refer to. */
uint32_t user_zerocopy_slots(const struct user_settings *settings);

static inline bool user_zerocopy_done(const struct user_stream *stream)
{
	return stream->zerocopy.done == stream->zerocopy.sent;
}

#endif
