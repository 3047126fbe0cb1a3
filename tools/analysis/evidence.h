/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evidence: how long each queue stood, and how long each server was busy.
 *
 * What is known of a run becomes evidence of each place of the chain, over the same time.
 */
#ifndef KTPUT_TOOLS_EVIDENCE_H
#define KTPUT_TOOLS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "chain.h"
#include "verdict.h"

/* Below this share of its CPU, a run whose delay is unknown was not delayed. */
#define EVIDENCE_OWN_MIN	0.15
/* One or two segments of a few hundred are a share, and no evidence. */
#define EVIDENCE_RESENT_MIN	3
/* Share of segments that are marked, from which a queue keeps TCP's window small. */
#define EVIDENCE_MARKED_MIN	0.001

bool evidence_congested(double share);
size_t evidence_named(const struct ceiling *ceilings, size_t count,
		      const char *name);
double evidence_share(const struct verdict_facts *facts, size_t index);
size_t evidence_link(const struct ceiling *ceilings, size_t count,
		     double goodput_bps);
size_t evidence_full_link(const struct verdict_facts *facts);
double evidence_queued(const struct verdict_facts *facts);
double evidence_held(const struct verdict_facts *facts);
double evidence_cpu_busy(const struct verdict_cpu *cpu);
bool evidence_is_late(const struct verdict_facts *facts);
void evidence_gather(const struct verdict_facts *facts, struct chain *chain);

#endif
