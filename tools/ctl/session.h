/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session: runs of this program while they last.
 *
 * A session has a source, a sink, or both. It takes snapshots when they begin,
 * when the warm-up is over, at each interval and after the end; prints a line
 * for each interval; and ends the runs in order when it is interrupted. What
 * is kept of it is what the report is made from.
 */
#ifndef KTPUT_CTL_SESSION_H
#define KTPUT_CTL_SESSION_H

#include "../lib/client.h"
#include "../lib/device_counters.h"
#include "../lib/output.h"
#include "../user/engine.h"
#include "backend.h"
#include "engine.h"
#include "../lib/series.h"
#include "../lib/command.h"
#include "../lib/tcp_memory.h"
#include "waiting.h"
#include "xdp_run.h"

/**
 * struct session_end - one end
 * @present: the session has it
 * @netns: its network namespace as netns_enter() takes it, or NULL
 * @backend: what runs it, NULL before session_open()
 * @client: the module there, open where @backend is backend_module
 * @config: what is asked for; once it is started, what is in effect
 * @xdp: a sink at the driver, where @backend is backend_xdp
 * @user: the run in user space, where @backend is backend_user
 * @engine: the process, where @backend is backend_engine
 * @run: the run as it was last seen
 * @begin: snapshot before payload was counted for the result: at the start, or
 *	when the warm-up was over
 * @last: latest snapshot; in the report the one after the end
 * @device: number of the device that its packets pass, or 0 where not known
 * @device_certain: they can pass no other
 * @device_begin: counters of @device before the start
 * @device_last: counters of @device after the end
 * @tcp_memory_begin: what TCP told of its memory before the start
 * @tcp_memory_last: what it told after the end
 */
struct session_end {
	bool present;
	const char *netns;
	const struct backend *backend;
	struct client client;
	struct config config;
	struct xdp_run xdp;
	struct user_engine *user;
	struct engine_run *engine;
	struct client_run run;
	struct client_snapshot begin;
	struct client_snapshot last;
	uint32_t device;
	bool device_certain;
	struct device_counters device_begin;
	struct device_counters device_last;
	struct tcp_memory tcp_memory_begin;
	struct tcp_memory tcp_memory_last;
};

/**
 * struct session - one or two ends
 * @out: where results go
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
 * @series: the intervals, for their statistics
 * @goodput_bps: the result, 0 before there is one
 */
struct session {
	struct output *out;
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
	struct series series;
	double goodput_bps;
};

int session_open(struct session *session, struct units_error *err);
int session_start(struct session *session, struct session_end *end,
		  struct units_error *err);
int session_begin(struct session *session, struct units_error *err);
int session_await_receiver(struct session *session, struct units_error *err);
int session_watch(struct session *session, struct units_error *err);
void session_close(struct session *session, bool delete_runs);

#endif
