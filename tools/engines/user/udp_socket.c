// SPDX-License-Identifier: GPL-2.0
/*
 * udp_socket: connecting and binding.
 *
 * Each stream has a socket of its own: those of a source are connected to
 * consecutive ports of the remote address, those of a sink are bound to
 * consecutive local ports.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../ceilings/wire.h"
#include "pingpong.h"
#include "socket.h"
#include "udp.h"
#include "user_engine.h"

/* How often as many free ports in a row are sought. */
#define PORT_ATTEMPTS	32
#define PORT_MAX	65535

static int no_memory(struct units_error *err)
{
	return units_refuse(err, "out of memory");
}

/* Segments are no larger than frames; nor is a ping-pong of fragments. */
static int prepare_size(const struct user_engine *engine, int fd, int family,
			struct units_error *err)
{
	const struct user_settings *settings = &engine->settings;
	const bool ipv6 = family == AF_INET6;
	const uint64_t headers = WIRE_UDP_BYTES + (ipv6 ? WIRE_IPV6_BYTES :
							  WIRE_IPV4_BYTES);
	socklen_t size = sizeof(int);
	int mtu = 0;

	if (settings->segments == 1 && !settings->pingpong)
		return 0;
	if (!getsockopt(fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
			ipv6 ? IPV6_MTU : IP_MTU, &mtu, &size) && mtu &&
	    settings->message_size + headers > (uint64_t)mtu)
		return units_refuse(err,
				    "refused: %s must fit the route's MTU here, %d bytes",
				    settings->pingpong ? "a message" : "size",
				    mtu);
	return settings->pingpong ? 0 :
	       user_socket_set(fd, IPPROTO_UDP, UDP_SEGMENT,
			       settings->message_size, "segments", err);
}

/* Memory that the kernel may refer to, and when a stream may send. */
static int prepare_source(const struct user_engine *engine,
			  struct user_stream *stream, struct units_error *err)
{
	const struct user_settings *settings = &engine->settings;
	const uint32_t slots = user_zerocopy_slots(settings);

	if (settings->pingpong)
		return user_pingpong_make(stream, settings, err);
	/* With a rate, and where it has to try again later. */
	if (user_stream_make_timer(stream, err))
		return -1;
	if (settings->method != KTPUT_METHOD_ZEROCOPY)
		return 0;
	stream->buffers = calloc(slots, (size_t)settings->segments *
					settings->message_size);
	stream->busy = calloc(slots, sizeof(*stream->busy));
	return stream->buffers && stream->busy ? 0 : no_memory(err);
}

static int connect_one(struct user_engine *engine, struct user_stream *stream,
		       struct units_error *err)
{
	const struct config *config = &engine->settings.config;
	const int family = address_family(&config->remote);

	stream->take = user_udp_source;
	stream->fd = user_socket_make_source(&engine->settings, stream->id, err);
	if (stream->fd < 0)
		return -1;
	stream->remote = config->remote;
	address_set_port(&stream->remote,
			 config->number[KTPUT_A_CONFIG_REMOTE_PORT] +
			 stream->id);
	if (connect(stream->fd, (struct sockaddr *)&stream->remote.storage,
		    sizeof(stream->remote.storage)))
		return units_refuse(err, "refused: remote address: %s", errno ==
				    EACCES ? "it is a broadcast address" :
				    strerror(errno));
	user_socket_local(stream->fd, &stream->local);
	user_pingpong_socket(stream->fd, &engine->settings);
	if (prepare_size(engine, stream->fd, family, err))
		return -1;
	return prepare_source(engine, stream, err);
}

/**
 * user_udp_connect() - connect all streams of a source
 * @engine: run without streams; in its network namespace
 * @err: why that is not possible
 */
int user_udp_connect(struct user_engine *engine, struct units_error *err)
{
	for (uint32_t i = 0; i < engine->settings.streams; i++) {
		struct user_stream *stream = user_engine_add_stream(engine);

		if (!stream)
			return no_memory(err);
		if (connect_one(engine, stream, err))
			return -1;
	}
	return 0;
}

static int bind_row(struct user_engine *engine, struct units_error *err)
{
	struct user_settings *settings = &engine->settings;
	uint32_t port = user_settings_number(settings,
					     KTPUT_A_CONFIG_LOCAL_PORT);

	for (uint32_t i = 0; i < engine->stream_count; i++) {
		struct user_stream *stream = engine->streams[i];
		struct address local;

		stream->fd = user_socket_make_any(settings, err);
		if (stream->fd < 0)
			return -1;
		if (settings->segments > 1 &&
		    user_socket_set(stream->fd, IPPROTO_UDP, UDP_GRO, 1,
				    "segments", err))
			return -1;
		local = settings->config.local;
		if (port && port + i > PORT_MAX) {
			errno = EADDRINUSE;
			return -1;
		}
		address_set_port(&local, port ? port + i : 0);
		if (user_socket_bind(stream->fd, &local, err))
			return -1;
		user_pingpong_socket(stream->fd, settings);
		if (settings->pingpong && settings->any &&
		    user_socket_tell_local(stream->fd, address_family(&local),
					   err))
			return -1;
		user_socket_local(stream->fd, &stream->local);
		if (!port)
			port = address_port(&stream->local);
	}
	address_set_port(&settings->config.local, port);
	config_set(&settings->config, KTPUT_A_CONFIG_LOCAL_PORT, port);
	return 0;
}

static void release_row(struct user_engine *engine)
{
	for (uint32_t i = 0; i < engine->stream_count; i++) {
		if (engine->streams[i]->fd >= 0)
			close(engine->streams[i]->fd);
		engine->streams[i]->fd = -1;
	}
}

static int add_sink(struct user_engine *engine, struct units_error *err)
{
	const uint64_t silence =
		user_settings_number(&engine->settings,
				     KTPUT_A_CONFIG_PEER_SILENCE);
	struct user_stream *stream = user_engine_add_stream(engine);

	if (!stream)
		return no_memory(err);
	stream->expected = 1;
	if (engine->settings.pingpong)
		return user_pingpong_make(stream, &engine->settings, err);
	stream->take = user_udp_sink;
	stream->arrivals = malloc(sizeof(*stream->arrivals));
	if (!stream->arrivals)
		return no_memory(err);
	user_arrivals_init(stream->arrivals);
	if (!silence)
		return 0;
	stream->arrivals->peers = calloc(1, sizeof(*stream->arrivals->peers));
	if (!stream->arrivals->peers)
		return no_memory(err);
	stream->arrivals->peers->silence = silence;
	return 0;
}

/**
 * user_udp_bind() - bind all streams of a sink
 * @engine: run without streams; in its network namespace. Its configuration
 *	gets the first port.
 * @err: why that is not possible
 */
int user_udp_bind(struct user_engine *engine, struct units_error *err)
{
	bool chosen = user_settings_number(&engine->settings,
					   KTPUT_A_CONFIG_LOCAL_PORT);
	unsigned int attempts = chosen ? 1 : PORT_ATTEMPTS;

	for (uint32_t i = 0; i < engine->settings.streams; i++)
		if (add_sink(engine, err))
			return -1;
	for (;;) {
		if (!bind_row(engine, err))
			return 0;
		if (errno != EADDRINUSE || !--attempts)
			return -1;
		release_row(engine);
	}
}
