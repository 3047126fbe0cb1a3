// SPDX-License-Identifier: GPL-2.0
/* tcp_socket: connecting, listening and accepting. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "user_engine.h"
#include "pingpong.h"
#include "socket.h"
#include "tcp.h"
#include "uring.h"

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

/* Connections that are accepted before others have their turn. */
#define ACCEPT_WINDOW	64

static int explain(int error, struct units_error *err)
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
	case ETIMEDOUT:
		why = "remote address did not answer within connect-timeout";
		break;
	case EADDRNOTAVAIL:
		why = "no local port is free for so many streams";
		break;
	case EINTR:
		why = "interrupted while connecting";
		break;
	}
	units_refuse(err, "refused: %s", why);
	return -1;
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
	if (!connect(stream->fd, (struct sockaddr *)&stream->remote.storage,
		     sizeof(stream->remote.storage)) || errno == EINPROGRESS)
		return 0;
	return explain(errno, err);
}

static int connect_wait(struct user_stream *stream, uint64_t deadline,
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
		return explain(errno, err);
	if (!count)
		return explain(ETIMEDOUT, err);
	getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &error, &size);
	if (error)
		return explain(error, err);
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
 *
 * Return: 0, or -1 with a sentence in @err.
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

		if (!stream) {
			units_refuse(err, "out of memory");
			return -1;
		}
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
			if (connect_wait(engine->streams[connected], deadline,
					 err) ||
			    prepare_pingpong(engine,
					     engine->streams[connected], err))
				return -1;
	}
	return 0;
}

/**
 * user_tcp_listen() - have a sink listen
 * @engine: run; in its network namespace. Its configuration gets the port.
 * @err: why that is not possible
 *
 * Return: 0, or -1 with a sentence in @err.
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
	address_set_port(&config->local,
			 config->number[KTPUT_A_CONFIG_LOCAL_PORT]);
	if (user_socket_bind(engine->listener, &config->local, err))
		return -1;
	if (listen(engine->listener, SOMAXCONN)) {
		units_refuse(err, "refused: local-port cannot be listened on: %s",
			     strerror(errno));
		return -1;
	}
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

static void take_in(struct user_engine *engine, int fd,
		    const struct address *remote)
{
	struct user_thread *thread = NULL;
	struct user_stream *stream = stream_for(engine, &thread);
	const struct linger reset = { .l_onoff = 1 };
	struct units_error ignored;

	if (stream) {
		stream->fd = fd;
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
	atomic_fetch_add(&engine->refused, 1);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(fd);
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
		socklen_t size = sizeof(remote.storage);
		int fd = accept4(engine->listener,
				 (struct sockaddr *)&remote.storage, &size,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		address_unmap(&remote);
		if (fd >= 0) {
			take_in(engine, fd, &remote);
			user_thread_accepted(&engine->threads[0]);
			continue;
		}
		/* It listens no more, or there are no descriptors left. */
		if (errno == EINVAL || errno == EMFILE || errno == ENFILE)
			user_engine_end(engine, KTPUT_REASON_ERROR, errno);
		break;
	}
	pthread_mutex_unlock(&engine->lock);
}
