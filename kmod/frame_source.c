// SPDX-License-Identifier: GPL-2.0
/*
 * Sources below the socket layer: frames passed to dev_queue_xmit(), or to the
 * driver's transmit routine.
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
 * Frames have the headroom that XDP requires. Otherwise veth copies each frame
 * to a page of its own before an XDP program of its peer sees it.
 *
 * A timer polls while a queue is stopped, the device has no carrier, or all
 * buffers of the pool are in use: nothing reports that a stopped queue has been
 * restarted.
 */
#include <linux/bpf.h>
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/netlink.h>

#include "address.h"
#include "datagram.h"
#include "datagram_snapshot.h"
#include "frame.h"
#include "frame_source.h"
#include "netns.h"
#include "ops.h"
#include "frame_pool.h"
#include "run.h"
#include "snapshot.h"
#include "stream.h"

/* Most frames in a turn, which bounds the delay of softirqs. */
#define TURN_FRAMES	128

/* A turn's limit never cuts a burst short. */
static_assert(KTPUT_MAX_BURST <= TURN_FRAMES);

/* Delay before polling again, doubled each time up to the second value. */
#define WAIT_MIN	(10 * NSEC_PER_USEC)
#define WAIT_MAX	NSEC_PER_MSEC

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
	ktput_frame_write(&source->frame, skb, now);
	ktput_frame_advance(&source->frame);
	skb->dev = source->dev;
	skb->priority = source->priority;
	skb_set_queue_mapping(skb, source->index);
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

/*
 * Passes frames to the driver in bursts. Returns false if the stream has to
 * wait.
 */
static bool to_driver(struct ktput_frame_source *source, u32 frames,
		      struct ktput_counters *delta)
{
	while (frames) {
		const u32 now = min(frames, source->burst);

		if (unlikely(!burst(source, now, delta)))
			return false;
		frames -= now;
	}
	return true;
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

	source->wait = min_t(u64, 2 * wait, WAIT_MAX);
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

/* Sends frames; returns false if the stream has to wait. */
typedef bool transmit_t(struct ktput_frame_source *source, u32 frames,
			struct ktput_counters *delta);

/* Inlined with @transmit known, to avoid an indirect call. */
static __always_inline
enum ktput_verdict send(struct ktput_stream *stream,
			struct ktput_counters *delta, transmit_t *transmit)
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
	source->wait = WAIT_MIN;
	return KTPUT_TURN_AGAIN;
}

static void free_frames(struct ktput_frame_source *source)
{
	kfree_skb_list(source->pending);
	source->pending = NULL;
}

/* Number of buffers that the device has not freed. */
static u32 away(const struct ktput_frame_source *source)
{
	if (source->shared)
		return refcount_read(&source->shared->users) - 1;
	return ktput_frame_pool_away(&source->pool);
}

/**
 * ktput_frame_source_drained() - end a stream once the device has freed all its frames
 * @stream: stream that has stopped sending; called in its turn
 *
 * Return: KTPUT_TURN_WAIT.
 */
enum ktput_verdict ktput_frame_source_drained(struct ktput_stream *stream)
{
	struct ktput_frame_source *source = ktput_frame_source_of(stream);

	free_frames(source);
	WRITE_ONCE(source->unreturned, away(source));
	if (source->unreturned)
		return ktput_pace_look_again(&stream->pace, WAIT_MAX);
	ktput_stream_end(stream, 0);
	return KTPUT_TURN_WAIT;
}

