// SPDX-License-Identifier: GPL-2.0
/*
 * Frames without sk_buff, for the driver's transmit routine of XDP.
 *
 * ndo_xdp_xmit() is where XDP programs redirect frames to. It takes several at a
 * time, chooses the transmit queue itself, by the CPU or by nothing, and takes the
 * lock that this needs. It runs with bottom halves disabled, as in NAPI, and in an
 * RCU read-side section, which drivers wait for before they free what it uses.
 *
 * A frame is a buffer of the pool: its page begins with &struct xdp_frame, and the
 * headroom follows. The memory type says that the page's reference is dropped when
 * the frame is freed, wherever that is: by the driver, by an XDP program's verdict,
 * or with an sk_buff that a receiver builds around the page. So a frame refers to
 * nothing else of the module, as those of the other layers.
 *
 * What the device does not take is dropped, as for XDP_REDIRECT: devices count it
 * as dropped, and so does the source.
 */
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <net/xdp.h>

#include "compat/xdp_xmit.h"
#include "counters.h"
#include "datagram.h"
#include "frame.h"
#include "frame_pool.h"
#include "frame_source.h"
#include "frame_xdp.h"

/* Of a frame, what is not set is 0. */
static_assert(MEM_TYPE_PAGE_SHARED == 0);

/**
 * ktput_frame_xdp_check() - refuse a device that takes no frames of XDP
 * @dev: device that is up; the caller holds RTNL
 * @extack: gets the reason of a refusal
 *
 * Return: 0; -EOPNOTSUPP if its driver never takes any; -ENXIO if it does not now.
 */
int ktput_frame_xdp_check(struct net_device *dev,
			  struct netlink_ext_ack *extack)
{
	if (!dev->netdev_ops->ndo_xdp_xmit) {
		NL_SET_ERR_MSG(extack,
			       "dev: its driver cannot send frames of XDP (ndo_xdp_xmit); all can at the driver layer");
		return -EOPNOTSUPP;
	}
	if (ktput_xdp_xmit_ready(dev))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "dev sends no frames of XDP as it is: veth wants GRO or a native XDP program at its peer, virtio_net a program of its own");
	return -ENXIO;
}

static struct xdp_frame *build(struct ktput_frame_source *source, u64 now)
{
	struct ktput_frame_pool *pool = &source->pool;
	struct page *page = ktput_frame_pool_page(pool);
	struct xdp_frame *frame;
	u8 *data;

	if (unlikely(!page))
		return NULL;
	frame = page_address(page);
	data = (u8 *)frame + pool->headroom;
	*frame = (struct xdp_frame) {
		.data = data,
		.len = ktput_frame_write(&source->frame, data, now),
		.headroom = pool->headroom - sizeof(*frame),
		.frame_sz = PAGE_SIZE << pool->order,
	};
	return frame;
}

/* Bytes of a frame that are no payload. */
static u32 overhead(const struct ktput_frame_source *source)
{
	return source->frame.length - sizeof(struct ktput_datagram);
}

/* Drops frames that the driver has not taken. */
static void drop(struct ktput_frame_source *source, struct xdp_frame **frames,
		 int count, struct ktput_counters *delta)
{
	while (count--) {
		const u32 bytes = (*frames)->len - overhead(source);

		delta->drops++;
		delta->bytes -= bytes;
		source->dropped++;
		source->dropped_bytes += bytes;
		put_page(virt_to_head_page(*frames++));
	}
}

/*
 * What a driver refuses as a whole is not about a frame. A device that goes down has
 * lost its carrier before it refuses, for which the stream waits, as at other layers.
 */
static void refused(struct ktput_frame_source *source, int error,
		    struct ktput_counters *delta)
{
	/* Pairs with the barrier of atomic bit operations on the carrier. */
	smp_rmb();
	if (error == -ENETDOWN || !ktput_frame_source_may_send(source))
		delta->stopped++;
	else
		WRITE_ONCE(source->stream.error, -error);
}

/* Passes frames to the driver in a call. Returns false if the stream has to wait. */
static bool burst(struct ktput_frame_source *source, u32 count,
		  struct ktput_counters *delta)
{
	struct net_device *dev = source->dev;
	const u64 now = ktput_datagram_now();
	struct xdp_frame **frames = source->bulk;
	u32 built, bytes = 0;
	int sent;

	for (built = 0; built < count; built++) {
		frames[built] = build(source, now);
		if (unlikely(!frames[built])) {
			delta->would_blocks++;
			break;
		}
		bytes += frames[built]->len;
	}
	if (unlikely(!built))
		return false;
	delta->bytes += bytes - built * overhead(source);
	delta->calls++;
	rcu_read_lock();
	sent = dev->netdev_ops->ndo_xdp_xmit(dev, built, frames,
					     XDP_XMIT_FLUSH);
	rcu_read_unlock();
	if (unlikely(sent < 0)) {
		refused(source, sent, delta);
		sent = 0;
	}
	delta->messages += sent;
	if (likely((u32)sent == count))
		return true;
	drop(source, frames + sent, built - sent, delta);
	return false;
}

/**
 * ktput_frame_xdp_send() - send frames
 * @source: source of the stream; bottom halves are disabled
 * @frames: how many
 * @delta: counters of the turn
 *
 * Return: false if the stream has to wait.
 */
bool ktput_frame_xdp_send(struct ktput_frame_source *source, u32 frames,
			  struct ktput_counters *delta)
{
	return ktput_frame_source_in_bursts(source, frames, delta, burst);
}
