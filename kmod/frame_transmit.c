// SPDX-License-Identifier: GPL-2.0
/*
 * The turns of sources below the socket layer: frames are passed to
 * dev_queue_xmit(), to the driver's transmit routine, or to that for XDP.
 *
 * Each stream has its own transmit queue, and everything it writes is in its
 * own cache lines. Streams on different CPUs share only what the device shares.
 *
 * A turn runs with bottom halves disabled, and first checks netif_running() and
 * the number of transmit queues. So the removal of transmit queues waits for
 * the turn (synchronize_net()). Taking down a device that has a queueing
 * discipline also waits, between the change of netif_running() and ndo_stop().
 *
 * Since 6.14 the kernel does not wait there for a device without a queueing
 * discipline (noqueue): its ndo_stop() may run while a turn is in the transmit
 * routine. Drivers of such devices must allow that in any case: the kernel does
 * not wait for dev_queue_xmit() either, which checks only IFF_UP, cleared after
 * ndo_stop(). A NIC's discipline may be removed too, but its driver stops the
 * transmit queues first, and a turn checks them under the queue's lock.
 * Anything that a transmit routine uses beyond ndo_stop() is freed with the
 * device: with or without a discipline, its removal waits for turns after the
 * device is down, and before ndo_uninit() and the notifier.
 *
 * A timer polls while a queue is stopped, the device has no carrier, or all
 * buffers of the pool are in use: nothing reports that a stopped queue has been
 * restarted.
 */
#include <linux/netdevice.h>

#include "datagram.h"
#include "frame.h"
#include "frame_pool.h"
#include "frame_source.h"
#include "frame_xdp.h"
#include "pace.h"
#include "run.h"
#include "stream.h"

/* Most frames in a turn, which bounds the delay of softirqs. */
#define TURN_FRAMES	128

/* A turn's limit never cuts a burst short. */
static_assert(KTPUT_MAX_BURST <= TURN_FRAMES);

/* Tells a new sk_buff what all of the source's have in common. */
static void describe(struct ktput_frame_source *source, struct sk_buff *skb)
{
	ktput_frame_describe(&source->frame, skb);
	skb->dev = source->dev;
	skb->priority = source->priority;
	skb_set_queue_mapping(skb, source->index);
	if (source->pool.recycles)
		ktput_frame_pool_learn(&source->pool, skb);
}

/**
 * ktput_frame_source_build() - build the next frame
 * @source: source of the stream; only the caller uses it, with bottom halves
 *	disabled
 * @now: from ktput_datagram_now()
 *
 * Return: the frame, or NULL if all buffers are in use, or without memory.
 */
struct sk_buff *ktput_frame_source_build(struct ktput_frame_source *source, u64 now)
{
	struct sk_buff *skb = ktput_frame_pool_get(&source->pool);

	if (unlikely(!skb))
		return NULL;
	if (unlikely(!skb->dev))
		describe(source, skb);
	skb->len = ktput_frame_write(&source->frame, skb->data, now);
	skb_set_tail_pointer(skb, skb->len);
	return skb;
}

static struct sk_buff *take(struct ktput_frame_source *source, u64 now)
{
	struct sk_buff *skb = source->pending;

	if (likely(!skb))
		return ktput_frame_source_build(source, now);
	source->pending = skb->next;
	skb_mark_not_on_list(skb);
	return skb;
}

static void keep(struct ktput_frame_source *source, struct sk_buff *skb)
{
	if (!skb)
		return;
	skb->next = source->pending;
	source->pending = skb;
}

static u32 payload_of(const struct ktput_frame_source *source,
		      const struct sk_buff *skb)
{
	return skb->len - source->frame.length +
	       sizeof(struct ktput_datagram);
}

static void count(struct ktput_counters *delta, u32 bytes)
{
	delta->messages++;
	delta->bytes += bytes;
}

/* A dropped frame counts against the stream's share and its pacing. */
static void count_drop(struct ktput_frame_source *source,
		       struct ktput_counters *delta, u32 bytes)
{
	delta->drops++;
	source->dropped++;
	source->dropped_bytes += bytes;
}

/* Passes one frame to the queueing discipline. */
static void queue_one(struct ktput_frame_source *source, struct sk_buff *skb,
		      struct ktput_counters *delta)
{
	const u32 bytes = payload_of(source, skb);

	/* Selects the queue, unless something else does. */
	skb_record_rx_queue(skb, source->index);
	delta->calls++;
	switch (dev_queue_xmit(skb)) {
	case NET_XMIT_CN:
		delta->drops++;
		fallthrough;
	case NET_XMIT_SUCCESS:
		count(delta, bytes);
		break;
	default:
		count_drop(source, delta, bytes);
		break;
	}
}

/*
 * Passes frames to the queueing discipline. Returns false if the stream has to
 * wait.
 */
