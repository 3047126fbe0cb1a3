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

#include <stdbool.h>
#include <stdint.h>

#include "../analysis/series.h"
#include "../base/command.h"
#include "../base/output.h"
#include "../base/units.h"
#include "../engines/end.h"
#include "../engines/engine.h"
#include "../host/drops.h"
#include "../host/tasks.h"
#include "../module/cpu_times.h"
#include "run_stages.h"

/*
 * reference: activity of this machine that a session does not cause.
 *
 * It holds the packets that each CPU receives before the runs start, and the CPU
 * time of processes and quotas before and after the runs.
 */

/**
 * struct reference_cpu - activity of a CPU outside the runs
 * @packets_known: the packets are known
 * @packets: packets that it received before the runs started
 * @longest_known: @longest is valid
 * @longest: the process that used the CPU most during the runs, with the CPU time
 * @delay_known: @delay_ns is valid
 * @delay_ns: time that its softirqs waited for it, as far as ksoftirqd does them: before
 *	the runs since the boot, after them during the runs
 * @program_ns: CPU time of the threads of this program that serve no run and ran there
 *	last
 */
struct reference_cpu {
	bool packets_known;
	uint32_t packets;
	bool longest_known;
	struct task longest;
	bool delay_known;
	uint64_t delay_ns;
	uint64_t program_ns;
};

/**
 * struct reference - activity outside a session
 * @count: CPUs, from number 0 on
 * @cpu: the CPUs; NULL before reference_end()
 * @elapsed_ns: length of the reference time, 0 before its end
 * @throttled: the throttled time is known
 * @throttled_us: throttled time before the runs; after them, during the runs
 * @throttled_ns: CLOCK_MONOTONIC of the reading before the runs; after them, time between
 *	the readings, 0 if unknown
 * @own_ns: CPU time of the calling thread before the runs; after them, during the runs
 * @first: readings of the CPUs at the beginning
 * @begin_ns: CLOCK_MONOTONIC at the beginning
 * @before: processes before the runs
 */
struct reference {
	size_t count;
	struct reference_cpu *cpu;
	uint64_t elapsed_ns;
	bool throttled;
	uint64_t throttled_us;
	uint64_t throttled_ns;
	uint64_t own_ns;
	struct cpu_times *first;
	uint64_t begin_ns;
	struct tasks before;
};

void reference_begin(struct reference *reference);
void reference_end(struct reference *reference);
void reference_finish(struct reference *reference);
double reference_packets_per_s(const struct reference *reference,
			       uint32_t cpu);
const struct task *reference_longest(const struct reference *reference,
				     uint32_t cpu);
uint64_t reference_program_ns(const struct reference *reference,
			      uint32_t cpu);
bool reference_delay_ns(const struct reference *reference, uint32_t cpu,
			uint64_t *ns);
void reference_free(struct reference *reference);

/*
 * looks: what nobody tells after a run, read while it lasts.
 *
 * How many looks find a packet in the source's queueing discipline is the share of the time
 * that its queue stood. Looks come every LOOKS_NS, and so seldom that they take a
 * LOOKS_PART of a CPU at most.
 */
#define LOOKS_NS	20000000ULL
#define LOOKS_PART	200

struct session;

/**
 * struct looks - the looks of a session
 * @next_ns: CLOCK_MONOTONIC when the next is due
 * @spent_ns: CPU time that they have taken
 */
struct looks {
	uint64_t next_ns;
	uint64_t spent_ns;
};

uint64_t looks_make(struct session *session, uint64_t now_ns);

struct session;
struct session_end;

/* How often to look at a source that drains. */
#define DRAINING_LOOK_NS	(50 * 1000000ULL)

/**
 * struct draining - how far a source has drained
 * @looked_ns: CLOCK_MONOTONIC of the last look, 0 at first
 * @acknowledged: bytes acknowledged by then
 * @tell_ns: CLOCK_MONOTONIC when progress is printed next
 * @device_ns: CLOCK_MONOTONIC when the device is looked for next
 * @device_gone: it was removed, and the run told to end
 * @given_up: likewise the source not to wait any longer
 */
struct draining {
	uint64_t looked_ns;
	uint64_t acknowledged;
	uint64_t tell_ns;
	uint64_t device_ns;
	bool device_gone;
	bool given_up;
};

bool draining_is(const struct session *session);
int draining_look(struct session *session, struct units_error *err);
int draining_check_device(struct session *session, struct units_error *err);

/**
 * struct waiting - how long a source has made no progress
 * @since_ns: CLOCK_MONOTONIC of the last progress, 0 at first
 * @messages: messages sent by then
 * @would_blocks: times that it had found no buffer by then
 * @stopped: times that it had found every queue stopped by then
 * @draining: it was to send no more
 * @told: the user was warned
 */
struct waiting {
	uint64_t since_ns;
	uint64_t messages;
	uint64_t would_blocks;
	uint64_t stopped;
	bool draining;
	bool told;
};

void waiting_look(struct session *session, uint64_t now_ns);

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

/* The end whose time is that of the session, and the end whose payload counts. */
#define session_leading(of)	((of)->source.present ? &(of)->source : &(of)->sink)
#define session_counted(of)	((of)->sink.present ? &(of)->sink : &(of)->source)

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

/* receiver: find out whether somebody receives, or answers, where no sink was started. */

/* Time between two looks. */
#define RECEIVER_LOOK_NS	(20 * 1000000ULL)

int receiver_check(struct session *session, struct units_error *err);
bool receiver_sought(const struct session *session);

bool unreached_is(const struct units_error *err);
void unreached_say(const struct session *session, struct units_error *err);
void unreached_explain(const struct session *session, struct units_error *err);

/*
 * run_refusal: translate a refusal to the keywords of the command line.
 *
 * The module and the engines name the attribute that they refuse. The user typed
 * a keyword. The rows map one to the other.
 */
void run_refusal_address(const struct address *local, const char *netns,
			 struct units_error *err);
void run_refusal_translate(const struct command_context *context,
			   unsigned int end, struct units_error *err);

#endif
