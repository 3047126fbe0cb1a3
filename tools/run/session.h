/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session: runs of this program while they last.
 *
 * A session has a source, a sink, or both. It takes snapshots when they begin,
 * when the warm-up is over, at each interval and after the end; has its view print
 * a line for each interval; and ends the runs in order when it is interrupted. The
 * report is made from what the session keeps.
 */
#ifndef KTPUT_CTL_SESSION_H
#define KTPUT_CTL_SESSION_H

#include "../analysis/series.h"
#include "../base/command.h"
#include "../base/output.h"
#include "../engines/end.h"
#include "../engines/engine.h"
#include "reference.h"
#include "waiting.h"

struct session;

/**
 * struct session_view - what is printed of a session while it lasts
 * @begin: before the first interval
 * @interval: there are snapshots behind an interval; the earlier ones are given,
 *	that of the end whose payload counts and that of the source, which has no
 *	meaning without a source
 * @end: after the last interval
 * @ended: the runs have ended without an error: read what the host has counted
 */
struct session_view {
	void (*begin)(const struct session *session);
	void (*interval)(struct session *session,
			 const struct client_snapshot *counted_before,
			 const struct client_snapshot *source_before);
	void (*end)(const struct session *session);
	void (*ended)(struct session *session);
};

/**
 * struct session - one or two ends
 * @out: where results go
 * @view: prints its intervals, from session_watch() on
 * @context: what the command was called with
 * @detail: raw counters of each stream too
 * @udp: its payload travels in datagrams
 * @pingpong: its source sends requests, its sink responses
 * @engine: both ends are another program, which says what it has counted when it
 *	has ended, and nothing of TCP but what the kernel told it; or NULL
 * @until_eof: it ends when standard input does, and has not done so yet
 * @read: as far as is known, somebody reads what is printed
 * @quiet: no line for each interval
 * @warmup_ns: left out of the result
 * @interval_ns: between two lines
 * @time_ns: how long the run is to last after the warm-up, 0 where not known
 * @drain_ns: how long a sink may take after its source has ended
 * @source: the end that sends
 * @sink: the end that receives
 * @receiver_unknown: its datagrams are received by a socket that is not of this
 *	session, if there is one
 * @nothing_between: there is neither a device nor a network between the ends
 *	that is not counted
 * @warmed_up: the warm-up is over
 * @interrupted: the user ended it
 * @waiting: how long the source has come no further
 * @origin_ns: CLOCK_MONOTONIC when the run that is timed began
 * @disturbed_above: share of a CPU that others may have
 * @reference: what there is beside the runs
 * @series: the intervals, for their statistics
 * @goodput_bps: the result, 0 before there is one
 */
struct session {
	struct output *out;
	const struct session_view *view;
	const struct command_context *context;
	bool detail;
	bool udp;
	bool pingpong;
	const struct engine *engine;
	bool until_eof;
	bool read;
	bool quiet;
	uint64_t warmup_ns;
	uint64_t interval_ns;
	uint64_t time_ns;
	uint64_t drain_ns;
	struct session_end source;
	struct session_end sink;
	bool receiver_unknown;
	bool nothing_between;
	bool warmed_up;
	bool interrupted;
	struct waiting waiting;
	uint64_t origin_ns;
	double disturbed_above;
	struct reference reference;
	struct series series;
	double goodput_bps;
};

int session_open(struct session *session, struct units_error *err);
int session_start(struct session *session, struct session_end *end,
		  struct units_error *err);
int session_begin(struct session *session, struct units_error *err);
int session_await_receiver(struct session *session, struct units_error *err);
int session_watch(struct session *session, const struct session_view *view,
		  struct units_error *err);
void session_close(struct session *session, bool delete_runs);

#endif
