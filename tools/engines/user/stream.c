// SPDX-License-Identifier: GPL-2.0
/* stream: one flow of a run in user space. */
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "pingpong.h"
#include "user_engine.h"
#include "stream.h"

/* Larger than struct tcp_info of the kernels to come. */
#define TCP_INFO_ROOM	512

/* What setting a timer and waking up takes, at least: rather wait awake. */
#define WAKE_UP_NS	20000

/**
 * user_stream_make_timer() - give a stream what wakes it
 * @stream: stream without a thread
 * @err: why there is none
 */
int user_stream_make_timer(struct user_stream *stream, struct units_error *err)
{
	stream->timer = timerfd_create(CLOCK_MONOTONIC,
				       TFD_CLOEXEC | TFD_NONBLOCK);
	if (stream->timer >= 0)
		return 0;
	return units_refuse(err, "timer: %s", strerror(errno));
}

/**
 * user_stream_wake() - have a stream be ready as soon as it has a thread
 * @stream: stream with a timer
 *
 * Return: 0, or -1 with errno.
 */
int user_stream_wake(struct user_stream *stream)
{
	const struct itimerspec past = { .it_value.tv_nsec = 1 };

	return timerfd_settime(stream->timer, TFD_TIMER_ABSTIME, &past, NULL);
}

/**
 * user_stream_wait_until() - have a stream be ready at a time, or before
 * @stream: stream with a timer
 * @at: CLOCK_MONOTONIC in nanoseconds
 *
 * The timer is left alone where it comes before: then the stream asks again.
 *
 * Return: how the turn is to end.
 */
enum user_verdict user_stream_wait_until(struct user_stream *stream,
					 uint64_t at)
{
	const struct itimerspec until = {
		.it_value.tv_sec = at / UNITS_NSEC_PER_SEC,
		.it_value.tv_nsec = at % UNITS_NSEC_PER_SEC,
	};
	const uint64_t now = user_clock_now();

	if ((int64_t)(at - now) < WAKE_UP_NS)
		return USER_AGAIN;
	if (stream->wakes_ns > now && stream->wakes_ns <= at)
		return USER_WAIT;
	stream->wakes_ns = at;
	timerfd_settime(stream->timer, TFD_TIMER_ABSTIME, &until, NULL);
	return USER_WAIT;
}

/* Its share of what the run may send. */
static uint64_t share(uint64_t all, const struct user_settings *settings,
		      uint32_t slot)
{
	if (!all)
		return UINT64_MAX;
	return all / settings->streams + (slot < all % settings->streams);
}

/**
 * user_stream_share() - give a stream of a source its share
 * @stream: stream
 * @slot: place among those of the run
 *
 * Datagrams are sent whole: the one that reaches the bytes is the last.
 */
void user_stream_share(struct user_stream *stream, uint32_t slot)
{
	const struct user_settings *settings =
		&stream->thread->engine->settings;

	stream->bytes_left = share(settings->end_bytes, settings, slot);
	stream->messages_left = share(settings->end_messages, settings, slot);
	if (!settings->udp && !settings->pingpong)
		return;
	if (settings->end_bytes)
		stream->messages_left = (stream->bytes_left +
					 settings->message_size - 1) /
					settings->message_size;
	user_pace_begin(&stream->pace, settings, slot);
}

/**
 * user_stream_sent() - a stream moves no more payload
 * @stream: stream that is running; called by its thread
 *
 * A turn ends the stream when it has drained.
 */
void user_stream_sent(struct user_stream *stream)
{
	const struct user_settings *settings =
		&stream->thread->engine->settings;

	/* Of ping-pong a source waits for what is under way. */
	if (settings->source && !settings->udp && !settings->pingpong)
		shutdown(stream->fd, SHUT_WR);
	stream->thread->draining++;
	atomic_store(&stream->state, KTPUT_STATE_DRAINING);
	/* It may have drained before there was anybody to tell. */
	user_thread_ready(stream->thread, stream);
}

static void look_tcp(const struct user_stream *stream, struct tcpinfo *tcp)
{
	uint8_t raw[TCP_INFO_ROOM];
	socklen_t size = sizeof(raw);

	/* Of MPTCP it would be that of a subflow. */
	if (!stream->thread->engine->mptcp &&
	    !getsockopt(stream->fd, IPPROTO_TCP, TCP_INFO, raw, &size))
		tcpinfo_parse(tcp, raw, size);
}

