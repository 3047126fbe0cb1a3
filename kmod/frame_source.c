// SPDX-License-Identifier: GPL-2.0
/*
 * Sources below the socket layer: which devices they accept, their streams and
 * what these own. frame_transmit.c is what sends.
 *
 * Frames have the headroom that XDP requires. Otherwise veth copies each frame
 * to a page of its own before an XDP program of its peer sees it.
 */
#include <linux/bpf.h>
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/netlink.h>

#include "address.h"
#include "datagram.h"
#include "datagram_snapshot.h"
#include "frame.h"
#include "frame_pool.h"
#include "frame_source.h"
#include "frame_xdp.h"
#include "netns.h"
#include "ops.h"
#include "run.h"
#include "snapshot.h"
#include "stream.h"

/* Streams that a request creates; each may allocate 1,024 buffers, or 16 MiB. */
#define POOLS_STEP	16

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
		return ktput_pace_look_again(&stream->pace, KTPUT_FRAME_WAIT_MAX);
	ktput_stream_end(stream, 0);
	return KTPUT_TURN_WAIT;
}

/*
 * Devices that inherit the flag from ether_setup(), yet queue their frames (VRF),
 * or have them received (netdevsim), have it too: sending a frame twice would
 * corrupt their queue. Hardware drivers have a parent and no link operations. They,
 * and dummy, which frees the frame, keep it deliberately.
 */
static bool may_share(const struct net_device *dev)
{
	if (!(dev->priv_flags & IFF_TX_SKB_SHARING))
		return false;
	return dev->rtnl_link_ops ? !strcmp(dev->rtnl_link_ops->kind, "dummy") :
				    !!dev->dev.parent;
}

static int check_device(const struct net *net, struct net_device *dev,
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
	if (config->layer == KTPUT_LAYER_XDP) {
		const int error = ktput_frame_xdp_check(dev, extack);

		if (error)
			return error;
	} else if (find_last_bit(frame->queues, KTPUT_MAX_QUEUES) >=
		   dev->real_num_tx_queues) {
		NL_SET_ERR_MSG(extack, "queues: the device has not so many transmit queues");
		return -ERANGE;
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
	source->wait = KTPUT_FRAME_WAIT_MIN;
	error = ktput_frame_create(&source->frame, config);
	if (error)
		return error;
	return ktput_frame_pool_create(&source->pool, stream->run->quota,
				       stream->run->memcg,
				       max_t(u32, LL_RESERVED_SPACE(dev),
					     XDP_PACKET_HEADROOM),
				       max_t(u32, config->frame.size_max,
					     sizeof(source->frame.headers)),
				       dev->needed_tailroom,
				       dev_to_node(&dev->dev), extack);
}

/* Creates the next streams; returns 1 if there are more. */
static int create_some(struct ktput_run *run, struct net_device *dev,
		       struct netlink_ext_ack *extack)
{
	struct ktput_preparation *at = &run->preparation;
	unsigned int i;
	int error;

	for (i = 0; i < POOLS_STEP && run->stream_count < run->config.streams;
	     i++) {
		struct ktput_stream *stream;
		u32 queue = 0;

		stream = ktput_run_add_stream(run, dev_to_node(&dev->dev));
		if (!stream)
			return -ENOMEM;
		if (!run->ops->take)
			ktput_frame_source_set_turn(stream);
		if (run->config.layer != KTPUT_LAYER_XDP) {
			queue = find_next_bit(run->config.frame.queues,
					      KTPUT_MAX_QUEUES, at->done);
			at->done = queue + 1;
		}
		error = create(stream, dev, queue, extack);
		if (error)
			return error;
	}
	return run->stream_count < run->config.streams;
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
	source->pool.recycles = config->layer == KTPUT_LAYER_DRIVER &&
				!stream->pingpong && !config->frame.reuse &&
				may_share(source->dev);
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
 * Return: 0, 1 if there are more to create, or the errno of the refusal.
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
	/* Streams of an earlier step may be of a device that was there then. */
	if (!error && run->stream_count &&
	    ktput_frame_source_of(run->streams[0])->dev != dev) {
		NL_SET_ERR_MSG(extack, "dev was removed meanwhile");
		error = -ENODEV;
	}
	if (!error)
		error = create_some(run, dev, extack);
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

/*
 * Frames still in use refer to pages only, not to the module: they may be freed
 * at any time. pages.c waits for that, to uncharge the quota.
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
	const struct ktput_frame_source *source = ktput_frame_source_of(stream);

	to->unreturned = READ_ONCE(source->unreturned);
	to->recycled = source->pool.recycles;
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
	if (stream->recycled && nla_put_flag(skb, KTPUT_A_STREAM_RECYCLED))
		return -EMSGSIZE;
	return ktput_datagram_put_source(skb, stream);
}

const struct ktput_ops ktput_frame_source_ops = {
	.stream_size = sizeof(struct ktput_frame_source),
	.prepare = ktput_frame_source_prepare,
	.begin = ktput_stream_begin_all,
	.end = ktput_frame_source_end,
	.drained = ktput_frame_source_drained,
	.read = ktput_frame_source_read,
	.put = ktput_frame_source_put,
};
