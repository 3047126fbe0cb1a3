/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources below the socket layer.
 */
#ifndef KTPUT_FRAME_SOURCE_H
#define KTPUT_FRAME_SOURCE_H

#include <linux/netdevice.h>

#include "cachelines.h"
#include "frame.h"
#include "frame_pool.h"
#include "stream.h"
#include "thread.h"

struct ktput_counters;
struct ktput_run;
struct ktput_stream_reading;
struct netlink_ext_ack;
struct sk_buff;
struct xdp_frame;

/*
 * Delay before polling again, doubled each time up to the second value.
 * Nanoseconds.
 */
#define KTPUT_FRAME_WAIT_MIN	(10 * NSEC_PER_USEC)
#define KTPUT_FRAME_WAIT_MAX	NSEC_PER_MSEC

extern const struct ktput_ops ktput_frame_source_ops;

/**
 * struct ktput_frame_source - stream of a source below the socket layer
 * @stream: what is scheduled
 * @dev: device, with a reference from its creation until the run's workers
 *	have stopped; NULL outside of that
 * @tracker: tracker of that reference
 * @queue: transmit queue; at the XDP layer the first, which it does not use
 * @index: its number
 * @burst: frames handed to the driver at a time
 * @priority: &sk_buff.priority of its frames
 * @payload_max: most payload bytes of a frame
 * @dropped: frames dropped on sending in the current turn
 * @dropped_bytes: their payload
 * @wait: delay in nanoseconds before polling again; see
 *	KTPUT_FRAME_WAIT_MIN
 * @unreturned: buffers that its device has not freed, once it has stopped
 *	sending; written by the worker, or once that is stopped (READ_ONCE
 *	elsewhere)
 * @shared: frame that is sent repeatedly, or NULL
 * @pending: frames that were built but not taken, linked by their next
 * @frame: the next frame
 * @pool: buffers
 * @bulk: frames of XDP for a call; the kernel may clear it on a stack
 *
 * Only the stream's worker uses what is behind @stream.
 */
struct ktput_frame_source {
	struct ktput_stream stream;
	struct net_device *dev;
	netdevice_tracker tracker;
	struct netdev_queue *queue;
	u32 index;
	u32 burst;
	u32 priority;
	u32 payload_max;
	u32 dropped;
	u32 dropped_bytes;
	u64 wait;
	u32 unreturned;
	struct sk_buff *shared;
	struct sk_buff *pending;
	struct ktput_frame frame;
	struct ktput_frame_pool pool;
	struct xdp_frame *bulk[KTPUT_MAX_BURST];
} ____cacheline_aligned_in_smp;

KTPUT_OWN_CACHELINES(struct ktput_frame_source);

static_assert(!offsetof(struct ktput_frame_source, stream));
KTPUT_SEPARATE_CACHELINES(struct ktput_frame_source, stream, dev);

/**
 * ktput_frame_source_of() - private part of a stream of frames
 * @stream: stream of a source below the socket layer
 *
 * Return: the structure that @stream is part of.
 */
static inline struct ktput_frame_source *
ktput_frame_source_of(struct ktput_stream *stream)
{
	return container_of(stream, struct ktput_frame_source, stream);
}

/* Sends frames; returns false if the stream has to wait. */
typedef bool ktput_frame_transmit_t(struct ktput_frame_source *source, u32 frames,
				    struct ktput_counters *delta);

/**
 * ktput_frame_source_in_bursts() - send frames in bursts
 * @source: source of the stream; bottom halves are disabled
 * @frames: how many
 * @delta: counters of the turn
 * @transmit: sends a burst; inlined, as it is known
 *
 * Return: false if the stream has to wait.
 */
static __always_inline
bool ktput_frame_source_in_bursts(struct ktput_frame_source *source, u32 frames,
				  struct ktput_counters *delta,
				  ktput_frame_transmit_t *transmit)
{
	while (frames) {
		const u32 now = min(frames, source->burst);

		if (unlikely(!transmit(source, now, delta)))
			return false;
		frames -= now;
	}
	return true;
}

/* frame_transmit.c */
struct sk_buff *ktput_frame_source_build(struct ktput_frame_source *source, u64 now);
bool ktput_frame_source_may_send(const struct ktput_frame_source *source);
void ktput_frame_source_set_turn(struct ktput_stream *stream);

/* frame_source.c */
enum ktput_verdict ktput_frame_source_drained(struct ktput_stream *stream);
int ktput_frame_source_prepare(struct ktput_run *run, struct netlink_ext_ack *extack);
void ktput_frame_source_end(struct ktput_run *run);
void ktput_frame_source_read(struct ktput_stream_reading *to,
			     struct ktput_stream *stream);
int ktput_frame_source_put(struct sk_buff *skb,
			   const struct ktput_stream_reading *stream);

#endif /* KTPUT_FRAME_SOURCE_H */
