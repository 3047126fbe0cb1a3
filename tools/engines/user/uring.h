/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uring: the turns of sources and sinks of TCP whose calls io_uring makes.
 *
 * A turn queues what a stream is to send or to receive next. All that is queued
 * is submitted by the system call that waits for calls to be done, so that a
 * thread makes one of these where it would else make several.
 */
#ifndef KTPUT_USER_URING_H
#define KTPUT_USER_URING_H

#include "stream.h"
#include "thread.h"

#ifdef KTPUT_URING

int user_uring_make(struct user_thread *thread, struct units_error *err);
int user_uring_begin(struct user_thread *thread);
int user_uring_wait(struct user_thread *thread, int timeout_ms, bool *told);
void user_uring_cancel(struct user_stream *stream,
		       struct client_counters *came_to);
void user_uring_free(struct user_thread *thread);
enum user_verdict user_uring_source(struct user_stream *stream,
				    struct client_counters *came_to);
enum user_verdict user_uring_sink(struct user_stream *stream,
				  struct client_counters *came_to);

#else

static inline int user_uring_make(struct user_thread *thread,
				  struct units_error *err)
{
	(void)thread;
	units_refuse(err, "refused: method: io_uring: ktput-ctl was built without liburing");
	return -1;
}

/* No thread has a ring, and no stream a thread that would want one. */
static inline int user_uring_begin(struct user_thread *thread)
{
	(void)thread;
	return 0;
}

static inline int user_uring_wait(struct user_thread *thread, int timeout_ms,
				  bool *told)
{
	(void)thread;
	(void)timeout_ms;
	(void)told;
	return 0;
}

static inline void user_uring_cancel(struct user_stream *stream,
				     struct client_counters *came_to)
{
	(void)stream;
	(void)came_to;
}

static inline void user_uring_free(struct user_thread *thread)
{
	(void)thread;
}

#define user_uring_source	NULL
#define user_uring_sink		NULL

#endif

#endif