static bool to_queue(struct ktput_frame_source *source, u32 frames,
		     struct ktput_counters *delta)
{
	while (frames--) {
		struct sk_buff *skb;

		skb = ktput_frame_source_build(source, ktput_datagram_now());
		if (unlikely(!skb)) {
			delta->would_blocks++;
			return false;
		}
		queue_one(source, skb, delta);
	}
	return true;
}

/*
 * Passes a burst of frames to the driver. Each frame is built before its
 * predecessor is sent, so that xmit_more is never set without a successor.
 */
static bool burst(struct ktput_frame_source *source, u32 frames,
		  struct ktput_counters *delta)
{
	struct netdev_queue *queue = source->queue;
	struct net_device *dev = source->dev;
	const u64 now = ktput_datagram_now();
	struct sk_buff *skb, *next;
	bool goes_on = true;

	skb = take(source, now);
	if (unlikely(!skb)) {
		delta->would_blocks++;
		return false;
	}
	HARD_TX_LOCK(dev, queue, smp_processor_id());
	for (; skb; skb = next) {
		const u32 bytes = payload_of(source, skb);
		netdev_tx_t verdict;

		if (unlikely(netif_xmit_frozen_or_drv_stopped(queue))) {
			delta->stopped++;
			keep(source, skb);
			goes_on = false;
			break;
		}
		next = --frames ? take(source, now) : NULL;
		delta->calls++;
		verdict = netdev_start_xmit(skb, dev, queue, next);
		if (likely(verdict == NETDEV_TX_OK)) {
			count(delta, bytes);
		} else if (dev_xmit_complete(verdict)) {
			count_drop(source, delta, bytes);
		} else {
			delta->busy++;
			keep(source, next);
			keep(source, skb);
			goes_on = false;
			break;
		}
	}
	HARD_TX_UNLOCK(dev, queue);
	return goes_on;
}

static bool to_driver(struct ktput_frame_source *source, u32 frames,
		      struct ktput_counters *delta)
{
	return ktput_frame_source_in_bursts(source, frames, delta, burst);
}

/*
 * Passes one frame repeatedly to the driver, which drops a reference each time.
 * Returns the number of frames not taken.
 */
static u32 burst_shared(struct ktput_frame_source *source, u32 frames,
			struct ktput_counters *delta)
{
	struct netdev_queue *queue = source->queue;
	struct net_device *dev = source->dev;

	HARD_TX_LOCK(dev, queue, smp_processor_id());
	do {
		netdev_tx_t verdict;

		if (unlikely(netif_xmit_frozen_or_drv_stopped(queue))) {
			delta->stopped++;
			break;
		}
		verdict = netdev_start_xmit(source->shared, dev, queue,
					    frames > 1);
		if (unlikely(verdict != NETDEV_TX_OK)) {
			if (!dev_xmit_complete(verdict)) {
				delta->busy++;
				break;
			}
			count_drop(source, delta, source->payload_max);
		}
	} while (--frames);
	HARD_TX_UNLOCK(dev, queue);
	return frames;
}

/* As to_driver(), with the one shared frame. */
static bool to_driver_shared(struct ktput_frame_source *source, u32 frames,
			     struct ktput_counters *delta)
{
	refcount_t *users = &source->shared->users;
	u32 sent, left = frames;

	refcount_add(frames, users);
	while (left) {
		const u32 now = min(left, source->burst);
		const u32 not_taken = burst_shared(source, now, delta);

		left -= now - not_taken;
		if (unlikely(not_taken))
			break;
	}
	if (unlikely(left))
		WARN_ON_ONCE(refcount_sub_and_test(left, users));

	delta->calls += frames - left;
	sent = frames - left - delta->drops;
	delta->messages += sent;
	delta->bytes += (u64)sent * source->payload_max;
	return !left;
}

/* Counts frames that are due: all that pacing takes, without a frame. */
static bool to_nobody(struct ktput_frame_source *source, u32 frames,
		      struct ktput_counters *delta)
{
	delta->messages += frames;
	delta->bytes += (u64)frames * source->payload_max;
	return true;
}

static enum ktput_verdict back_off(struct ktput_stream *stream)
{
	struct ktput_frame_source *source = ktput_frame_source_of(stream);
	const u64 wait = source->wait;

	source->wait = min_t(u64, 2 * wait, KTPUT_FRAME_WAIT_MAX);
	return ktput_pace_look_again(&stream->pace, wait);
}

