/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verdict: what limits a run, in a sentence.
 *
 * verdict_find() gathers evidence of each place of the chain (chain.h), has the chain
 * walked, and names what is there:
 *
 *   demand             a rate or a pace that was asked for
 *   source, sink, softirq
 *                      a CPU: of the run itself, of others that delayed it, or of a quota;
 *                      without any of these a sink that reads too late
 *   application        the source had nothing to send
 *   any place with drops
 *                      loss, if that is what kept TCP's window small, or much of the
 *                      datagrams
 *   else               the place itself
 */
#ifndef KTPUT_TOOLS_VERDICT_H
#define KTPUT_TOOLS_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "../ceilings/ceiling.h"
#include "chain.h"
#include "loss.h"
#include "remedy.h"

/* Share of a requested rate or of a CPU: the remainder is negligible. */
#define VERDICT_FULL	0.95
/* Share of a link or a window: the rest is acknowledgements, bursts, the begin. */
#define VERDICT_REACHED	0.9
/* Share of a congestion window: it varies, and only its last value is known. */
#define VERDICT_CONGESTION	0.7
/* Share of TCP's busy time, or of the time, that makes a cause the main one. */
#define VERDICT_MOSTLY	0.5
/* Share of a full CPU that others ran, from which it is theirs as well as the run's. */
#define VERDICT_FOREIGN	0.1
/* Below it, TCP's account of its waits, and CPU time in ticks, tell little. */
#define VERDICT_SHORT_NS	100000000

/**
 * enum verdict_kind - what limits a run
 * @VERDICT_NONE: no evidence
 * @VERDICT_RATE: the requested rate
 * @VERDICT_PACE: the rate that no stream of TCP may exceed
 * @VERDICT_LINK: a limit of bus, framing or link
 * @VERDICT_QUOTA_CPU: a quota of CPU time
 * @VERDICT_OTHER_WORK: other work on the run's CPUs
 * @VERDICT_WINDOW: the size of the receiver's window
 * @VERDICT_RECEIVER: the receiver, which reads too late
 * @VERDICT_SEND_BUFFER: the sender's buffer
 * @VERDICT_LOSS: lost data
 * @VERDICT_QUEUE: a queueing discipline that holds a rate
 * @VERDICT_CPU: a CPU
 * @VERDICT_APPLICATION: nothing to send
 * @VERDICT_CONGESTION_WINDOW: the congestion window
 * @VERDICT_WAY: the path, in which a queue stands, or which is long (trip_verdict.h)
 * @VERDICT_WAKE_UPS: threads that are woken for a round trip (trip_verdict.h)
 * @VERDICT_KINDS: number of kinds
 */
enum verdict_kind {
	VERDICT_NONE,
	VERDICT_RATE,
	VERDICT_PACE,
	VERDICT_LINK,
	VERDICT_QUOTA_CPU,
	VERDICT_OTHER_WORK,
	VERDICT_WINDOW,
	VERDICT_RECEIVER,
	VERDICT_SEND_BUFFER,
	VERDICT_LOSS,
	VERDICT_QUEUE,
	VERDICT_CPU,
	VERDICT_APPLICATION,
	VERDICT_CONGESTION_WINDOW,
	VERDICT_WAY,
	VERDICT_WAKE_UPS,
	VERDICT_KINDS,
};

/**
 * enum verdict_sure - confidence of a verdict
 * @VERDICT_LOW: no queue stood for most of the time, or the evidence is disturbed
 * @VERDICT_MEDIUM: a queue that stood, or the emptiness of those behind it, is inferred
 * @VERDICT_HIGH: the queue was seen to stand, and those behind it were not
 */
enum verdict_sure {
	VERDICT_LOW,
	VERDICT_MEDIUM,
	VERDICT_HIGH,
};

/**
 * struct verdict_cpu - a CPU of the run
 * @known: there is one
 * @id: number
 * @shared: both ends are on it
 * @own: share of it that the run used
 * @foreign: share of it that others used
 * @delayed: share of the time that the run's thread was ready and did not run; NaN if
 *	unknown
 * @asleep: share of the time that this thread had nothing to do; NaN if unknown
 * @work: noun for the largest part of @own
 * @others: noun for the largest part of @foreign
 */
