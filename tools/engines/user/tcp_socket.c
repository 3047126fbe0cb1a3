// SPDX-License-Identifier: GPL-2.0
/* tcp_socket: connecting, listening and accepting. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "pingpong.h"
#include "socket.h"
#include "tcp.h"
#include "uring.h"
#include "user_engine.h"

/*
 * Connections under way at a time. A listener's backlog may be as small as
 * net.core.somaxconn, and a SYN that does not fit costs a second.
 */
#define CONNECT_WINDOW	64

/* How the turns of a ping-pong find its socket. */
static int prepare_pingpong(struct user_engine *engine,
			    struct user_stream *stream,
			    struct units_error *err)
{
	const struct user_settings *settings = &engine->settings;

	if (!settings->pingpong)
		return 0;
	user_pingpong_socket(stream->fd, settings);
	return user_pingpong_make(stream, settings, err);
}

/* Unanswered probes after which a peer has vanished; seconds that TCP takes at most. */
#define KEEPALIVE_PROBES	3
#define KEEPALIVE_MAX		32767

/*
 * Descriptors that connections leave: what is read of the host meanwhile, and the
 * record, need some.
 */
#define DESCRIPTORS_LEFT	24

/* Connections that are accepted before others have their turn. */
#define ACCEPT_WINDOW	64

static int explain(int error, bool chosen, struct units_error *err)
{
	const char *why = "remote address cannot be connected to";

	switch (error) {
	case ENETUNREACH:
	case EHOSTUNREACH:
	case ENETDOWN:
		why = "remote address: no route to it, or no neighbour answers";
		break;
	case ECONNREFUSED:
		why = "remote-port: nothing listens there";
		break;
	case ECONNRESET:
		why = "remote-port: what listens there turned the connection away; it may be full";
		break;
	case ETIMEDOUT:
		why = "remote address did not answer within connect-timeout";
		break;
	case EADDRNOTAVAIL:
		why = chosen ?
		      "local-port: a connection from there to the same address and port exists" :
		      "no local port is free for so many streams";
		break;
	case EINTR:
		why = "interrupted while connecting";
		break;
	}
	return units_refuse(err, "refused: %s", why);
}

static bool port_chosen(const struct user_engine *engine)
{
	return user_settings_number(&engine->settings,
				    KTPUT_A_CONFIG_LOCAL_PORT);
}

static void find_remote(struct user_engine *engine, struct user_stream *stream)
{
	const struct config *config = &engine->settings.config;

	stream->remote = config->remote;
	address_set_port(&stream->remote,
			 config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
}

static int connect_begin(struct user_engine *engine,
			 struct user_stream *stream, struct units_error *err)
{
	stream->take = engine->settings.method == KTPUT_METHOD_IO_URING ?
		       user_uring_source : user_tcp_source;
	stream->fd = user_socket_make_source(&engine->settings, stream->id, err);
	if (stream->fd < 0)
		return -1;
	if (user_socket_is_mptcp(stream->fd))
		atomic_store(&engine->mptcp, true);
	if (!connect(stream->fd, (struct sockaddr *)&stream->remote.storage,
		     sizeof(stream->remote.storage)) || errno == EINPROGRESS)
		return 0;
	return explain(errno, port_chosen(engine), err);
}

static int connect_wait(const struct user_engine *engine,
			struct user_stream *stream, uint64_t deadline,
			struct units_error *err)
{
	struct pollfd ready = { .fd = stream->fd, .events = POLLOUT };
	const uint64_t now = user_clock_now();
	const uint64_t left = deadline > now ? deadline - now : 0;
	const struct timespec timeout = {
		.tv_sec = left / UNITS_NSEC_PER_SEC,
		.tv_nsec = left % UNITS_NSEC_PER_SEC,
	};
	int count = ppoll(&ready, 1, &timeout, NULL);
	socklen_t size = sizeof(int);
	int error = 0;

	if (count < 0)
		return explain(errno, port_chosen(engine), err);
	if (!count)
		return explain(ETIMEDOUT, false, err);
	getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &error, &size);
	if (error)
		return explain(error, port_chosen(engine), err);
	user_socket_local(stream->fd, &stream->local);
	return 0;
}

