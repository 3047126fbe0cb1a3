/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UDP at the socket layer.
 */
#ifndef KTPUT_UDP_H
#define KTPUT_UDP_H

#include <linux/skbuff.h>
#include <linux/wait.h>

#include "cachelines.h"
#include "datagram.h"
#include "ops.h"
#include "pingpong.h"
#include "socket.h"
#include "stream.h"
#include "udp_path.h"
#include "worker.h"

/* Most datagrams in a call that refer to pages; each refers to two. */
#define KTPUT_PAGE_SEGMENTS	(MAX_SKB_FRAGS / 2)

/* An encapsulation type; the kernel only checks that it is not 0. */
#define KTPUT_UDP_ENCAP_TYPE	1

struct dst_entry;

/**
 * struct ktput_udp_stream - a stream of UDP at the socket layer
 * @stream: what is scheduled
 * @socket: its socket
 * @sequence: number of the next datagram to send; worker only
 * @failed_in_row: calls that failed for the MTU of the path since one succeeded;
 *	worker only, or with ping-pong under its lock
 * @path: path of the datagrams that it builds, with a reference on the route
 *	until the stream leaves its socket; worker only, or with ping-pong under
 *	its lock
 * @drops: datagrams that the socket had dropped when the worker last checked,
 *	see ktput_udp_drops(); the worker writes
 * @refusals: ICMP errors saying that no socket receives; the worker writes, or
 *	with ping-pong whoever holds its lock
 * @failures: calls that failed for the network otherwise, and did not end the
 *	stream; as @refusals
 * @failure: errno, positive, of the latest of them, or 0; as @refusals
 * @room: entry in the wait queue of the socket while the turn waits for room,
 *	else empty; any CPU, under the lock of the queue
 */
struct ktput_udp_stream {
	struct ktput_stream stream;
	struct ktput_socket socket;
	u32 sequence;
	u32 failed_in_row;
	struct ktput_udp_path path;
	u64 drops;
	u64 refusals;
	u64 failures;
	u32 failure;

	struct wait_queue_entry room ____cacheline_aligned_in_smp;
};

KTPUT_HAS_SOCKET(struct ktput_udp_stream);
KTPUT_SEPARATE_CACHELINES(struct ktput_udp_stream, stream, socket);
KTPUT_SEPARATE_CACHELINES(struct ktput_udp_stream, failure, room);

/**
 * struct ktput_udp_sink_stream - a stream of a sink that measures arrivals
 * @udp: stream and socket
 * @arrivals: statistics of what it receives
 */
struct ktput_udp_sink_stream {
	struct ktput_udp_stream udp;
	struct ktput_arrivals arrivals;
};

static_assert(!offsetof(struct ktput_udp_sink_stream, udp));

/**
 * ktput_udp_of() - private part of a stream of UDP
 * @stream: stream of UDP at the socket layer
 *
 * Return: the structure that @stream is part of.
 */
static inline struct ktput_udp_stream *
ktput_udp_of(const struct ktput_stream *stream)
{
	return container_of(stream, struct ktput_udp_stream, stream);
}

/**
 * ktput_udp_arrivals() - statistics of a sink that measures arrivals
 * @stream: stream of &ktput_udp_sink_ops
 *
 * Return: the statistics.
 */
static inline struct ktput_arrivals *
ktput_udp_arrivals(const struct ktput_stream *stream)
{
	return &container_of(stream, struct ktput_udp_sink_stream,
			     udp.stream)->arrivals;
}

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
enum ktput_verdict ktput_udp_drained(struct ktput_stream *stream);
bool ktput_udp_rides_out(struct ktput_stream *stream, int error);
int ktput_udp_send_direct(struct ktput_stream *stream, struct dst_entry *dst);
void ktput_udp_look(struct ktput_stream *stream);
u64 ktput_udp_drops(const struct ktput_stream *stream);
struct sk_buff *ktput_udp_dequeue(struct ktput_stream *stream, struct sock *sk,
				  int *error);
void ktput_udp_count(const struct sock *sk, bool ipv6, int field);
int ktput_udp_emit(struct sock *sk, const struct ktput_udp_path *path,
		   struct dst_entry *dst, const struct ktput_datagram *header,
		   const void *payload, u32 size);
enum ktput_verdict ktput_udp_pingpong(struct ktput_turn *turn,
				      struct ktput_counters *delta);
void ktput_udp_pingpong_attach(struct ktput_stream *stream);
void ktput_udp_pingpong_leave(struct ktput_stream *stream);
void ktput_udp_attach_direct(struct ktput_stream *stream);

void ktput_udp_init_room(struct ktput_stream *stream);
bool ktput_udp_await_room(struct ktput_stream *stream, struct sock *sk);
void ktput_udp_forget_room(struct ktput_stream *stream);

#endif /* KTPUT_UDP_H */
