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
#define WHERE_TRANSPORTS	(WHERE_TCP | WHERE_UDP)

#define WHERE_SOCKET		0x4
#define WHERE_QUEUE		0x8
#define WHERE_DRIVER		0x10
#define WHERE_XDP		0x20
#define WHERE_USER		0x40

/* WHERE_IPERF3 and so on: a bit for each other program, above those of ktput. */
#define WHERE_ENGINE(engine, word, command, transports) \
	WHERE_##engine = WHERE_USER << CONFIG_ENGINE_##engine,
enum {
	CONFIG_ENGINES(WHERE_ENGINE)
};

#define WHERE_SINK_SOCKET	0x10000
#define WHERE_SINK_INGRESS	0x20000
#define WHERE_SINK_XDP		0x40000
#define WHERE_SINK_USER		0x80000
/* The sink is another program. */
#define WHERE_SINK_OTHER	0x100000

#define WHERE_SOCKETS		(WHERE_SOCKET | WHERE_USER)
#define WHERE_FRAMES		(WHERE_QUEUE | WHERE_DRIVER | WHERE_XDP)
#define WHERE_OTHERS		(WHERE_SINK_SOCKET - 2 * WHERE_USER)
#define WHERE_OWN		(WHERE_SOCKETS | WHERE_FRAMES)
#define WHERE_SINK_SOCKETS	(WHERE_SINK_SOCKET | WHERE_SINK_USER)
#define WHERE_SINK_OWN		(WHERE_SINK_SOCKETS | WHERE_SINK_INGRESS | \
				 WHERE_SINK_XDP)

extern const struct options_place run_where_places[];

int run_where_check(const struct command_context *context,
		    const struct run_options *options,
		    struct units_error *err);
bool run_where_applies(const struct options_table *table,
		       const struct options_set *given, const void *data);

#endif