static __always_inline
enum ktput_verdict turn_of(struct ktput_turn *turn,
			   struct ktput_counters *delta,
			   transmit_t *transmit)
{
	struct ktput_stream *stream = container_of(turn, struct ktput_stream,
						   turn);
	enum ktput_verdict verdict;

	if (unlikely(stream->state != KTPUT_STATE_RUNNING))
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

static enum ktput_verdict pace_turn(struct ktput_turn *turn,
				    struct ktput_counters *delta)
{
	return turn_of(turn, delta, to_nobody);
}

/*
 * Devices that inherit the flag from ether_setup(), yet queue their frames,
 * have it too (VRF, for one): sending a frame twice would corrupt their queue.
 * Hardware drivers, and dummy, which frees the frame, set it deliberately.
 */
static bool may_share(const struct net_device *dev)
{
	return dev->priv_flags & IFF_TX_SKB_SHARING &&
	       (dev->dev.parent ||
		(dev->rtnl_link_ops &&
		 !strcmp(dev->rtnl_link_ops->kind, "dummy")));
}

static int check_device(const struct net *net, const struct net_device *dev,
			const struct ktput_config *config,
			struct netlink_ext_ack *extack)
{
	const struct ktput_frame_config *frame = &config->frame;

	ASSERT_RTNL();
	if (!dev || !net_eq(dev_net(dev), net) ||
	    dev->ifindex != config->device ||
	    dev->reg_state != NETREG_REGISTERED) {
		NL_SET_ERR_MSG(extack, "dev: none with this index in this network namespace");
		return -ENODEV;
	}
	if (dev->flags & IFF_LOOPBACK) {
		NL_SET_ERR_MSG(extack, "dev: loopback can be sent on at the socket layer only");
		return -EOPNOTSUPP;
	}
	if (dev->type != ARPHRD_ETHER) {
		NL_SET_ERR_MSG(extack, "dev is not Ethernet, as frames are");
		return -EOPNOTSUPP;
	}
	if (!netif_running(dev)) {
		NL_SET_ERR_MSG(extack, "dev is down; set it up first");
		return -ENETDOWN;
	}
	if (find_last_bit(frame->queues, KTPUT_MAX_QUEUES) >=
	    dev->real_num_tx_queues) {
		NL_SET_ERR_MSG(extack, "queues: the device has not so many transmit queues");
		return -ERANGE;
	}
	/* It encrypts payload in place, which then is not 0 as frames require. */
	if (netif_is_macsec(dev)) {
		NL_SET_ERR_MSG(extack,
			       "dev is of MACsec, which writes into what frames share; use the socket layer");
		return -EOPNOTSUPP;
	}
	if (frame->reuse && !may_share(dev)) {
		NL_SET_ERR_MSG(extack,
			       "reuse: this device does not allow it; NICs with IFF_TX_SKB_SHARING and dummy do");
		return -EOPNOTSUPP;
	}
	if (frame->size_max > dev->mtu + ETH_HLEN + frame->tags * VLAN_HLEN) {
		NL_SET_ERR_MSG(extack, "size-max or mix: larger than MTU and header");
		return -EMSGSIZE;
	}
	return 0;
}

/* Builds the shared skb, which is written once. */
static int build_shared(struct ktput_frame_source *source)
{
	local_bh_disable();
	source->shared = ktput_frame_source_build(source, ktput_datagram_now());
	local_bh_enable();
	return source->shared ? 0 : -ENOMEM;
}

static void name_ends(struct ktput_stream *stream,
		      const struct ktput_frame *frame)
{
	stream->local = stream->run->config.local;
	stream->remote = stream->run->config.remote;
	ktput_address_set_port(&stream->local,
			       frame->ranges[KTPUT_FRAME_LOCAL_PORT].first);
	ktput_address_set_port(&stream->remote,
			       frame->ranges[KTPUT_FRAME_REMOTE_PORT].first);
}

/* Allocates memory, possibly much: without RTNL, for a device looked up before. */
static int create(struct ktput_stream *stream, struct net_device *dev,
		  u32 index, struct netlink_ext_ack *extack)
{
	struct ktput_frame_source *source = ktput_frame_source_of(stream);
	const struct ktput_config *config = &stream->run->config;
	int error;

	source->dev = dev;
	netdev_hold(dev, &source->tracker, GFP_KERNEL);
	source->queue = netdev_get_tx_queue(dev, index);
	source->index = index;
	source->burst = config->frame.burst;
	source->priority = config->priority;
	source->wait = WAIT_MIN;
	error = ktput_frame_create(&source->frame, config);
	if (error)
		return error;
	return ktput_frame_pool_create(&source->pool, stream->run->quota,
				       max_t(u32, LL_RESERVED_SPACE(dev),
					     XDP_PACKET_HEADROOM),
				       config->frame.size_max,
				       dev->needed_tailroom,
				       dev_to_node(&dev->dev), extack);
}

static typeof_member(struct ktput_turn, take)
turn_for(const struct ktput_config *config)
{
	if (config->layer == KTPUT_LAYER_QUEUE)
		return queue_turn;
	if (config->frame.pace_only)
		return pace_turn;
	return config->frame.reuse ? shared_turn : driver_turn;
}

static int create_all(struct ktput_run *run, struct net_device *dev,
		      struct netlink_ext_ack *extack)
{
	const struct ktput_config *config = &run->config;
	unsigned int index;
	int error;

	for_each_set_bit(index, config->frame.queues, KTPUT_MAX_QUEUES) {
		struct ktput_stream *stream;

		stream = ktput_run_add_stream(run, dev_to_node(&dev->dev));
		if (!stream)
			return -ENOMEM;
		if (!run->ops->take)
			stream->turn.take = turn_for(config);
		error = create(stream, dev, index, extack);
		if (error)
			return error;
		if (signal_pending(current))
			return -EINTR;
	}
	return 0;
}

static int set_up(struct ktput_stream *stream)
{
	const struct ktput_config *config = &stream->run->config;
	struct ktput_frame_source *source = ktput_frame_source_of(stream);

	ktput_frame_begin(&source->frame, config, source->dev,
			  stream->slot);
	name_ends(stream, &source->frame);
	source->payload_max = config->frame.size_max -
				source->frame.length +
				sizeof(struct ktput_datagram);
	return config->frame.reuse ? build_shared(source) : 0;
}

static int set_up_all(struct ktput_run *run)
{
	int error = 0;
	u32 i;

	for (i = 0; i < run->stream_count && !error; i++)
		error = set_up(run->streams[i]);
	return error;
}

/**
 * ktput_frame_source_prepare() - create the streams of a source
 * @run: run, not published yet
 * @extack: gets the reason of a refusal
 *
 * Return: 0, or the errno of the refusal.
 */
int ktput_frame_source_prepare(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	struct net *net = ktput_netns_net(run->netns);
	struct net_device *dev;
	int error;

	dev = dev_get_by_index(net, run->config.device);
	rtnl_lock();
	error = check_device(net, dev, &run->config, extack);
	rtnl_unlock();
	if (!error)
		error = create_all(run, dev, extack);
	if (!error) {
		rtnl_lock();
		/* The device may have been replaced or moved meanwhile. */
		error = check_device(net, dev, &run->config, extack);
		if (!error)
			error = set_up_all(run);
		rtnl_unlock();
	}
	dev_put(dev);
	return error;
}

static void begin(struct ktput_run *run)
{
	unsigned int i;

	for (i = 0; i < run->stream_count; i++)
		ktput_pace_begin(&run->streams[i]->pace, &run->config, i);
	ktput_stream_begin_all(run);
}

/*
 * Frames still in use refer to pages only, not to the module: they may be freed
 * at any time.
 */
static void destroy(struct ktput_stream *stream)
{
	struct ktput_frame_source *source = ktput_frame_source_of(stream);

	if (!source->dev)
		return;
	free_frames(source);
	if (source->frame.length)
		WRITE_ONCE(source->unreturned, away(source));
	kfree_skb(source->shared);
	ktput_frame_pool_destroy(&source->pool);
	ktput_frame_destroy(&source->frame);
	netdev_put(source->dev, &source->tracker);
	source->dev = NULL;
}

/**
 * ktput_frame_source_end() - undo ktput_frame_source_prepare()
 * @run: run whose workers are stopped and which has no other sender
 */
void ktput_frame_source_end(struct ktput_run *run)
{
	unsigned int i;

	/*
	 * The workers are stopped, and no timer triggers a turn that uses these
	 * any more.
	 */
	for (i = 0; i < run->stream_count; i++)
		destroy(run->streams[i]);
}

/**
 * ktput_frame_source_read() - read the state specific to a source of frames
 * @to: reading of the stream, with the common part filled in
 * @stream: stream; the caller holds the run's lock
 */
void ktput_frame_source_read(struct ktput_stream_reading *to,
			     struct ktput_stream *stream)
{
	to->unreturned = READ_ONCE(ktput_frame_source_of(stream)->unreturned);
}

/**
 * ktput_frame_source_put() - write the state specific to a source of frames
 * @skb: message
 * @stream: reading
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_frame_source_put(struct sk_buff *skb,
			   const struct ktput_stream_reading *stream)
{
	if (stream->unreturned &&
	    nla_put_u32(skb, KTPUT_A_STREAM_UNRETURNED, stream->unreturned))
		return -EMSGSIZE;
	return ktput_datagram_put_source(skb, stream);
}

const struct ktput_ops ktput_frame_source_ops = {
	.stream_size = sizeof(struct ktput_frame_source),
	.prepare = ktput_frame_source_prepare,
	.begin = begin,
	.end = ktput_frame_source_end,
	.drained = ktput_frame_source_drained,
	.read = ktput_frame_source_read,
	.put = ktput_frame_source_put,
};
