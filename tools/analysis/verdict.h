/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verdict: which limit binds a run.
 *
 * The first of these for which there is evidence:
 *
 *   rate         VERDICT_FULL of the rate or pace that was asked for is reached
 *   link         VERDICT_REACHED of a limit of bus, framing or link: the least of
 *                those; however busy CPUs were, more cannot pass
 *   window,      TCP waited for it in most streams, or VERDICT_REACHED of what it
 *   send buffer  allows is reached
 *   loss         LOSS_MATTERS of the datagrams were lost: where they were, explains
 *                more than a CPU that was busy with them
 *   CPU          VERDICT_FULL of its ceiling is reached
 *
 * Else none does. The verdict on a stream of TCP (tcp_verdict.h) keeps to the same
 * order and the same shares, and adds what TCP alone can tell.
 */
#ifndef KTPUT_TOOLS_VERDICT_H
#define KTPUT_TOOLS_VERDICT_H

#include "../ceilings/ceiling.h"

/* Of what was asked for, or of a CPU: nothing is left that would be worth a word. */
#define VERDICT_FULL	0.95
/* Of a link or a window: what is left is acknowledgements, bursts and the begin. */
#define VERDICT_REACHED	0.9

/**
 * enum verdict_kind - what the evidence is
 * @VERDICT_NONE: there is none
 * @VERDICT_SHARE: the share of a limit that is reached
 * @VERDICT_WAITED: what TCP waited for
 * @VERDICT_LOSS: datagrams were lost
 */
enum verdict_kind {
	VERDICT_NONE,
	VERDICT_SHARE,
	VERDICT_WAITED,
	VERDICT_LOSS,
};

/**
 * struct verdict_facts - what there is beside the limits
 * @goodput_bps: what was measured
 * @loss_share: of the datagrams that were sent, 0 with TCP
 * @waited_for: limit that TCP waited for, in most streams, or NULL
 */
struct verdict_facts {
	double goodput_bps;
	double loss_share;
	const char *waited_for;
};

/**
 * struct verdict - which limit binds
 * @kind: by what evidence
 * @ceiling: index of the limit with VERDICT_SHARE and VERDICT_WAITED, else
 *	CEILING_NONE
 */
struct verdict {
	enum verdict_kind kind;
	size_t ceiling;
};

size_t verdict_link(const struct ceiling *ceilings, size_t count,
		    double goodput_bps);
struct verdict verdict_find(const struct ceiling *ceilings, size_t count,
			    const struct verdict_facts *facts);

#endif
