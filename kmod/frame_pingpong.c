// SPDX-License-Identifier: GPL-2.0
/*
 * Ping-pong below the socket layer, without sockets, UDP, IP and queueing.
 *
 * A source passes a frame to the driver's transmit routine. The sink, at the
 * ingress hook of its device, turns the frame round (it swaps the addresses and
 * ports) and sends it the same way. At the source's own hook the response is
 * turned round again and becomes the next request. Only the number of the
 * request changes the checksum.
 *
 * All this runs in softirq, where nothing sleeps, and at most one answer is on
 * the stack of a CPU, see ktput_pingpong_enter(). The worker of a source sends
 * the first requests, requests that are not due when a response arrives, and
 * replacements for lost ones.
 *
 * Each send first checks netif_running(), with bottom halves disabled until the
 * frame is sent. What this protects against, and what protects a device without
 * a queueing discipline, is described in frame_transmit.c: the kernel waits for
 * an answer in softirq in the same cases as for a turn that sends.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktput_datagram.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/checksum.h>

#include "frame_pingpong.h"
#include "datagram.h"
#include "datagram_snapshot.h"
#include "ingress.h"
#include "frame_source.h"
#include "ops.h"
#include "pingpong.h"

/* Retry interval while no buffer is free, or the device takes no frames. */
#define WAIT	NSEC_PER_MSEC

/* Gives a frame to the driver, or drops it. */
static bool transmit(struct sk_buff *skb, struct net_device *dev,
		     struct netdev_queue *queue,
		     struct ktput_counters *delta)
{
	netdev_tx_t verdict = NETDEV_TX_BUSY;

	delta->calls++;
	HARD_TX_LOCK(dev, queue, smp_processor_id());
	if (likely(!netif_xmit_frozen_or_drv_stopped(queue)))
		verdict = netdev_start_xmit(skb, dev, queue, false);
	HARD_TX_UNLOCK(dev, queue);
	if (likely(verdict == NETDEV_TX_OK))
		return true;
	delta->drops++;
	if (!dev_xmit_complete(verdict))
		kfree_skb(skb);
	return false;
}

static void swap_addresses(struct sk_buff *skb)
{
	if (skb->protocol == htons(ETH_P_IPV6)) {
		struct ipv6hdr *ip = ipv6_hdr(skb);

		swap(ip->saddr, ip->daddr);
	} else {
		struct iphdr *ip = ip_hdr(skb);

		swap(ip->saddr, ip->daddr);
	}
}

static void swap_macs(struct ethhdr *ethernet)
{
	u8 mac[ETH_ALEN];

	ether_addr_copy(mac, ethernet->h_source);
	ether_addr_copy(ethernet->h_source, ethernet->h_dest);
	ether_addr_copy(ethernet->h_dest, mac);
}

/*
 * Turns a received frame into one to send back. Returns false if the frame is
 * shared, or without memory.
 */
static bool turn_round(struct sk_buff *skb, int offset)
{
	const int need = offset + sizeof(struct udphdr) +
			 sizeof(struct ktput_datagram);
	struct udphdr *udp;

	if (unlikely(skb_shared(skb) || !pskb_may_pull(skb, need) ||
		     skb_cow(skb, ETH_HLEN)))
		return false;
	swap_addresses(skb);
	udp = (struct udphdr *)(skb->data + offset);
	swap(udp->source, udp->dest);
	skb_set_transport_header(skb, offset);

	swap_macs(skb_push(skb, ETH_HLEN));
	skb_reset_mac_header(skb);
	/* A checksum that the receiving device has verified stays as it is. */
	if (skb->ip_summed != CHECKSUM_PARTIAL)
		skb->ip_summed = CHECKSUM_NONE;
	skb_clear_tstamp(skb);
	return true;
}

