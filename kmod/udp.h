/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UDP at the socket layer.
 */
#ifndef KTPUT_UDP_H
#define KTPUT_UDP_H

#include <linux/skbuff.h>

#include "ops.h"
#include "pingpong.h"
#include "stream.h"
#include "udp_path.h"
#include "worker.h"

/* Most datagrams in a call that refer to pages; each refers to two. */
#define KTPUT_PAGE_SEGMENTS	(MAX_SKB_FRAGS / 2)

/* An encapsulation type; the kernel only checks that it is not 0. */
#define KTPUT_UDP_ENCAP_TYPE	1

struct dst_entry;
struct ktput_datagram;

extern const struct ktput_ops ktput_udp_source_ops;
extern const struct ktput_ops ktput_udp_sink_ops;
extern const struct ktput_ops ktput_udp_pingpong_source_ops;
extern const struct ktput_ops ktput_udp_pingpong_sink_ops;

enum ktput_verdict ktput_udp_source(struct ktput_turn *turn,
				    struct ktput_counters *delta);
enum ktput_verdict ktput_udp_sink(struct ktput_turn *turn,
				  struct ktput_counters *delta);
enum ktput_verdict ktput_udp_direct(struct ktput_turn *turn,
				    struct ktput_counters *delta);
enum ktput_verdict ktput_udp_wind_up(struct ktput_stream *stream);
int ktput_udp_send_direct(struct ktput_stream *stream, struct dst_entry *dst);
void ktput_udp_look(struct ktput_stream *stream);
u64 ktput_udp_drops(const struct ktput_stream *stream);
struct sk_buff *ktput_udp_dequeue(struct sock *sk, int *error);
void ktput_udp_count(const struct sock *sk, bool ipv6, int field);
int ktput_udp_emit(struct sock *sk, const struct ktput_udp_path *path,
		   struct dst_entry *dst, const struct ktput_datagram *header,
		   const void *payload, u32 size);
enum ktput_verdict ktput_udp_pingpong(struct ktput_turn *turn,
				      struct ktput_counters *delta);
void ktput_udp_pingpong_attach(struct ktput_stream *stream);
void ktput_udp_pingpong_leave(struct ktput_stream *stream);
void ktput_udp_attach_direct(struct ktput_stream *stream);

#endif /* KTPUT_UDP_H */
