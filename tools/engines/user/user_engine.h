/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine: a run in user space, as if it were one of the module.
 *
 * One thread for each CPU in use takes the turns of the streams there; see
 * Documentation/layers/user.rst. Whoever started the run follows it: what
 * @epoll tells of is dealt with in refresh().
 */
#ifndef KTPUT_USER_ENGINE_H
#define KTPUT_USER_ENGINE_H

#include "settings.h"
#include "stream.h"
#include "thread.h"

/**
 * struct user_engine - a run in user space
 * @settings: what is in effect
 * @run: where it stands, as a refresh found it
 * @reason: of enum ktput_reason, the first that anybody gave
 * @error: errno, positive, that goes with it
 * @ended_ns: CLOCK_MONOTONIC when it was given
 * @reason_known: the three are written
 * @draining: streams of a source send no more
 * @aborting: streams end at once
 * @quitting: threads end
 * @lock: protects @stream_count, and streams that have ended from being used
 *	again. Threads hold it while they obey, accept, and look at all streams.
 * @threads: threads
 * @thread_count: how many
 * @next_thread: the one that serves the next connection
 * @streams: room for as many as the settings say
 * @stream_count: how many there are
 * @next_id: number of the next connection
 * @sending: streams of a source that have more to send
 * @open: streams of a source that have not ended
 * @closed: connections of a sink that have ended
 * @accepted: connections that were accepted
 * @refused: connections that there was no stream for
 * @wanted: snapshot that threads fill in when they are asked, or NULL
 * @listener: socket that listens, -1 where there is none
 * @mptcp: a connection of it is of MPTCP
 * @spare: descriptor that is closed to turn a connection away where none is left
 * @timer: timerfd for the end, and then for the end of draining
 * @told: eventfd: there is something for a refresh
 * @epoll: @timer and @told
 */
struct user_engine {
	struct user_settings settings;
	struct client_run run;
	atomic_uint reason;
	int error;
	uint64_t ended_ns;
	atomic_bool reason_known;
	atomic_bool draining;
	atomic_bool aborting;
	atomic_bool quitting;
	pthread_mutex_t lock;
	struct user_thread *threads;
	unsigned int thread_count;
	unsigned int next_thread;
	struct user_stream **streams;
	uint32_t stream_count;
	uint32_t next_id;
	atomic_uint sending;
	atomic_uint open;
	atomic_uint closed;
	atomic_uint_least64_t accepted;
	atomic_uint_least64_t refused;
	struct client_snapshot *wanted;
	int listener;
	atomic_bool mptcp;
	int spare;
	int timer;
	int told;
	int epoll;
};

/* For streams and threads of it. */
static inline const struct user_settings *
user_settings_of(const struct user_stream *stream)
{
	return &stream->thread->engine->settings;
}

struct user_stream *user_engine_add_stream(struct user_engine *engine);
void user_engine_end(struct user_engine *engine, enum ktput_reason reason,
		     int error);
void user_engine_stream_sent(struct user_engine *engine);
void user_engine_stream_ended(struct user_engine *engine, int error);
int user_engine_spare(void);
void user_engine_accept(struct user_engine *engine);

#endif
