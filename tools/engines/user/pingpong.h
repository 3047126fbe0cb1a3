/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong: the requests of a stream that are under way, and when the next is
 * due; as in the module, see Documentation/measure/pingpong.rst.
 */
#ifndef KTPUT_USER_PINGPONG_H
#define KTPUT_USER_PINGPONG_H

#include "stream.h"

#define USER_PINGPONG_SLOTS	KTPUT_MAX_OUTSTANDING

/* No request is due: all that may be are under way, or all have been sent. */
#define USER_PINGPONG_NEVER	UINT64_MAX

/**
 * struct user_pingpong - requests and responses of a stream
 * @under_way: requests that wait for a response
 * @taken: requests sent, modulo 2^32
 * @in_left: TCP: bytes of the message that is being received, still to come
 * @out_left: TCP: bytes of the message that is being sent, still to go
 * @owed: TCP: responses that a sink has to send, that of @out_left not among
 *	them
 * @closing: TCP: the source has nothing more to say
 * @begun: when the request in a slot was due, or sent where there is no rate
 * @ready: when the request may be sent that follows so many others
 * @waiting: UDP: bit n is set where the request in slot n is under way
 * @rounds: UDP: requests that a slot has had before
 * @sent: UDP: when the request in a slot was sent
 * @expires: UDP: no request is to be given up before
 */
struct user_pingpong {
	uint32_t under_way;
	uint32_t taken;
	uint32_t in_left;
	uint32_t out_left;
	uint64_t owed;
	bool closing;
	uint64_t begun[USER_PINGPONG_SLOTS];
	uint64_t ready[USER_PINGPONG_SLOTS];
	uint64_t waiting;
	uint32_t rounds[USER_PINGPONG_SLOTS];
	uint64_t sent[USER_PINGPONG_SLOTS];
	uint64_t expires;
};

int user_pingpong_settings(struct user_settings *settings,
			   struct units_error *err);
int user_pingpong_make(struct user_stream *stream,
		       const struct user_settings *settings,
		       struct units_error *err);
void user_pingpong_socket(int fd, const struct user_settings *settings);
bool user_pingpong_measures(const struct user_settings *settings);
uint64_t user_pingpong_due(const struct user_stream *stream);
void user_pingpong_begin(struct user_stream *stream, uint32_t slot,
			 uint64_t now);
void user_pingpong_free(struct user_stream *stream, uint64_t now);
void user_pingpong_complete(struct user_stream *stream, uint32_t slot,
			    uint64_t now);
void user_pingpong_abandon(struct user_stream *stream);
enum user_verdict user_pingpong_wait(struct user_stream *stream, uint64_t due);
enum user_verdict user_pingpong_sent_all(struct user_stream *stream);
enum user_verdict user_pingpong_fail(struct user_stream *stream, int error);

/* The turns of both ends. */
enum user_verdict user_tcp_pingpong(struct user_stream *stream,
				    struct client_counters *came_to);
enum user_verdict user_udp_pingpong(struct user_stream *stream,
				    struct client_counters *came_to);

#endif
