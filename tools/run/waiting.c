// SPDX-License-Identifier: GPL-2.0
/* waiting: warn when a source waits for its device. */
#include <inttypes.h>

#include "../host/device.h"
#include "../analysis/measure.h"
#include "session.h"
#include "waiting.h"

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

static void tell(struct session *session, bool stopped)
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
	tell(session, sent.stopped > waiting->stopped);
	waiting->told = true;
}