/* Writes the number of a request, which is built or turned round. */
static void set_number(struct sk_buff *skb, u32 sequence)
{
	struct udphdr *udp = udp_hdr(skb);
	struct ktput_datagram *header = (struct ktput_datagram *)(udp + 1);
	const __be32 number = cpu_to_be32(sequence);

	/* Otherwise the device completes it, or IPv4 has no checksum. */
	if (skb->ip_summed != CHECKSUM_PARTIAL && udp->check) {
		inet_proto_csum_replace4(&udp->check, skb, header->sequence,
					 number, false);
		if (!udp->check)
			udp->check = CSUM_MANGLED_0;
	}
	header->sequence = number;
}

/*
 * Sends the requests that are due. The first one reuses @skb, a response that
 * has been turned round, if not NULL. Returns when the next is due.
 */
static u64 request(struct ktput_stream *stream, struct sk_buff *skb, u64 now,
		   struct ktput_counters *delta)
{
	struct ktput_pingpong *pingpong = stream->pingpong;
	struct ktput_frame_source *source = ktput_frame_source_of(stream);
	u64 due = KTPUT_PINGPONG_NEVER;

	lockdep_assert_held(&pingpong->lock);
	while (!pingpong->closed &&
	       READ_ONCE(stream->state) == KTPUT_STATE_RUNNING) {
		u32 slot;

		due = ktput_pingpong_due(stream);
		if (due > now)
			break;
		if (!skb && ktput_frame_source_may_send(source))
			skb = ktput_frame_source_build(source,
						       ktput_datagram_now());
		if (unlikely(!skb)) {
			delta->would_blocks++;
			due = now + WAIT;
			break;
		}
		/*
		 * A slot is free, since fewer requests are under way than
		 * allowed.
		 */
		slot = ffz(pingpong->waiting);
		set_number(skb, ktput_pingpong_sequence(pingpong, slot));
		skb_set_queue_mapping(skb, source->index);
		ktput_pingpong_begin_datagram(stream, slot, now);
		/* A request that is dropped now times out like a lost one. */
		if (transmit(skb, source->dev, source->queue, delta))
			delta->bytes +=
				stream->run->config.pingpong.request_size;
		skb = NULL;
	}
	kfree_skb(skb);
	return due;
}

/* Answers a request. Consumes the frame. */
static void respond(struct sk_buff *skb, int offset, u32 length,
		    struct ktput_counters *delta)
{
	struct net_device *dev = skb->dev;
	unsigned int index = smp_processor_id();

	delta->bytes += length;
	if (unlikely(!netif_running(dev) || !turn_round(skb, offset))) {
		delta->drops++;
		kfree_skb(skb);
		return;
	}
	if (index >= READ_ONCE(dev->real_num_tx_queues))
		index = 0;
	skb_set_queue_mapping(skb, index);
	if (!transmit(skb, dev, netdev_get_tx_queue(dev, index), delta))
		return;
	delta->bytes += length;
	delta->messages++;
}

/* Takes a response, and sends what is due. Consumes the frame. */
static bool go_on(struct ktput_stream *stream, struct sk_buff *skb, int offset,
		  const struct ktput_datagram *header, u32 length,
		  struct ktput_counters *delta)
{
	const u64 now = ktime_get_ns();
	u64 due;

	if (!ktput_pingpong_take_response(stream, header, now)) {
		consume_skb(skb);
		return false;
	}
	delta->bytes += length;
	delta->messages++;
	if (stream->pingpong->closed ||
	    !ktput_frame_source_may_send(ktput_frame_source_of(stream)) ||
	    !turn_round(skb, offset)) {
		consume_skb(skb);
		skb = NULL;
	}
	due = request(stream, skb, now, delta);
	return ktput_pingpong_concerns_worker(stream, due);
}

