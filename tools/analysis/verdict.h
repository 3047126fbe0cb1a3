/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verdict: what holds a run back.
 *
 * The first of these for which there is evidence. What stands later is often a
 * symptom of what stands earlier, and never the other way round.
 *
 *   rate, pace      VERDICT_FULL of what was asked for is reached
 *   link            VERDICT_REACHED of a limit of bus, framing or link: the least
 *                   of those; whatever else is full, more cannot pass
 *   quota           a quota of CPU time kept the run off its CPUs
 *   other work      a CPU of the run was full, and others had part of it
 *   window          TCP waited for the receiver's window, or VERDICT_REACHED of
 *                   what it allows is reached; the receiver, where the window
 *                   would allow much more: it reads too late
 *   send buffer     TCP waited for it, or VERDICT_REACHED of it is reached
 *   loss            LOSS_MATTERS of what was sent was lost, or sent again
 *   queue           a queueing discipline kept packets back to hold its rate
 *   CPU             VERDICT_FULL of a CPU was spent by the run itself
 *   application     TCP had nothing to send most of the time
 *   congestion window  VERDICT_CONGESTION of what it allows is reached. It comes
 *                   last, since any queue on the way and any CPU that is late
 *                   lengthens the round trip until the window is full
 *
 * Else none does.
 */
#ifndef KTPUT_TOOLS_VERDICT_H
#define KTPUT_TOOLS_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "../ceilings/ceiling.h"
#include "loss.h"

/* Of what was asked for, or of a CPU: nothing is left that would be worth a word. */
#define VERDICT_FULL	0.95
/* Of a link or a window: what is left is acknowledgements, bursts and the begin. */
#define VERDICT_REACHED	0.9
/* Of a congestion window, which varies, and whose last value is all there is. */
#define VERDICT_CONGESTION	0.7
/* Of the time that TCP was busy, or of the time: more often than all the rest. */
#define VERDICT_MOSTLY	0.5
/* Of the time: a quota that took that much is felt. */
#define VERDICT_QUOTA	0.05
/* Of the packets: each was kept back, but for those of a few bursts. */
#define VERDICT_SHAPED	0.1

/**
 * enum verdict_kind - what holds a run back
 * @VERDICT_NONE: there is evidence of nothing
 * @VERDICT_RATE: the rate that was asked for
 * @VERDICT_PACE: the rate that no stream of TCP may exceed
 * @VERDICT_LINK: a limit of bus, framing or link
 * @VERDICT_QUOTA_CPU: a quota of CPU time
 * @VERDICT_OTHER_WORK: what others did on the run's CPUs
 * @VERDICT_WINDOW: the receiver's window, by its size
 * @VERDICT_RECEIVER: the receiver, which reads too late
 * @VERDICT_SEND_BUFFER: the sender's buffer
 * @VERDICT_LOSS: what was lost
 * @VERDICT_QUEUE: a queueing discipline that holds a rate
 * @VERDICT_CPU: a CPU
 * @VERDICT_APPLICATION: nothing to send
 * @VERDICT_CONGESTION_WINDOW: the congestion window
 * @VERDICT_KINDS: how many there are
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
	VERDICT_KINDS,
};

/**
 * enum verdict_sure - how sure that is
 * @VERDICT_LOW: the evidence is disturbed, or there is other evidence as well
 * @VERDICT_MEDIUM: it is inferred from a rate
 * @VERDICT_HIGH: it was counted, or configured
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
 * @own: share of it that the run had
 * @foreign: share of it that others had
 * @work: noun for what took most of what @own or @foreign is about
 */
struct verdict_cpu {
	bool known;
	uint32_t id;
	double own;
	double foreign;
	const char *work;
};

/**
 * struct verdict_facts - what a verdict is made from
 * @goodput_bps: what was measured
 * @ceilings: limits by their names
 * @count: how many
 * @paced: the limit "rate" is a pace of TCP
 * @losses: where datagrams were lost, NULL with TCP
 * @window_share: of its busy time TCP waited for the receiver's window, in most
 *	streams, else 0
 * @send_buffer_share: likewise for the send buffer
 * @window_used: goodput over what the window allows at the least round-trip time,
 *	NaN where not known
 * @busy_share: of the time TCP had something to send; NaN where not known
 * @congestion_share: goodput over what the congestion window allows; NaN where not
 *	known
 * @resent_share: of the segments, those sent again
 * @resent_at: where the first ones were lost
 * @shaped_share: packets that the queueing discipline kept back over all of them
 * @quota_share: of the time and the run's CPUs, what a quota took
 * @own: CPU that the run itself had most of
 * @sink: likewise, of those of the sink
 * @foreign: CPU of the run that others had most of
 * @disturbed: that was more than allowed
 */
struct verdict_facts {
	double goodput_bps;
	const struct ceiling *ceilings;
	size_t count;
	bool paced;
	const struct losses *losses;
	double window_share;
	double send_buffer_share;
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
 * struct verdict - what holds a run back
 * @kind: of which kind
 * @name: what records call it
 * @ceiling: index of the limit that it is, or CEILING_NONE
 * @place: where it was lost, LOSS_PLACES where nothing was
 * @sure: how sure that is
 * @also: kind that there is evidence for too, and which this one does not explain;
 *	VERDICT_NONE for none
 * @remedy: what may help, a noun; NULL where that is not known
 * @text: what it is, with its evidence
 */
struct verdict {
	enum verdict_kind kind;
	const char *name;
	size_t ceiling;
	enum loss_place place;
	enum verdict_sure sure;
	enum verdict_kind also;
	const char *remedy;
	char text[240];
};

size_t verdict_link(const struct ceiling *ceilings, size_t count,
		    double goodput_bps);
void verdict_find(const struct verdict_facts *facts, struct verdict *verdict);
const char *verdict_title(enum verdict_kind kind);
const char *verdict_sure(enum verdict_sure sure);

#endif
