/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verdict: what limits a run.
 *
 * The first of these with evidence. A later one is often a symptom of an earlier
 * one, and never the other way round.
 *
 *   rate, pace      VERDICT_FULL of the requested rate is reached
 *   link            VERDICT_REACHED of a limit of bus, framing or link is reached,
 *                   the lowest of those; no more can pass, whatever else is full
 *   quota           a quota of CPU time kept the run off its CPUs
 *   other work      a CPU of the run was full, and others used part of it
 *   window          TCP waited for the receiver's window, or VERDICT_REACHED of
 *                   its rate is reached; if the window permits much more, the
 *                   limit is the receiver, which reads too late
 *   send buffer     TCP waited for it, or VERDICT_BUFFER of it is reached
 *   loss            LOSS_MATTERS of the sent data was lost or retransmitted
 *   queue           a queueing discipline delayed packets to hold its rate
 *   CPU             VERDICT_FULL of a CPU was spent by the run itself, or VERDICT_FULL
 *                   from the first byte to the last and VERDICT_REACHED in all
 *   application     TCP had nothing to send most of the time
 *   congestion window  VERDICT_CONGESTION of its rate is reached, and not much more
 *                   than it. It comes last:
 *                   any queue on the way and any late CPU lengthens the round
 *                   trip until the window is full
 *
 * Otherwise nothing is known to limit the run.
 */
#ifndef KTPUT_TOOLS_VERDICT_H
#define KTPUT_TOOLS_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "../ceilings/ceiling.h"
#include "loss.h"

/* Share of a requested rate or of a CPU: the remainder is negligible. */
#define VERDICT_FULL	0.95
/* Share of a link or a window: the rest is acknowledgements, bursts, the begin. */
#define VERDICT_REACHED	0.9
/*
 * Share of a send buffer over the minimum round-trip time: the usual one is longer,
 * while the buffer stays full. From 1.5 times on, something else adds to it.
 */
#define VERDICT_BUFFER	0.65
/* Share of a congestion window: it varies, and only its last value is known. */
#define VERDICT_CONGESTION	0.7
/* Share of TCP's busy time, or of the time, that makes a cause the main one. */
#define VERDICT_MOSTLY	0.5
/* Share of the time from which a quota is significant. */
#define VERDICT_QUOTA	0.05
/* Share of the packets: all were delayed, except those of a few bursts. */
#define VERDICT_SHAPED	0.1
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
 * @VERDICT_WAY: the way of a round trip (trip_verdict.h)
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
 * @VERDICT_LOW: the evidence is disturbed, or there is other evidence as well
 * @VERDICT_MEDIUM: inferred from a rate
 * @VERDICT_HIGH: counted or configured
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
 * @own: share of it that the run used
 * @foreign: share of it that others used
 * @work: noun for the largest part of @own or @foreign
 */
struct verdict_cpu {
	bool known;
	uint32_t id;
	double own;
	double foreign;
	const char *work;
};

/**
 * struct verdict_facts - input of a verdict
 * @goodput_bps: measured goodput
 * @span_ns: from the first byte to the last
 * @ceilings: limits by their names
 * @count: number of limits
 * @paced: the limit "rate" is a pace of TCP
 * @losses: where datagrams were lost, NULL with TCP
 * @window_share: share of its busy time that TCP waited for the receiver's window,
 *	if it did in most streams, else 0
 * @send_buffer_share: likewise for the send buffer
 * @window_waits: share of its busy time that TCP waited for the receiver's window, mean
 *	of all streams
 * @send_buffer_waits: likewise for the send buffer
 * @window_used: goodput over the rate of the window at the minimum round-trip time,
 *	NaN if unknown
 * @busy_share: share of the time that TCP had something to send; NaN if unknown
 * @congestion_share: goodput over the rate of the congestion window; NaN if unknown
 * @resent_share: share of segments that were retransmitted
 * @resent_at: where the first ones were lost
 * @shaped_share: share of packets that the queueing discipline delayed
 * @quota_share: share of the time of the run's CPUs that a quota took
 * @own: CPU that the run itself used most
 * @sink: likewise, of the sink's CPUs
 * @foreign: CPU of the run that others used most
 * @disturbed: disturbance exceeded the limit
 */
struct verdict_facts {
	double goodput_bps;
	uint64_t span_ns;
	const struct ceiling *ceilings;
	size_t count;
	bool paced;
	const struct losses *losses;
	double window_share;
	double send_buffer_share;
	double window_waits;
	double send_buffer_waits;
	double window_used;
	double busy_share;
	double congestion_share;
	double resent_share;
	enum loss_place resent_at;
	double shaped_share;
	double quota_share;
	struct verdict_cpu own;
	struct verdict_cpu sink;
	struct verdict_cpu foreign;
	bool disturbed;
};

/**
 * struct verdict - what limits a run
 * @kind: its kind
 * @name: its key in records
 * @ceiling: index of the limit, or CEILING_NONE
 * @place: where data was lost, LOSS_PLACES if none was
 * @sure: its confidence
 * @also: another kind with evidence that this one does not explain; VERDICT_NONE
 *	for none
 * @remedy: a possible remedy, a noun; NULL if unknown
 * @text: the limit and its evidence
 */
struct verdict {
	enum verdict_kind kind;
	const char *name;
	size_t ceiling;
	enum loss_place place;
	enum verdict_sure sure;
	enum verdict_kind also;
	const char *remedy;
	char text[320];
};

bool verdict_congested(double share);
size_t verdict_link(const struct ceiling *ceilings, size_t count,
		    double goodput_bps);
void verdict_find(const struct verdict_facts *facts, struct verdict *verdict);
const char *verdict_title(enum verdict_kind kind);
const char *verdict_sure(enum verdict_sure sure);

#endif
