// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams in a snapshot: read a stream's state and write it to a message.
 */
#include <linux/ktput_peers.h>
#include <net/ipv6.h>
#include <net/netlink.h>

#include "datagram.h"
#include "datagram_snapshot.h"
#include "run.h"
#include "snapshot.h"
#include "udp.h"

/**
 * ktput_datagram_read() - read what a stream of a sink of datagrams has received
 * @to: reading of the stream, with the common part filled in
 * @run: run of the stream; the caller holds its lock
 * @arrivals: statistics of the stream
 *
 * Turns count in the stream's tally; softirq counts only in its arrivals.
 */
void ktput_datagram_read(struct ktput_stream_reading *to,
			 const struct ktput_run *run,
			 struct ktput_arrivals *arrivals)
{
	ktput_arrivals_read(&to->arrivals, arrivals);
	if (!ktput_run_in_softirq(run))
		return;
	to->counters.bytes = to->arrivals.bytes;
	to->counters.messages = to->arrivals.stats.received;
	to->counters.calls = to->arrivals.calls;
	to->first_cycles = to->arrivals.first_cycles;
	to->last_cycles = to->arrivals.last_cycles;
}

/**
 * ktput_datagram_put_source() - write the state specific to a source of datagrams
 * @skb: message
 * @stream: reading
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_datagram_put_source(struct sk_buff *skb,
			      const struct ktput_stream_reading *stream)
{
	struct nlattr *nest = nla_nest_start(skb, KTPUT_A_STREAM_DATAGRAM);
	const int pad = KTPUT_A_DATAGRAM_PAD;

	if (!nest ||
	    nla_put_u64_64bit(skb, KTPUT_A_DATAGRAM_REFUSALS, stream->refusals,
			      pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_DATAGRAM_SEND_FAILURES,
			      stream->failures, pad) ||
	    nla_put_u32(skb, KTPUT_A_DATAGRAM_SEND_FAILURE, stream->failure))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static bool put_delays(struct sk_buff *skb, const struct ktput_rx_stats *stats)
{
	const int pad = KTPUT_A_DATAGRAM_PAD;

	return !nla_put_s64(skb, KTPUT_A_DATAGRAM_DELAY_MIN, stats->delay_min,
			    pad) &&
	       !nla_put_s64(skb, KTPUT_A_DATAGRAM_DELAY_MAX, stats->delay_max,
			    pad) &&
	       !nla_put_s64(skb, KTPUT_A_DATAGRAM_DELAY_SUM, stats->delay_sum,
			    pad);
}

/**
 * ktput_datagram_put_sink() - write the state specific to a sink of datagrams
 * @skb: message
 * @stream: reading
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_datagram_put_sink(struct sk_buff *skb,
			    const struct ktput_stream_reading *stream)
{
	const struct ktput_rx_stats *stats = &stream->arrivals.stats;
	const struct {
		int attribute;
		u64 value;
	} rows[] = {
		{ KTPUT_A_DATAGRAM_DATAGRAMS, stats->received },
		{ KTPUT_A_DATAGRAM_LOST, stats->lost },
		{ KTPUT_A_DATAGRAM_REORDERED, stats->reordered },
		{ KTPUT_A_DATAGRAM_DUPLICATES, stats->duplicates },
		{ KTPUT_A_DATAGRAM_LATE, stats->late },
		{ KTPUT_A_DATAGRAM_FOREIGN, stats->foreign },
		{ KTPUT_A_DATAGRAM_DROPS, stream->drops },
		{ KTPUT_A_DATAGRAM_JITTER, stats->jitter >> 4 },
	};
	struct nlattr *nest = nla_nest_start(skb, KTPUT_A_STREAM_DATAGRAM);
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (nla_put_u64_64bit(skb, rows[i].attribute, rows[i].value,
				      KTPUT_A_DATAGRAM_PAD))
			return -EMSGSIZE;
	if (stats->received && !put_delays(skb, stats))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_peer_address(struct sk_buff *skb, const struct ktput_peer *peer)
{
	struct in6_addr address;

	memcpy(&address, peer->address, sizeof(address));
	if (ipv6_addr_v4mapped(&address))
		return nla_put_in_addr(skb, KTPUT_A_PEER_IPV4,
				       address.s6_addr32[3]);
	return nla_put_in6_addr(skb, KTPUT_A_PEER_IPV6, &address);
}

/**
 * ktput_datagram_put_peer() - write a peer of a UDP sink
 * @skb: message
 * @run: run of the sink, which tells its peers apart
 * @index: number of the peer among the places that all streams have
 * @places: 1; set to the places that need not be looked at, this one included
 *
 * It is read now, and so includes what has arrived since the streams were read.
 *
 * Return: 0; -EMSGSIZE where @skb has no room; -ENODATA for a place without a peer;
 * -ENOENT if there is no such place.
 */
int ktput_datagram_put_peer(struct sk_buff *skb, const struct ktput_run *run,
			    unsigned long index, unsigned int *places)
{
	const unsigned long slot = index / KTPUT_MAX_PEERS;
	const u32 place = index % KTPUT_MAX_PEERS;
	const int pad = KTPUT_A_PEER_PAD;
	struct ktput_arrivals *arrivals;
	struct ktput_peer peer;
	struct nlattr *nest;

	if (slot >= run->stream_count)
		return -ENOENT;
	arrivals = ktput_udp_arrivals(run->streams[slot]);
	spin_lock_bh(&arrivals->lock);
	peer = run->peers[slot].peer[place];
	spin_unlock_bh(&arrivals->lock);
	/* Places are taken in order: the rest of them is free, too. */
	if (!peer.datagrams) {
		*places = KTPUT_MAX_PEERS - place;
		return -ENODATA;
	}
	nest = nla_nest_start(skb, KTPUT_A_MESSAGE_PEER);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KTPUT_A_PEER_ID, peer.id) ||
	    nla_put_u32(skb, KTPUT_A_PEER_STREAM, run->streams[slot]->id) ||
	    put_peer_address(skb, &peer) ||
	    nla_put_u16(skb, KTPUT_A_PEER_PORT, peer.port) ||
	    nla_put_u64_64bit(skb, KTPUT_A_PEER_FIRST, peer.first, pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_PEER_LAST, peer.last, pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_PEER_BYTES, peer.bytes, pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_PEER_DATAGRAMS, peer.datagrams,
			      pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_PEER_LOST, ktput_peer_lost(&peer),
			      pad)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}