/* Number of frames that a turn may send. */
static u32 allowance(struct ktput_stream *stream)
{
	const struct ktput_frame_source *source = ktput_frame_source_of(stream);
	u32 frames = TURN_FRAMES, whole = 0, due;

	if (unlikely(stream->messages_left < frames))
		frames = stream->messages_left;
	/*
	 * Near the end, frames go one by one; the last may exceed the bytes
	 * left.
	 */
	if (unlikely(stream->bytes_left < frames * source->payload_max))
		frames = 1;
	due = ktput_pace_packets(&stream->pace, source->payload_max, frames);
	if (!stream->pace.gap)
		return due;
	/* A burst leaves as a whole once its first frame is due. */
	while (whole < due)
		whole += source->burst;
	return min(whole, frames);
}

/* Returns true if the stream has sent its share. */
static bool account(struct ktput_stream *stream,
		    const struct ktput_counters *delta)
{
	struct ktput_frame_source *source = ktput_frame_source_of(stream);

	ktput_pace_sent(&stream->pace, delta->messages + source->dropped,
			delta->bytes + source->dropped_bytes);
	if (unlikely(source->dropped)) {
		source->dropped = 0;
		source->dropped_bytes = 0;
	}
	stream->messages_left -= delta->messages;
	stream->bytes_left -= min(delta->bytes, stream->bytes_left);
	return !stream->messages_left || !stream->bytes_left;
}

/**
 * ktput_frame_source_may_send() - whether a device takes frames
 * @source: source of a stream; bottom halves are disabled
 *
 * Return: false if the stream has to wait.
 */
bool ktput_frame_source_may_send(const struct ktput_frame_source *source)
{
	const struct net_device *dev = source->dev;

	return netif_running(dev) && netif_carrier_ok(dev) &&
	       source->index < READ_ONCE(dev->real_num_tx_queues);
}

/* Inlined with @transmit known, to avoid an indirect call. */
static __always_inline
enum ktput_verdict send(struct ktput_stream *stream,
			struct ktput_counters *delta, ktput_frame_transmit_t *transmit)
{
	struct ktput_frame_source *source = ktput_frame_source_of(stream);
	struct ktput_run *run = stream->run;
	bool goes_on;
	u32 frames;

	if (unlikely(!ktput_frame_source_may_send(source))) {
		delta->stopped++;
		return back_off(stream);
	}
	frames = allowance(stream);
	if (!frames)
		return ktput_pace_wait(&stream->pace);
	goes_on = transmit(source, frames, delta);
	if (account(stream, delta)) {
		ktput_stream_sent(stream);
		ktput_run_stream_sent(run, run->config.end_bytes ?
				      KTPUT_REASON_BYTES :
				      KTPUT_REASON_MESSAGES);
		return KTPUT_TURN_WAIT;
	}
	if (!goes_on)
		return back_off(stream);
	source->wait = KTPUT_FRAME_WAIT_MIN;
	return KTPUT_TURN_AGAIN;
}

static __always_inline
enum ktput_verdict turn_of(struct ktput_turn *turn,
			   struct ktput_counters *delta,
			   ktput_frame_transmit_t *transmit)
{
	struct ktput_stream *stream = container_of(turn, struct ktput_stream,
						   turn);
	enum ktput_verdict verdict;

	if (unlikely(stream->state != KTPUT_STATE_RUNNING || stream->error))
		return ktput_stream_wind_up(stream, stream->state);
	local_bh_disable();
	verdict = send(stream, delta, transmit);
	local_bh_enable();
	return verdict;
}

static enum ktput_verdict queue_turn(struct ktput_turn *turn,
				     struct ktput_counters *delta)
{
	return turn_of(turn, delta, to_queue);
}

static enum ktput_verdict driver_turn(struct ktput_turn *turn,
				      struct ktput_counters *delta)
{
	return turn_of(turn, delta, to_driver);
}

static enum ktput_verdict shared_turn(struct ktput_turn *turn,
				      struct ktput_counters *delta)
{
	return turn_of(turn, delta, to_driver_shared);
}

static enum ktput_verdict xdp_turn(struct ktput_turn *turn,
				   struct ktput_counters *delta)
{
	return turn_of(turn, delta, ktput_frame_xdp_send);
}

static enum ktput_verdict pace_turn(struct ktput_turn *turn,
				    struct ktput_counters *delta)
{
	return turn_of(turn, delta, to_nobody);
}

/**
 * ktput_frame_source_set_turn() - choose what sends the frames of a stream
 * @stream: stream of a source below the socket layer, not published yet
 */
void ktput_frame_source_set_turn(struct ktput_stream *stream)
{
	const struct ktput_config *config = &stream->run->config;

	if (config->layer == KTPUT_LAYER_QUEUE)
		stream->turn.take = queue_turn;
	else if (config->layer == KTPUT_LAYER_XDP)
		stream->turn.take = xdp_turn;
	else if (config->frame.pace_only)
		stream->turn.take = pace_turn;
	else if (config->frame.reuse)
		stream->turn.take = shared_turn;
	else
		stream->turn.take = driver_turn;
}
