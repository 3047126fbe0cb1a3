// SPDX-License-Identifier: GPL-2.0
/* run_stages: follow messages of a session through this kernel. */
#include <stdio.h>
#include <time.h>

#include "../base/clocks.h"
#include "run_stages.h"
#include "session.h"

static void add(void *data, const struct stages_stamp *stamp)
{
	stages_add(data, stamp);
}

static bool is_here(const struct session_end *end)
{
	return end->present && !end->host;
}

static enum stages_place last(const struct session *session)
{
	const struct session_end *sink = &session->sink;

	if (!is_here(sink))
		return STAGES_TRANSMITTED;
	return sink->config.number[KTPUT_A_CONFIG_LAYER] == KTPUT_LAYER_USER &&
	       session->stages.watch.copied ? STAGES_COPIED : STAGES_TAKEN;
}

static void begin(struct session *session, bool detail)
{
	struct run_stages *stages = &session->stages;
	const struct session_end *source = &session->source;
	const struct stage_watch_terms terms = {
		.cookie = source->config.number[KTPUT_A_CONFIG_COOKIE],
		.source = is_here(source),
		.sink = is_here(&session->sink),
		.source_netns = source->netns,
		.sink_netns = session->sink.netns,
		.detail = detail,
		.stamp = add,
		.data = &stages->stages,
	};

	if (stage_watch_begin(&stages->watch, &terms, &stages->because))
		return;
	if (!stages_begin(&stages->stages, terms.source ? STAGES_HANDED :
			  STAGES_RECEIVED, last(session)))
		return;
	stage_watch_free(&stages->watch);
	units_refuse(&stages->because, "out of memory");
}

/**
 * run_stages_begin() - follow messages, if the user asked for it
 * @session: session
 * @end: the end that is about to start
 * @detail: print messages of libbpf to stderr
 *
 * If it cannot be done, the result says why.
 */
void run_stages_begin(struct session *session, const struct session_end *end,
		      bool detail)
{
	struct run_stages *stages = &session->stages;

	if (!stages->asked)
		return;
	if (!stages->watch.program && !stages->because.text[0])
		begin(session, detail);
	if (end == &session->source)
		stage_watch_ports(&stages->watch,
				  end->config.number[KTPUT_A_CONFIG_REMOTE_PORT],
				  session_streams(end));
}

/**
 * run_stages_warm() - only messages from now on count
 * @stages: messages that are followed
 */
void run_stages_warm(struct run_stages *stages)
{
	stages->from_ns = clock_ns(CLOCK_REALTIME);
}

/**
 * run_stages_look() - take the stamps that there are
 * @stages: messages that are followed
 */
void run_stages_look(struct run_stages *stages)
{
	stage_watch_drain(&stages->watch);
}

/**
 * run_stages_finish() - stop following messages, and compute the result
 * @stages: messages that are followed; the call does nothing otherwise
 */
void run_stages_finish(struct run_stages *stages)
{
	struct stage_watch *watch = &stages->watch;

	if (!watch->program)
		return;
	stage_watch_stop(watch);
	stages->lost = stage_watch_lost(watch);
	stages->unread = stage_watch_unread(watch);
	snprintf(stages->missing, sizeof(stages->missing), "%s",
		 watch->missing);
	stages->known = !stages_compute(&stages->stages,
					stage_watch_every(watch),
					stages->from_ns, &stages->result);
	if (!stages->known)
		units_refuse(&stages->because, "out of memory");
	stage_watch_free(watch);
	stages_free(&stages->stages);
}

/**
 * run_stages_free() - stop following messages, and free the memory
 * @stages: messages that are followed, or zeroed
 */
void run_stages_free(struct run_stages *stages)
{
	stage_watch_free(&stages->watch);
	stages_free(&stages->stages);
}