/* Options that are refused are refused now, not when a request connects. */
static int try_options(const struct user_settings *settings,
		       struct units_error *err)
{
	const int fd = user_socket_make_source(settings, 0, err);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

/**
 * user_tcp_connect() - connect all streams of a source
 * @engine: run without streams; in its network namespace
 * @err: why that is not possible
 *
 * Waits until all are connected, the time for it is over, or a signal comes.
 */
int user_tcp_connect(struct user_engine *engine, struct units_error *err)
{
	const uint32_t streams = engine->settings.streams;
	const uint64_t deadline = user_clock_now() +
		user_settings_number(&engine->settings,
				     KTPUT_A_CONFIG_CONNECT_TIMEOUT);
	const bool reconnect = engine->settings.reconnect;
	uint32_t connected = 0;

	if (reconnect && try_options(&engine->settings, err))
		return -1;
	for (uint32_t i = 0; i < streams; i++) {
		struct user_stream *stream = user_engine_add_stream(engine);

		if (!stream)
			return units_refuse(err, "out of memory");
		find_remote(engine, stream);
		/* Requests connect, each for itself. */
		if (reconnect ? user_pingpong_make(stream, &engine->settings,
						   err) :
				connect_begin(engine, stream, err))
			return -1;
		if (reconnect)
			continue;
		if (i + 1 < streams && i + 1 - connected < CONNECT_WINDOW)
			continue;
		for (; connected <= i; connected++)
			if (connect_wait(engine, engine->streams[connected],
					 deadline, err) ||
			    prepare_pingpong(engine,
					     engine->streams[connected], err))
				return -1;
	}
	return 0;
}

/*
 * Probe a peer that is silent for half of the time, and end the connection at the last
 * of the probes that fit in the rest, also where it owes an acknowledgment.
 */
static int set_silence(struct user_engine *engine, struct units_error *err)
{
	const int fd = engine->listener;
	const uint64_t silence_s =
		user_settings_number(&engine->settings,
				     KTPUT_A_CONFIG_PEER_SILENCE) /
		UNITS_NSEC_PER_SEC;
	const int idle_s = silence_s / 2 < KEEPALIVE_MAX ? silence_s / 2 :
							   KEEPALIVE_MAX;
	const int each_s = idle_s / KEEPALIVE_PROBES;
	const int sum_ms = (idle_s + KEEPALIVE_PROBES * each_s) * 1000;

	if (!silence_s)
		return 0;
	return user_socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle_s,
			       "peer-silence", err) ||
	       user_socket_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, each_s,
			       "peer-silence", err) ||
	       user_socket_set(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES,
			       "peer-silence", err) ||
	       user_socket_set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
			       sum_ms - each_s * 1000 / 2, "peer-silence", err) ?
	       -1 : 0;
}

/**
 * user_tcp_listen() - have a sink listen
 * @engine: run; in its network namespace. Its configuration gets the port.
 * @err: why that is not possible
 */
int user_tcp_listen(struct user_engine *engine, struct units_error *err)
{
	struct config *config = &engine->settings.config;
	const int one = 1;

	engine->listener = user_socket_make_any(&engine->settings, err);
	if (engine->listener < 0)
		return -1;
	/* Connections inherit: a peer that vanishes does not stay for ever. */
	setsockopt(engine->listener, SOL_SOCKET, SO_REUSEADDR, &one,
		   sizeof(one));
	setsockopt(engine->listener, SOL_SOCKET, SO_KEEPALIVE, &one,
		   sizeof(one));
	if (set_silence(engine, err))
		return -1;
	address_set_port(&config->local,
			 config->number[KTPUT_A_CONFIG_LOCAL_PORT]);
	if (user_socket_bind(engine->listener, &config->local, err))
		return -1;
	if (listen(engine->listener, SOMAXCONN))
		return units_refuse(err,
				    "refused: local-port cannot be listened on: %s",
				    strerror(errno));
	user_socket_local(engine->listener, &config->local);
	config_set(config, KTPUT_A_CONFIG_LOCAL_PORT,
		   address_port(&config->local));
	return 0;
}

/* A stream for a connection: a new one, or one that has ended. */
static struct user_stream *stream_for(struct user_engine *engine,
				      struct user_thread **thread)
{
	struct user_stream *stream = user_engine_add_stream(engine);

