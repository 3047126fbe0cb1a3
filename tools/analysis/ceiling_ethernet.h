/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceiling_ethernet: what Ethernet permits on the route of a run.
 */
#ifndef KTPUT_TOOLS_CEILING_ETHERNET_H
#define KTPUT_TOOLS_CEILING_ETHERNET_H

#include "../host/route.h"
#include "../module/tcpinfo.h"
#include "../ceilings/wire.h"

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
