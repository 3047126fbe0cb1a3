// SPDX-License-Identifier: GPL-2.0
/* looks: what nobody tells after a run, read while it lasts. */
#include <time.h>

#include "../base/clocks.h"
#include "session.h"

static bool is_watched(const struct session_end *end)
{
	return end->present && end->backend->watch &&
	       end->run.state != KTPUT_STATE_ENDED;
}

/* The queue, in the measured time: what is sent before and after it is another one. */
static bool is_measured(const struct session *session, uint64_t now_ns)
{
	const uint64_t begin = session->origin_ns + session->warmup_ns;

	return now_ns >= begin && !draining_is(session) &&
	       (!session->time_ns || now_ns < begin + session->time_ns);
}

/* Where nothing can wait in a queueing discipline, no driver keeps packets waiting. */
static void look_at_device(struct session_end *source)
{
	if (!source->backlog.device)
		return;
	backlog_look(&source->backlog);
	driver_queue_look(&source->driver_queue);
}

static void look(struct session *session, uint64_t now_ns)
{
	struct session_end *ends[] = { &session->source, &session->sink };

	if (is_measured(session, now_ns))
		look_at_device(&session->source);
	for (size_t i = 0; i < COUNT(ends); i++)
		if (is_watched(ends[i]))
			ends[i]->backend->watch(ends[i]);
}

/**
 * looks_make() - look, if that is due
 * @session: session
 * @now_ns: CLOCK_MONOTONIC
 *
 * Return: CLOCK_MONOTONIC of the next look, UINT64_MAX for never.
 */
uint64_t looks_make(struct session *session, uint64_t now_ns)
{
	struct looks *looks = &session->looks;
	uint64_t spent_ns;

	if (!session->source.backlog.device && !is_watched(&session->source) &&
	    !is_watched(&session->sink))
		return UINT64_MAX;
	if (now_ns < looks->next_ns)
		return looks->next_ns;
	spent_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	look(session, now_ns);
	spent_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - spent_ns;
	looks->spent_ns += spent_ns;
	looks->next_ns = now_ns + (spent_ns * LOOKS_PART > LOOKS_NS ?
				   spent_ns * LOOKS_PART : LOOKS_NS);
	return looks->next_ns;
}
