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
#include "thread.h"

struct ktput_run;
struct ktput_stream;
struct netlink_ext_ack;

extern const struct ktput_ops ktput_frame_source_ops;

/**
 * struct ktput_frame_source - state of a stream below the socket layer
 * @dev: device, with a reference
 * @tracker: tracker of that reference
 * @queue: transmit queue
 * @index: its number
 * @burst: frames handed to the driver at a time
 * @priority: &sk_buff.priority of its frames
 * @payload_max: most payload bytes of a frame
 * @dropped: frames dropped on sending in the current turn
 * @dropped_bytes: their payload
 * @wait: delay in nanoseconds before polling again; see WAIT_MIN of
 *	frame_source.c
 * @shared: frame that is sent repeatedly, or NULL
 * @pending: frames that were built but not taken, linked by their next
 * @frame: the next frame
 * @pool: buffers
 *
 * Only the stream's worker uses it.
 */
struct ktput_frame_source {
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
	struct sk_buff *shared;
	struct sk_buff *pending;
	struct ktput_frame frame;
	struct ktput_frame_pool pool;
} ____cacheline_aligned_in_smp;

KTPUT_OWN_CACHELINES(struct ktput_frame_source);

struct sk_buff *ktput_frame_source_build(struct ktput_frame_source *source, u64 now);
bool ktput_frame_source_may_send(const struct ktput_frame_source *source);
enum ktput_verdict ktput_frame_source_drain(struct ktput_stream *stream);
int ktput_frame_source_prepare(struct ktput_run *run, struct netlink_ext_ack *extack);
void ktput_frame_source_end(struct ktput_run *run);

#endif /* KTPUT_FRAME_SOURCE_H */