	if (stream) {
		*thread = &engine->threads[engine->next_thread];
		if (++engine->next_thread == engine->thread_count)
			engine->next_thread = 0;
		return stream;
	}
	if (config_has(&engine->settings.config, KTPUT_A_CONFIG_ONCE))
		return NULL;
	for (uint32_t i = 0; i < engine->stream_count; i++) {
		stream = engine->streams[i];
		if (atomic_load(&stream->state) != KTPUT_STATE_ENDED)
			continue;
		/* It stays with its thread, where it may be ready still. */
		*thread = stream->thread;
		stream->id = engine->next_id++;
		stream->error = 0;
		stream->hung_up = false;
		stream->first_cycles = 0;
		stream->last_cycles = 0;
		stream->counters = (struct client_counters) { 0 };
		return stream;
	}
	return NULL;
}

static void turn_away(struct user_engine *engine, int fd)
{
	const struct linger reset = { .l_onoff = 1 };

	atomic_fetch_add(&engine->refused, 1);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(fd);
}

static void take_in(struct user_engine *engine, int fd,
		    const struct address *remote)
{
	struct user_thread *thread = NULL;
	struct user_stream *stream = stream_for(engine, &thread);
	struct units_error ignored;

	if (stream) {
		stream->fd = fd;
		if (user_socket_is_mptcp(fd))
			atomic_store(&engine->mptcp, true);
		stream->take = engine->settings.method == KTPUT_METHOD_IO_URING ?
			       user_uring_sink : user_tcp_sink;
		if (prepare_pingpong(engine, stream, &ignored))
			user_engine_end(engine, KTPUT_REASON_ERROR, ENOMEM);
		stream->remote = *remote;
		user_socket_local(fd, &stream->local);
		stream->thread = thread;
		atomic_store(&stream->state, KTPUT_STATE_RUNNING);
		atomic_fetch_add(&engine->accepted, 1);
		if (user_thread_attach(thread, stream))
			user_engine_end(engine, KTPUT_REASON_ERROR, errno);
		return;
	}
	turn_away(engine, fd);
}

/* Whether a descriptor is one of those that connections leave. */
static bool is_last(int fd)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) &&
	       limit.rlim_cur != RLIM_INFINITY &&
	       (rlim_t)fd + DESCRIPTORS_LEFT >= limit.rlim_cur;
}

static int accept_next(struct user_engine *engine, struct address *remote)
{
	socklen_t size = sizeof(remote->storage);
	const int fd = accept4(engine->listener,
			       (struct sockaddr *)&remote->storage, &size,
			       SOCK_NONBLOCK | SOCK_CLOEXEC);

	address_unmap(remote);
	return fd;
}

/*
 * Other threads have all descriptors, or the system has no more files: with the one
 * that is kept for it, turn the connection away, or it would be offered for ever.
 */
static bool refuse_next(struct user_engine *engine)
{
	struct address remote = { 0 };
	int fd;

	if (engine->spare < 0)
		engine->spare = user_engine_spare();
	if (engine->spare < 0)
		return false;
	close(engine->spare);
	fd = accept_next(engine, &remote);
	if (fd >= 0)
		turn_away(engine, fd);
	engine->spare = user_engine_spare();
	return fd >= 0;
}

/**
 * user_engine_accept() - accept connections of a sink
 * @engine: run; called by the thread that user_thread_listen() told
 */
void user_engine_accept(struct user_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	for (int i = 0; i < ACCEPT_WINDOW && !engine->aborting; i++) {
		struct address remote = { 0 };
		int fd = accept_next(engine, &remote);
		const int error = errno;
		bool full;

		if (fd >= 0 && is_last(fd)) {
			turn_away(engine, fd);
			continue;
		}
		if (fd >= 0) {
			take_in(engine, fd, &remote);
			user_thread_accepted(&engine->threads[0]);
			continue;
		}
		full = error == EMFILE || error == ENFILE;
		if (full && refuse_next(engine))
			continue;
		/* It listens no more, or there is not even one left for this. */
		if (error == EINVAL || (full && engine->spare < 0))
			user_engine_end(engine, KTPUT_REASON_ERROR, error);
		break;
	}
	pthread_mutex_unlock(&engine->lock);
}
