/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UDP at the socket layer.
 */
#ifndef KTPUT_UDP_H
#define KTPUT_UDP_H

#include <linux/skbuff.h>

#include "ops.h"
#include "stream.h"
#include "worker.h"

/* Most datagrams in a call that refer to pages, each to two. */
#define KTPUT_PAGE_SEGMENTS	(MAX_SKB_FRAGS / 2)

extern const struct ktput_ops ktput_udp_source_ops;
extern const struct ktput_ops ktput_udp_sink_ops;

enum ktput_verdict ktput_udp_source(struct ktput_turn *turn,
				    struct ktput_counters *came_to);
enum ktput_verdict ktput_udp_sink(struct ktput_turn *turn,
				  struct ktput_counters *came_to);
enum ktput_verdict ktput_udp_direct(struct ktput_turn *turn,
				    struct ktput_counters *came_to);
int ktput_udp_send_direct(struct ktput_stream *stream);
void ktput_udp_attach_direct(struct ktput_stream *stream);

#endif /* KTPUT_UDP_H */
