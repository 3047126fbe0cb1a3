/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceilings: the limits of a session and the binding one.
 */
#ifndef KTPUT_CTL_CEILINGS_H
#define KTPUT_CTL_CEILINGS_H

#include "../analysis/loss.h"
#include "../ceilings/ceiling.h"
#include "../ceilings/wire.h"
#include "../host/route.h"
#include "../module/tcpinfo.h"
#include "../run/session.h"

/**
 * struct ceilings_load - measured load to compare with the limits
 * @goodput_bps: measured goodput
 * @bytes: payload in the measured time
 * @datagrams: UDP datagrams that carried it
 * @span_ns: measured time
 * @losses: the places where datagrams were lost, NULL with TCP
 */
struct ceilings_load {
	double goodput_bps;
	uint64_t bytes;
	uint64_t datagrams;
	uint64_t span_ns;
	const struct losses *losses;
};

/* One limit for each formula. */
#define CEILINGS_COUNT	8

/**
 * struct ceilings - the limits of a session
 * @load: load to compare with the limits
 * @count: number of limits; 0 if there is nothing to compare
 * @limit: the limits
 */
struct ceilings {
	struct ceilings_load load;
	size_t count;
	struct ceiling limit[CEILINGS_COUNT];
};

void ceilings_compute(const struct session *session, const struct route *route,
		      const struct ceilings_load *load,
		      struct ceilings *ceilings);
const char *ceilings_link(const struct ceilings *ceilings, double *share);
void ceilings_print(struct output *out, const struct ceilings *ceilings,
		    size_t binding);

/**
 * struct ceiling_ethernet - full segments of a stream as frames on its link
 * @frame: one frame, and the rates of a full link if @known
 * @timestamps: segments carry timestamps
 * @known: the rate of the link is known, so there is a ceiling
 */
struct ceiling_ethernet {
	struct wire_frame frame;
	bool timestamps;
	bool known;
};

int ceiling_ethernet_compute(const struct route *route,
			     unsigned int ip_version,
			     const struct tcpinfo *tcp,
			     struct ceiling_ethernet *ceiling,
			     struct units_error *err);
const char *ceiling_ethernet_absent(const struct route *route);

#endif
