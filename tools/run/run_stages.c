// SPDX-License-Identifier: GPL-2.0
/* run_stages: follow messages of a session through this kernel. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../analysis/measure.h"
#include "../analysis/stages_trace.h"
#include "../base/clocks.h"
#include "run_stages.h"
#include "session.h"

/* Half of a window, and how often stamps are taken in one. */
#define HALF_NS		(200 * 1000000ULL)
#define LOOK_NS		(20 * 1000000ULL)
/* How long messages are followed after a window that have not ended, at most. */
#define LINGER_NS	UNITS_NSEC_PER_SEC

static void add(void *data, const struct stages_stamp *stamp)
{
	stages_add(data, stamp);
}

static void add_reader(void *data, const struct stages_stamp *stamp,
		       const struct stages_reader *reader)
{
	stages_add_reader(data, stamp, reader);
}

static bool is_here(const struct session_end *end)
{
	return end->present && !end->host;
}

static bool is_user(const struct session_end *end)
{
	return end->config.number[KTPUT_A_CONFIG_LAYER] == KTPUT_LAYER_USER;
}

/* The last place at the end that receives. */
static enum stages_place last_at(const struct session *session,
				 const struct session_end *end)
{
	return is_user(end) && session->stages.watch.copied ? STAGES_COPIED : STAGES_TAKEN;
}

static enum stages_place last(const struct session *session)
{
	/* The source of round trips is always here. */
	if (session->pingpong)
		return STAGES_BACK + last_at(session, &session->source);
	return is_here(&session->sink) ? last_at(session, &session->sink) :
					 STAGES_TRANSMITTED;
}

static void begin(struct session *session, bool detail)
{
	struct run_stages *stages = &session->stages;
	const struct session_end *source = &session->source;
	const struct stage_watch_terms terms = {
		.cookie = source->config.number[KTPUT_A_CONFIG_COOKIE],
		.source = is_here(source),
		.sink = is_here(&session->sink),
		.back = session->pingpong,
		.sent = is_user(source) &&
			(!session->pingpong || !is_here(&session->sink) ||
			 is_user(&session->sink)),
		/* A slot of a request, and above it how often it was used. */
		.turn = session->pingpong ? __builtin_ctz(KTPUT_MAX_OUTSTANDING) : 0,
		.source_netns = source->netns,
		.sink_netns = session->sink.netns,
		.detail = detail,
		.stamp = add,
		.reader = add_reader,
		.data = &stages->stages,
	};

	if (stage_watch_begin(&stages->watch, &terms, &stages->because))
		return;
	if (!stages_begin(&stages->stages, terms.source ? STAGES_HANDED :
			  STAGES_RECEIVED, last(session))) {
		stages->stages.away = session->pingpong && !terms.sink;
		return;
	}
	stage_watch_free(&stages->watch);
	units_refuse(&stages->because, "out of memory");
}

/**
 * run_stages_open() - open the file of the trace, if the user asked for one
 * @stages: messages that are to be followed
 * @err: why it cannot be written
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int run_stages_open(struct run_stages *stages, struct units_error *err)
{
	if (!stages->path || stages->trace)
		return 0;
	stages->trace = fopen(stages->path, "we");
	if (stages->trace)
		return 0;
	units_refuse(err, "cannot write '%s': %s", stages->path,
		     strerror(errno));
	return -1;
}

/**
 * run_stages_message() - what a message that is followed is
 * @session: its session
 *
 * Return: words.
 */
const char *run_stages_message(const struct session *session)
{
	return session->pingpong ? "round trip" : "datagram";
}