struct verdict_cpu {
	bool known;
	uint32_t id;
	bool shared;
	double own;
	double foreign;
	double delayed;
	double asleep;
	const char *work;
	const char *others;
};

/**
 * struct verdict_facts - input of a verdict
 * @goodput_bps: measured goodput
 * @span_ns: from the first byte to the last
 * @ceilings: limits by their names
 * @count: number of limits
 * @paced: the limit "rate" is a pace of TCP
 * @losses: where datagrams were lost, NULL with TCP
 * @tcp: TCP tells of its streams, and what follows is theirs
 * @busy_share: share of the time that TCP had something to send
 * @window_waits: share of its busy time that TCP waited for the receiver's window
 * @send_buffer_waits: likewise for the send buffer
 * @window_used: share of the receiver's window that was under way; NaN if unknown
 * @window_bytes: window of a stream, mean; 0 if unknown
 * @congestion_share: goodput over the rate of the congestion window; NaN if unknown
 * @rtt_us: smoothed round-trip time, mean; 0 if unknown
 * @rtt_min_us: least round-trip time, likewise
 * @resent: segments that were sent again because they were lost
 * @resent_share: share of all segments that these are
 * @resent_at: where they were lost
 * @loss_used: goodput over the rate that TCP has with such a loss; NaN if unknown
 * @marked_share: share of segments that a queue marked (ECN)
 * @backlog_share: share of the time that packets waited in the source's queueing
 *	discipline; NaN if unknown
 * @holds_rate: the queueing discipline may hold packets back for a rate
 * @driver_share: share of the time that a queue of its driver was full; NaN if unknown
 * @others_sent: share of what the source's device sent that was not the run's
 * @nothing_between: there is nothing between the ends that could queue
 * @filtered: the sink's device has filters that may redirect packets to a queue
 * @rcvbuf: the user set the receive buffer
 * @sndbuf: the user set the send buffer
 * @quota_share: share of the time of the run's CPUs that a quota took
 * @source: CPU of the source that was least idle
 * @sink: likewise of the sink
 * @softirq: CPU that spent most in softirqs for the run
 * @softirq_apart: it is another one than @source
 * @disturbed: disturbance exceeded the limit
 */
struct verdict_facts {
	double goodput_bps;
	uint64_t span_ns;
	const struct ceiling *ceilings;
	size_t count;
	bool paced;
	const struct losses *losses;
	bool tcp;
	double busy_share;
	double window_waits;
	double send_buffer_waits;
	double window_used;
	double window_bytes;
	double congestion_share;
	double rtt_us;
	double rtt_min_us;
	uint64_t resent;
	double resent_share;
	enum loss_place resent_at;
	double loss_used;
	double marked_share;
	double backlog_share;
	bool holds_rate;
	double driver_share;
	double others_sent;
	bool nothing_between;
	bool filtered;
	bool rcvbuf;
	bool sndbuf;
	double quota_share;
	struct verdict_cpu source;
	struct verdict_cpu sink;
	struct verdict_cpu softirq;
	bool softirq_apart;
	bool disturbed;
};

/**
 * struct verdict - what limits a run
 * @kind: its kind
 * @name: its key in records
 * @ceiling: index of the limit, or CEILING_NONE
 * @place: where data was lost, LOSS_PLACES if none was
 * @sure: its confidence
 * @chained: @chain and @found are filled in
 * @chain: evidence of all places
 * @found: the place in @chain
 * @remedies: what may help, ended by one without a text; NULL if unknown
 * @text: the limit and its evidence
 */
struct verdict {
	enum verdict_kind kind;
	const char *name;
	size_t ceiling;
	enum loss_place place;
	enum verdict_sure sure;
	bool chained;
	struct chain chain;
	struct chain_found found;
	const struct remedy *remedies;
	char text[320];
};

void verdict_find(const struct verdict_facts *facts, struct verdict *verdict);
const struct remedy *verdict_remedies(enum verdict_kind kind);
const char *verdict_sure(enum verdict_sure sure);

#endif