static uint64_t look_drops(const struct user_stream *stream)
{
	uint32_t meminfo[SK_MEMINFO_VARS] = { 0 };
	socklen_t size = sizeof(meminfo);

	if (getsockopt(stream->fd, SOL_SOCKET, SO_MEMINFO, meminfo, &size))
		return stream->drops;
	return meminfo[SK_MEMINFO_DROPS];
}

/**
 * user_stream_end() - a stream has ended
 * @stream: stream that has not ended; called by its thread
 * @error: errno, positive, or 0
 *
 * Return: how the turn is to end.
 */
enum user_verdict user_stream_end(struct user_stream *stream, int error)
{
	struct user_engine *engine = stream->thread->engine;

	if (engine->settings.udp)
		stream->drops = look_drops(stream);
	else
		look_tcp(stream, &stream->tcp);
	if (user_pingpong_measures(&engine->settings))
		user_pingpong_abandon(stream);
	if (stream->timer >= 0)
		close(stream->timer);
	stream->timer = -1;
	close(stream->fd);
	stream->fd = -1;
	stream->error = error;
	if (stream->state == KTPUT_STATE_DRAINING)
		stream->thread->draining--;
	atomic_fetch_sub(&stream->thread->open, 1);
	atomic_store(&stream->state, KTPUT_STATE_ENDED);
	user_engine_stream_ended(engine, error);
	return USER_ENDED;
}

/**
 * user_stream_show() - a stream in a snapshot
 * @stream: stream; called by its thread, between turns
 * @to: filled in
 */
void user_stream_show(const struct user_stream *stream,
		      struct client_stream *to)
{
	const bool udp = stream->thread->engine->settings.udp;

	*to = (struct client_stream) {
		.id = stream->id,
		.cpu = stream->thread->cpu,
		.state = stream->state,
		.error = stream->error,
		.local = stream->local,
		.remote = stream->remote,
		.first_cycles = stream->first_cycles,
		.last_cycles = stream->last_cycles,
		.copied = stream->copied,
		.counters = stream->counters,
		.tcp = stream->tcp,
	};
	if (!udp) {
		if (stream->fd >= 0)
			look_tcp(stream, &to->tcp);
		return;
	}
	if (stream->arrivals)
		to->datagrams = user_arrivals_show(stream->arrivals);
	to->datagrams.present = true;
	to->datagrams.refusals = stream->refusals;
	to->datagrams.failures = stream->failures;
	to->datagrams.failure = stream->failure;
	to->datagrams.drops = stream->fd >= 0 ? look_drops(stream) :
						stream->drops;
}

/**
 * user_stream_show_peers() - who has sent to a stream
 * @stream: stream; called by its thread, between turns
 * @to: snapshot that they are added to
 */
void user_stream_show_peers(const struct user_stream *stream,
			    struct client_snapshot *to)
{
	const struct ktput_peers *peers = stream->arrivals ?
					  stream->arrivals->peers : NULL;

	for (uint32_t i = 0; peers && i < KTPUT_MAX_PEERS; i++) {
		const struct ktput_peer *peer = &peers->peer[i];
		struct client_peer shown = {
			.id = peer->id,
			.stream = stream->id,
			.first_ns = peer->first,
			.last_ns = peer->last,
			.bytes = peer->bytes,
			.datagrams = peer->datagrams,
			.lost = ktput_peer_lost(peer),
		};

		if (!peer->datagrams)
			continue;
		shown.remote.storage.ss_family = AF_INET6;
		memcpy(&shown.remote.ipv6.sin6_addr, peer->address,
		       sizeof(peer->address));
		address_unmap(&shown.remote);
		address_set_port(&shown.remote, peer->port);
		/* Without memory it is in the next snapshot. */
		(void)client_snapshot_add_peer(to, &shown);
	}
}

/**
 * user_stream_free() - free a stream
 * @stream: stream that no thread has any more, ended or not begun
 */
void user_stream_free(struct user_stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	if (stream->timer >= 0)
		close(stream->timer);
	if (stream->arrivals)
		free(stream->arrivals->peers);
	free(stream->arrivals);
	free(stream->buffers);
	free(stream->busy);
	free(stream->pingpong);
	free(stream);
}