/* Without stamps it has no messages. */
static void write_trace(struct session *session)
{
	struct run_stages *stages = &session->stages;
	const int ret = stages_trace_write(&stages->stages, &stages->result,
					   run_stages_message(session),
					   stages->trace);
	const bool failed = fflush(stages->trace) || ferror(stages->trace);

	if (ret || failed)
		units_refuse(&stages->unwritten, "cannot write '%s': %s",
			     stages->path, strerror(ret ? -ret : errno));
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

/* How far the end has come whose messages count. */
static bool read_end(struct session *session, struct stages_reading *reading)
{
	struct session_end *end = session->pingpong ? &session->source :
						      session_counted(session);
	struct client_snapshot snapshot;
	struct units_error ignored;

	if (end->backend->snapshot(end, session->pingpong ? KTPUT_PART_LATENCY : 0,
				   &snapshot, &ignored))
		return false;
	reading->now_ns = snapshot.run.now_ns;
	reading->cost_ns = snapshot.latency ? snapshot.latency->sum_ns :
					      snapshot.run.now_ns;
	reading->messages = snapshot.latency ? snapshot.latency->count :
					       measure_total(&snapshot).messages;
	client_snapshot_free(&snapshot);
	return true;
}

/* A part of a turn is over. What is not read now is part of the next. */
static void end_part(struct session *session, enum stages_part part)
{
	struct stages_reading now;

	if (read_end(session, &now))
		stages_overhead_add(&session->stages.overhead, part, &now);
}

/* A run that is too short has no turns; of one that may be, more is followed at first. */
static void begin_turns(struct session *session)
{
	struct run_stages *stages = &session->stages;
	const uint64_t time_ns = session->time_ns;

	stages->next_ns = UINT64_MAX;
	if (stages->share >= 1 || (time_ns && time_ns < RUN_STAGES_WHOLE_NS) ||
	    !read_end(session, &stages->overhead.last))
		return;
	stages->phase = RUN_STAGES_FOLLOW;
	stages->next_ns = monotonic_ns() +
			  (time_ns ? HALF_NS : RUN_STAGES_WHOLE_NS);
}

static void open_window(struct run_stages *stages)
{
	stages->stages.to_ns = 0;
	stage_watch_open(&stages->watch);
	stages->stages.from_ns = clock_ns(CLOCK_REALTIME);
}

/* From now on nothing that began counts; return how long what did may take. */
static uint64_t close_window(struct run_stages *stages)
{
	stages->stages.to_ns = clock_ns(CLOCK_REALTIME);
	stage_watch_drain(&stages->watch);
	return units_smaller(stages_longest(&stages->stages), LINGER_NS / 2) * 2;
}

/* Return how long the next phase lasts. */
static uint64_t change(struct session *session)
{
	struct run_stages *stages = &session->stages;

	switch (stages->phase) {
	case RUN_STAGES_FOLLOW:
		stages->phase = RUN_STAGES_LINGER;
		return close_window(stages);
	case RUN_STAGES_LINGER:
		stage_watch_close(&stages->watch);
		end_part(session, STAGES_WITH);
		stages->phase = RUN_STAGES_DETACH;
		return 0;
	case RUN_STAGES_DETACH:
		if (!stage_watch_detach(&stages->watch))
			return 0;
		end_part(session, STAGES_CHANGING);
		stages->phase = RUN_STAGES_PAUSE;
		return 2 * HALF_NS;
	case RUN_STAGES_PAUSE:
		end_part(session, STAGES_WITHOUT);
		if (stages_overhead_pause(&stages->overhead, stages->share) > 0)
			return HALF_NS;
		stages->phase = RUN_STAGES_ATTACH;
		return 0;
	case RUN_STAGES_ATTACH:
		if (!stage_watch_attach(&stages->watch))
			return 0;
		end_part(session, STAGES_CHANGING);
		open_window(stages);
		stages->phase = RUN_STAGES_AGAIN;
		return HALF_NS;
	default:
		end_part(session, STAGES_WITH);
		stages_overhead_turn(&stages->overhead);
		stages->phase = RUN_STAGES_FOLLOW;
		return HALF_NS;
	}
}

static bool is_measured(const struct session *session)
{
	return session->stages.watch.program && session->warmed_up &&
	       session_leading(session)->run.state == KTPUT_STATE_RUNNING;
}

/**
 * run_stages_look() - take the stamps that there are, and attach or detach programs
 * @session: session
 *
 * Return: CLOCK_MONOTONIC of the next look, UINT64_MAX for any time.
 */
uint64_t run_stages_look(struct session *session)
{
	struct run_stages *stages = &session->stages;

	stage_watch_drain(&stages->watch);
	if (!is_measured(session))
		return UINT64_MAX;
	if (!stages->next_ns)
		begin_turns(session);
	if (stages->phase == RUN_STAGES_WHOLE)
		return UINT64_MAX;
	if (monotonic_ns() >= stages->next_ns) {
		const uint64_t lasts_ns = change(session);

		stages->next_ns = monotonic_ns() + lasts_ns;
	}
	return units_smaller(stages->next_ns, monotonic_ns() + LOOK_NS);
}

static void finish(struct run_stages *stages)
{
	const struct stages_overhead *overhead = &stages->overhead;
	struct stage_watch *watch = &stages->watch;

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
	statistics_differences(overhead->attached, overhead->turns,
			       &stages->attached);
	statistics_differences(overhead->whole, overhead->turns, &stages->whole);
	stage_watch_free(watch);
}

/**
 * run_stages_finish() - stop following messages, and compute the result
 * @session: session whose messages are followed; the call does nothing otherwise
 */
void run_stages_finish(struct session *session)
{
	struct run_stages *stages = &session->stages;

	if (stages->watch.program)
		finish(stages);
	if (stages->trace)
		write_trace(session);
	stages_free(&stages->stages);
}

/**
 * run_stages_written() - whether the trace was written
 * @stages: messages that were followed
 * @err: why it was not
 *
 * Return: 0, also if nobody asked for it, or -1 with a sentence in @err.
 */
int run_stages_written(const struct run_stages *stages,
		       struct units_error *err)
{
	if (!stages->unwritten.text[0])
		return 0;
	*err = stages->unwritten;
	return -1;
}

/**
 * run_stages_free() - stop following messages, and free the memory
 * @stages: messages that are followed, or zeroed
 */
void run_stages_free(struct run_stages *stages)
{
	stage_watch_free(&stages->watch);
	stages_free(&stages->stages);
	if (stages->trace)
		fclose(stages->trace);
	stages->trace = NULL;
}
