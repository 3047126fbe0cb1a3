/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceilings: the limits of a session, and which of them binds.
 */
#ifndef KTPUT_CTL_CEILINGS_H
#define KTPUT_CTL_CEILINGS_H

#include "../lib/route.h"
#include "session.h"

/**
 * struct ceilings_load - what the limits are compared with
 * @goodput_bps: goodput that was measured
 * @bytes: payload in the time measured
 * @datagrams: datagrams of UDP that carried it
 * @span_ns: the time measured
 */
struct ceilings_load {
	double goodput_bps;
	uint64_t bytes;
	uint64_t datagrams;
	uint64_t span_ns;
};

void ceilings_print(const struct session *session, const struct route *route,
		    const struct ceilings_load *load);

#endif