static unsigned int take(struct ktput_stream *stream, struct sk_buff *skb,
			 int offset, u64 begin)
{
	const u32 length = skb->len - offset - sizeof(struct udphdr);
	const __be32 cookie = cpu_to_be32(stream->run->config.cookie);
	struct ktput_counters delta = { .calls = 1 };
	const struct ktput_datagram *header;
	struct ktput_datagram copy;
	bool concerns = false;

	header = skb_header_pointer(skb, offset + sizeof(struct udphdr),
				    sizeof(copy), &copy);
	if (!header || header->cookie != cookie || skb_is_gso(skb) ||
	    skb_mac_header(skb) + ETH_HLEN != skb->data ||
	    eth_type_vlan(skb->protocol))
		return NF_ACCEPT;
	/* There is no queue from which to take it later: it is lost. */
	if (unlikely(!ktput_pingpong_enter())) {
		ktput_pingpong_drop(stream);
		kfree_skb(skb);
		return NF_STOLEN;
	}
	spin_lock(&stream->pingpong->lock);
	if (stream->run->config.role == KTPUT_ROLE_SOURCE)
		concerns = go_on(stream, skb, offset, header, length, &delta);
	else
		respond(skb, offset, length, &delta);
	delta.call_cycles = ktput_counters_clock() - begin;
	ktput_pingpong_account(stream, &delta);
	spin_unlock(&stream->pingpong->lock);
	ktput_pingpong_leave();
	if (unlikely(concerns))
		ktput_turn_ready(&stream->turn);
	return NF_STOLEN;
}

static unsigned int called(void *ingress, struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	return ktput_ingress_called(ingress, skb, take);
}

/*
 * Gives up requests that have timed out and sends those that are due. Returns
 * when the next request is due.
 */
static u64 advance(struct ktput_stream *stream, struct ktput_counters *delta,
		   bool *idle)
{
	struct ktput_pingpong *pingpong = stream->pingpong;
	const u64 now = ktime_get_ns();
	u64 due;

	ktput_pingpong_lock(pingpong);
	ktput_pingpong_give_up(stream, now);
	due = request(stream, NULL, now, delta);
	*idle = !pingpong->under_way;
	ktput_pingpong_unlock(pingpong);
	return due;
}

static enum ktput_verdict take_turn(struct ktput_turn *turn,
				    struct ktput_counters *delta)
{
	struct ktput_stream *stream =
		container_of(turn, struct ktput_stream, turn);
	const enum ktput_state state = READ_ONCE(stream->state);
	bool idle;
	u64 due;

	if (state == KTPUT_STATE_ENDED)
		return KTPUT_TURN_WAIT;
	due = advance(stream, delta, &idle);
	if (idle && state == KTPUT_STATE_DRAINING)
		return ktput_frame_source_drained(stream);
	if (idle && !stream->messages_left) {
		ktput_pingpong_sent_all(stream);
		return KTPUT_TURN_WAIT;
	}
	return ktput_pingpong_wait(stream, due);
}

static int prepare_sink(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	return ktput_ingress_prepare(run, called, extack);
}

static int prepare_source(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	int error;

	error = ktput_frame_source_prepare(run, extack);
	if (error)
		return error;
	return ktput_ingress_prepare(run, called, extack);
}

/* Streams are closed, so frames still in the hook are not answered. */
static void end_source(struct ktput_run *run)
{
	ktput_ingress_end(run);
	/* No hook uses what is freed below after this. */
	synchronize_rcu();
	ktput_frame_source_end(run);
}

const struct ktput_ops ktput_frame_pingpong_source_ops = {
	.stream_size = sizeof(struct ktput_frame_source),
	.prepare = prepare_source,
	.begin = ktput_stream_begin_all,
	.end = end_source,
	.free = ktput_ingress_free,
	.leave = ktput_pingpong_close,
	.drained = ktput_frame_source_drained,
	.take = take_turn,
	.read = ktput_frame_source_read,
	.put = ktput_frame_source_put,
};

const struct ktput_ops ktput_frame_pingpong_sink_ops = {
	.stream_size = sizeof(struct ktput_stream),
	.workerless = true,
	.prepare = prepare_sink,
	.end = ktput_ingress_end,
	.free = ktput_ingress_free,
	.leave = ktput_pingpong_close,
	.put = ktput_datagram_put_sink,
};
