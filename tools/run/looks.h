/* SPDX-License-Identifier: GPL-2.0 */
/*
 * looks: what nobody tells after a run, read while it lasts.
 *
 * How many looks find a packet in the source's queueing discipline is the share of the time
 * that its queue stood. Looks come every LOOKS_NS, and so seldom that they take a
 * LOOKS_PART of a CPU at most.
 */
#ifndef KTPUT_TOOLS_LOOKS_H
#define KTPUT_TOOLS_LOOKS_H

#include <stdint.h>

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

#endif
