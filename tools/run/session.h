/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session: start, follow and end the runs of this program.
 *
 * A session has a source, a sink, or both. It takes snapshots when they begin,
 * when the warm-up is over, at each interval and after the end. Its view prints a
 * line for each interval. When the session is interrupted, it ends the runs in
 * order. The report is computed from the snapshots that the session keeps.
 */
#ifndef KTPUT_CTL_SESSION_H
#define KTPUT_CTL_SESSION_H

#include "../analysis/series.h"
#include "../base/command.h"
#include "../base/output.h"
#include "../engines/end.h"
#include "../engines/engine.h"
#include "../host/drops.h"
#include "draining.h"
#include "looks.h"
#include "reference.h"
#include "run_stages.h"

struct session;

/**
 * struct session_view - prints a session while it runs
 * @begin: called before the first interval
 * @interval: called after the snapshots at the end of an interval. The arguments
 *	are the earlier snapshots: of the end whose payload counts, and of the
 *	source, which is not valid without a source
 * @end: called after the last interval
 * @ended: called after the runs have ended without an error, to read the counters
 *	of the host
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
 * @out: the output for results
 * @view: prints its intervals, from session_watch() on
 * @context: the command's context
 * @detail: print the raw counters of each stream too
 * @udp: the payload is carried in datagrams
 * @pingpong: the source sends requests, the sink responses
 * @engine: external program that runs both ends, or NULL. It reports its counters
 *	when it has ended, and of TCP only what the kernel reported to it
 * @until_eof: the session ends at the end of standard input, not yet seen
 * @meeting: socket to the process that starts its source at the same time, or 0
 * @read: the output still has a reader, as far as is known
 * @quiet: print no line for each interval
 * @warmup_ns: warm-up, excluded from the result
 * @interval_ns: time between two lines
 * @time_ns: duration of the run after the warm-up, 0 if unknown
 * @drain_ns: time that a sink may take after its source has ended
 * @source: the end that sends
 * @sink: the end that receives
 * @receiver_unknown: the receiving socket is outside this session, and may not
 *	exist
 * @nothing_between: no device or network without counters lies between the ends
 * @warmed_up: the warm-up is over
 * @interrupted: the user ended the session
 * @waiting: how long the source has made no progress
 * @lost: datagrams that were printed as lost so far
 * @draining: how far the source has drained
 * @looks: looks at what nobody tells after the end
 * @acknowledged_ns: CLOCK_MONOTONIC when payload of a source that drains was last
 *	seen to be acknowledged, 0 if it was not
 * @origin_ns: CLOCK_MONOTONIC when the run that is timed began
 * @disturbed_above: share of a CPU that other work may use
 * @watches_drops: the user asked for the reasons of drops
 * @drops: what this kernel dropped of the runs' datagrams
 * @stages: where the time of messages passed
 * @reference: activity outside the runs, on this host
 * @far_reference: likewise, on the other host of a session on two
 * @series: the intervals, for their statistics
 * @goodput_bps: the result, 0 before it is known
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
	int meeting;
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
	uint64_t lost;
	struct draining draining;
	struct looks looks;
	uint64_t acknowledged_ns;
	uint64_t origin_ns;
	double disturbed_above;
	bool watches_drops;
	struct drops drops;
	struct run_stages stages;
	struct reference reference;
	struct reference far_reference;
	struct series series;
	double goodput_bps;
};

bool session_two_hosts(const struct session *session);
const struct reference *session_reference(const struct session *session,
					  const struct session_end *end);
int session_open(struct session *session, struct units_error *err);
uint32_t session_streams(const struct session_end *end);
int session_start(struct session *session, struct session_end *end,
		  struct units_error *err);
int session_begin(struct session *session, struct units_error *err);
int session_await_receiver(struct session *session, struct units_error *err);
int session_watch(struct session *session, const struct session_view *view,
		  struct units_error *err);
void session_close(struct session *session, bool delete_runs);

#endif
