/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceiling: what the wire permits on the route that a run takes.
 */
#ifndef KTPUT_TOOLS_CEILING_H
#define KTPUT_TOOLS_CEILING_H

#include "route.h"
#include "tcpinfo.h"
#include "wire.h"

/**
 * struct ceiling - full segments of a stream as frames on its link
 * @frame: one frame, and what a full link carries of them where @known
 * @timestamps: segments carry timestamps
 * @known: the link has a rate, so there is a ceiling
 */
struct ceiling {
	struct wire_frame frame;
	bool timestamps;
	bool known;
};

int ceiling_compute(const struct route *route, unsigned int ip_version,
		    const struct tcpinfo *tcp, struct ceiling *ceiling,
		    struct units_error *err);
const char *ceiling_absent(const struct route *route);

#endif
