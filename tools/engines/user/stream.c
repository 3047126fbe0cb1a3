// SPDX-License-Identifier: GPL-2.0
/* stream: one flow of a run in user space. */
#include <endian.h>
#include <errno.h>
#include <linux/ktput_datagram.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "pingpong.h"
#include "stream.h"
#include "user_engine.h"

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

/*
 * How far behind a stream may be and still make up for it, back to back: the
 * module's bound, longer than a tick of the scheduler. What is older is forgone.
 */
#define CATCH_UP_NS	(5 * 1000000ULL)

static uint64_t units(const struct user_pace *pace, uint64_t packets,
		      uint64_t bytes)
{
	return pace->per_byte ? bytes : packets;
}

/**
 * user_pace_begin() - have pacing begin now
 * @pace: zeroed
 * @settings: with a rate, or without
 * @slot: place of the stream among those of the run, which begin evenly spread
 *	over the time of a packet
 */
void user_pace_begin(struct user_pace *pace,
		     const struct user_settings *settings, uint32_t slot)
{
	uint64_t rate = settings->packet_rate ? settings->packet_rate :
						settings->pacing_rate;
	unsigned __int128 period;

	if (!rate)
		return;
	pace->per_byte = !settings->packet_rate;
	pace->gap = (UNITS_NSEC_PER_SEC << 32) / rate;
	period = (unsigned __int128)pace->gap *
		 units(pace, 1, settings->message_size);
	pace->next = user_clock_now() +
		     (uint64_t)((period >> 32) * slot / settings->streams);
}

/**
 * user_pace_packets() - how many packets of one size may be sent now
 * @pace: pacing
 * @now: CLOCK_MONOTONIC in nanoseconds, not read without pacing
 * @bytes: of each packet
 * @max: packets that the caller would send
 *
 * Return: packets, up to @max; 0 means to wait until @pace's next.
 */
uint64_t user_pace_packets(struct user_pace *pace, uint64_t now,
			   uint32_t bytes, uint64_t max)
{
	unsigned __int128 lag, cost;

	if (!pace->gap)
		return max;
	if (now < pace->next)
		return 0;
	if (now - pace->next > CATCH_UP_NS)
		pace->next = now - CATCH_UP_NS;
	lag = (unsigned __int128)(now - pace->next) << 32;
	cost = (unsigned __int128)pace->gap * units(pace, 1, bytes);
	/* One is due; the others are those that were due before now. */
	return lag / cost < max ? 1 + (uint64_t)(lag / cost) : max;
}

/**
 * user_pace_sent() - tell what was sent
 * @pace: pacing
 * @packets: number of packets
 * @bytes: of all of them
 */
void user_pace_sent(struct user_pace *pace, uint64_t packets, uint64_t bytes)
{
	unsigned __int128 time;

	if (!pace->gap)
		return;
	time = (unsigned __int128)pace->gap * units(pace, packets, bytes) +
	       pace->fraction;
	pace->next += (uint64_t)(time >> 32);
	pace->fraction = (uint32_t)time;
}

/**
 * user_datagram_fill() - write the header of a datagram
 * @payload: payload, of any alignment
 * @cookie: of the run
 * @sequence: number in the stream
 * @now: CLOCK_REALTIME in nanoseconds
 */
void user_datagram_fill(void *payload, uint32_t cookie, uint32_t sequence,
			uint64_t now)
{
	const struct ktput_datagram header = {
		.cookie = htobe32(cookie),
		.sequence = htobe32(sequence),
		.time = htobe64(now),
	};

	memcpy(payload, &header, sizeof(header));
}

/**
 * user_arrivals_init() - nothing has arrived
 * @arrivals: filled in
 */
void user_arrivals_init(struct user_arrivals *arrivals)
{
	*arrivals = (struct user_arrivals) { 0 };
	ktput_rx_stats_init(&arrivals->stats);
}

/**
 * user_arrivals_add() - account a datagram that has arrived
 * @arrivals: of its stream
 * @payload: its payload, of which the header is read
 * @length: bytes of its payload
 * @cookie: of the run
 * @now: CLOCK_REALTIME in nanoseconds
 * @from: its sender, and CLOCK_MONOTONIC, where the peers are told apart
 *
 * Return: false where it is not of the run.
 */
bool user_arrivals_add(struct user_arrivals *arrivals, const void *payload,
		       size_t length, uint32_t cookie, uint64_t now,
		       struct ktput_peer *from)
{
	struct ktput_datagram header;

	if (length < sizeof(header)) {
		arrivals->stats.foreign++;
		return false;
	}
	memcpy(&header, payload, sizeof(header));
	if (be32toh(header.cookie) != cookie) {
		arrivals->stats.foreign++;
		return false;
	}
	ktput_rx_stats_add(&arrivals->stats, be32toh(header.sequence),
			   now - be64toh(header.time));
	if (arrivals->peers) {
		from->next = be32toh(header.sequence);
		from->bytes = length;
		ktput_peers_add(arrivals->peers, from);
	}
	return true;
}

/**
 * user_arrivals_show() - what has arrived until now
 * @arrivals: arrivals
 *
 * Return: the counts.
 */
struct client_datagrams
user_arrivals_show(const struct user_arrivals *arrivals)
{
	const struct ktput_rx_stats *stats = &arrivals->stats;
	struct client_datagrams counts = {
		.present = true,
		.received = stats->received,
		.lost = stats->lost,
		.reordered = stats->reordered,
		.duplicates = stats->duplicates,
		.late = stats->late,
		.foreign = stats->foreign,
		.jitter_ns = stats->jitter >> 4,
		.delay_known = stats->received > 0,
	};

	if (counts.delay_known) {
		counts.delay_min_ns = stats->delay_min;
		counts.delay_max_ns = stats->delay_max;
		counts.delay_sum_ns = stats->delay_sum;
	}
	return counts;
}
