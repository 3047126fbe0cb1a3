/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run_where: the transports and layers that a keyword applies to.
 *
 * A set contains transports, source layers and sink layers. An empty class does not
 * restrict the keyword. If the set has layers of both ends, one match is enough.
 */
#ifndef KTPUT_CTL_RUN_WHERE_H
#define KTPUT_CTL_RUN_WHERE_H

#include "run_options.h"

#define WHERE_TCP		0x1
#define WHERE_UDP		0x2

#define WHERE_SOCKET		0x4
#define WHERE_QUEUE		0x8
#define WHERE_DRIVER		0x10
#define WHERE_USER		0x20
#define WHERE_IPERF3		0x40
#define WHERE_NUTTCP		0x80
#define WHERE_NPTCP		0x100

#define WHERE_SINK_SOCKET	0x200
#define WHERE_SINK_INGRESS	0x400
#define WHERE_SINK_DRIVER		0x800
#define WHERE_SINK_USER		0x1000
/* The sink is another program. */
#define WHERE_SINK_OTHER	0x2000

#define WHERE_SOCKETS		(WHERE_SOCKET | WHERE_USER)
#define WHERE_FRAMES		(WHERE_QUEUE | WHERE_DRIVER)
#define WHERE_OTHERS		(WHERE_IPERF3 | WHERE_NUTTCP | WHERE_NPTCP)
#define WHERE_OWN		(WHERE_SOCKETS | WHERE_FRAMES)
#define WHERE_SINK_SOCKETS	(WHERE_SINK_SOCKET | WHERE_SINK_USER)
#define WHERE_SINK_OWN		(WHERE_SINK_SOCKETS | WHERE_SINK_INGRESS | \
				 WHERE_SINK_DRIVER)

extern const struct options_place run_where_places[];

int run_where_check(const struct command_context *context,
		    const struct run_options *options,
		    struct units_error *err);
bool run_where_applies(const struct options_table *table,
		       const struct options_set *given, const void *data);

#endif
