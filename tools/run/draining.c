// SPDX-License-Identifier: GPL-2.0
/*
 * draining: follow a source of TCP that has sent all and waits for its peer.
 *
 * TCP tells how much of its payload is acknowledged, but not since when. Snapshots of a
 * source that drains tell it, as far as it is not acknowledged at last.
 */
#include <errno.h>
#include <inttypes.h>

#include "../analysis/measure.h"
#include "../base/clocks.h"
#include "../host/device.h"
#include "session.h"

/* A source normally drains within less than this. */
#define PATIENCE_NS	UNITS_NSEC_PER_SEC
/* Of times that are printed. */
#define ROUND_NS	(UNITS_NSEC_PER_SEC / 10)
#define DEVICE_LOOK_NS	(UNITS_NSEC_PER_SEC / 4)

/**
 * draining_is() - whether the source of a session drains
 * @session: session
 *
 * Return: true for a TCP source that is draining.
 */
bool draining_is(const struct session *session)
{
	return session->source.present && !session->udp && !session->engine &&
	       !session->pingpong && !session->source.run.mptcp &&
	       session->source.run.state == KTPUT_STATE_DRAINING;
}

/* All packets of the end passed this device, which no longer exists. */
static bool device_gone(const struct session_end *end)
{
	struct units_error ignored;
	struct device device;

	return end->present && !end->host && end->device &&
	       end->device_certain && end->device_begin.known &&
	       device_find(end->netns, end->device, &device, &ignored) == -ENODEV;
}

/* The first time after PATIENCE_NS, then after twice as long each time. */
static void tell(struct session *session, uint64_t left, uint64_t taken,
		 uint64_t now)
{
	struct draining *draining = &session->draining;
	const uint64_t since = session->source.run.ended_ns;
	const uint64_t end = since + session->drain_ns;
	uint64_t rest;

	if (!draining->tell_ns)
		draining->tell_ns = since + PATIENCE_NS;
	if (now < draining->tell_ns || session->source.host)
		return;
	draining->tell_ns = now + (now - since);
	rest = end > now ? (end - now + ROUND_NS / 2) / ROUND_NS * ROUND_NS : 0;
	output_warning(session->out, "sending is over; %s of the %s that the sockets took are not acknowledged yet, waiting for at most %s more (drain-timeout)",
		       units_show_bytes(left).text, units_show_bytes(taken).text,
		       units_show_time(rest).text);
}

/**
 * draining_check_device() - end a run whose device was removed
 * @session: session whose ends are started
 * @err: why that is not possible
 *
 * Without its device nothing can leave, nor come back. A source that drains waits no
 * longer.
 */
int draining_check_device(struct session *session, struct units_error *err)
{
	struct draining *draining = &session->draining;
	struct session_end *source = &session->source;
	struct session_end *lead = source->present ? source : &session->sink;
	const bool drains = lead->run.state == KTPUT_STATE_DRAINING;
	const struct session_end *gone;

	if (draining->given_up || session->engine || session->pingpong)
		return 0;
	gone = device_gone(source) ? source :
	       device_gone(&session->sink) ? &session->sink : NULL;
	if (!gone)
		return 0;
	if (!draining->device_gone)
		output_warning(session->out, "%s was removed: the run ends",
			       gone->device_name);
	draining->device_gone = true;
	draining->given_up = drains;
	return lead->backend->stop(lead, err);
}

/**
 * draining_look() - look at a source that may be draining
 * @session: session whose ends are started
 * @err: why that is not possible
 */
int draining_look(struct session *session, struct units_error *err)
{
	struct draining *draining = &session->draining;
	struct session_end *source = &session->source;
	const uint64_t now = monotonic_ns();
	struct client_snapshot snapshot;
	uint64_t acknowledged, taken;

	if (!draining_is(session) ||
	    now < draining->looked_ns + DRAINING_LOOK_NS)
		return 0;
	/* A failure is left for the next snapshot that has to be taken. */
	if (source->backend->snapshot(source, KTPUT_PART_STREAMS, &snapshot, err))
		return 0;
	taken = measure_streams_total(&snapshot).bytes;
	acknowledged = measure_acknowledged_total(&snapshot);
	if (draining->looked_ns && acknowledged > draining->acknowledged)
		session->acknowledged_ns = snapshot.run.now_ns;
	client_snapshot_free(&snapshot);
	draining->looked_ns = now;
	draining->acknowledged = acknowledged;
	tell(session, taken - acknowledged, taken, now);
	if (now < draining->device_ns)
		return 0;
	draining->device_ns = now + DEVICE_LOOK_NS;
	return draining_check_device(session, err);
}

/* Stopped queues and frames in flight normally last less than this. */
#define PATIENCE_NS	UNITS_NSEC_PER_SEC

/* Frames that the device has not returned, from a fresh snapshot. */
static uint64_t unreturned(struct session_end *source)
{
	struct client_snapshot snapshot;
	struct units_error ignored;
	uint64_t frames = 0;

	if (source->backend->snapshot(source, KTPUT_PART_STREAMS, &snapshot,
				      &ignored))
		return 0;
	for (size_t i = 0; i < snapshot.stream_count; i++)
		frames += snapshot.streams[i].unreturned;
	client_snapshot_free(&snapshot);
	return frames;
}

static void tell_of_wait(struct session *session, bool stopped)
{
	struct session_end *source = &session->source;
	struct output *out = session->out;
	struct units_error ignored;
	struct device device;
	const char *name;

	name = device_find(source->netns, source->device, &device, &ignored) ?
	       "the device" : device.name;
	if (source->run.state == KTPUT_STATE_DRAINING)
		output_warning(out, "all is sent; waiting for %" PRIu64
			       " frames that %s still holds, at most %s in all",
			       unreturned(source), name,
			       units_show_time(session->drain_ns).text);
	else if (stopped)
		output_warning(out, "waiting for %s: its queue is stopped, or it has no carrier; Ctrl-C ends the run",
			       name);
	else
		output_warning(out, "waiting for %s: it holds all frames that a source may have under way; Ctrl-C ends the run",
			       name);
}

/**
 * waiting_look() - warn once if a source makes no progress
 * @session: session whose source is started, or that has none
 * @now_ns: CLOCK_MONOTONIC
 *
 * This applies only to sources below the socket: a device may never return their
 * frames.
 */
void waiting_look(struct session *session, uint64_t now_ns)
{
	const struct session_end *source = &session->source;
	struct waiting *waiting = &session->waiting;
	struct client_counters sent;
	bool draining;

	if (waiting->told || !source->present || session->pingpong ||
	    config_sockets(&source->config))
		return;
	sent = measure_total(&source->last);
	draining = source->run.state == KTPUT_STATE_DRAINING;
	if (!waiting->since_ns || waiting->messages != sent.messages ||
	    waiting->draining != draining) {
		*waiting = (struct waiting) {
			.since_ns = now_ns, .messages = sent.messages,
			.would_blocks = sent.would_blocks,
			.stopped = sent.stopped, .draining = draining,
		};
		return;
	}
	if (now_ns - waiting->since_ns < PATIENCE_NS ||
	    source->run.state == KTPUT_STATE_ENDED ||
	    (!draining && sent.would_blocks == waiting->would_blocks &&
	     sent.stopped == waiting->stopped))
		return;
	tell_of_wait(session, sent.stopped > waiting->stopped);
	waiting->told = true;
}
