/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * The peers of a stream of a sink of datagrams: which addresses have sent, and what.
 * The module and the engine in user space share this code; it has no locks.
 *
 * A datagram has no end that would tell of a peer's: one that has been silent for a
 * given time is over, and when it sends again it is another.
 */
#ifndef _UAPI_LINUX_KTPUT_PEERS_H
#define _UAPI_LINUX_KTPUT_PEERS_H

#include <linux/ktput.h>
#include <linux/types.h>

/**
 * struct ktput_peer - an address that has sent
 * @address: IPv6, or IPv4 mapped to it
 * @port: host order, 0 for one that has not sent
 * @id: number among the peers of the stream
 * @next: sequence number after the highest that has arrived
 * @begin: sequence number of the first that has arrived
 * @first: nanoseconds when that was
 * @last: nanoseconds when the latest arrived
 * @bytes: payload bytes
 * @datagrams: datagrams
 */
struct ktput_peer {
	__u8 address[16];
	__u16 port;
	__u32 id;
	__u32 next;
	__u32 begin;
	__u64 first;
	__u64 last;
	__u64 bytes;
	__u64 datagrams;
};

/**
 * struct ktput_peers - the peers of a stream
 * @silence: nanoseconds after which one is over
 * @count: peers that there have been
 * @latest: place of the one that sent last
 * @peer: those that are known; one that is over yields its place to another
 */
struct ktput_peers {
	__u64 silence;
	__u32 count;
	__u32 latest;
	struct ktput_peer peer[KTPUT_MAX_PEERS];
};

/* Whether what arrives now is from a peer, which is not over. */
static inline int ktput_peers_is(const struct ktput_peers *peers, __u32 place,
				 const struct ktput_peer *from)
{
	const struct ktput_peer *peer = &peers->peer[place];

	return peer->port == from->port &&
	       !__builtin_memcmp(peer->address, from->address,
				 sizeof(peer->address)) &&
	       from->last - peer->last < peers->silence;
}

/* The place of a peer, or of the one that is to yield its own to it. */
static inline __u32 ktput_peers_find(const struct ktput_peers *peers,
				     const struct ktput_peer *from)
{
	__u32 place, oldest = 0;

	if (ktput_peers_is(peers, peers->latest, from))
		return peers->latest;
	for (place = 0; place < KTPUT_MAX_PEERS; place++) {
		if (ktput_peers_is(peers, place, from))
			return place;
		if (peers->peer[place].last < peers->peer[oldest].last)
			oldest = place;
	}
	return oldest;
}

/**
 * ktput_peers_add() - account a datagram
 * @peers: of its stream
 * @from: its sender's @address and @port, @next as its sequence number, @last as the
 *	time when it arrived, and its @bytes
 *
 * Where as many peers are sending as there are places, those of others are not
 * accounted.
 */
static inline void ktput_peers_add(struct ktput_peers *peers,
				   const struct ktput_peer *from)
{
	const __u32 place = ktput_peers_find(peers, from);
	struct ktput_peer *peer = &peers->peer[place];

	if (!ktput_peers_is(peers, place, from)) {
		if (peer->port && from->last - peer->last < peers->silence)
			return;
		*peer = *from;
		peer->id = peers->count++;
		peer->begin = from->next;
		peer->first = from->last;
		peer->bytes = 0;
		peer->datagrams = 0;
	}
	peers->latest = place;
	if ((__s32)(from->next - peer->next) >= 0)
		peer->next = from->next + 1;
	peer->last = from->last;
	peer->bytes += from->bytes;
	peer->datagrams++;
}

/**
 * ktput_peer_lost() - datagrams of a peer that have not arrived
 * @peer: peer
 *
 * Those before the first that arrived, and behind the last one, are not known. A
 * datagram that arrived twice hides one.
 *
 * Return: how many are missing.
 */
static inline __u32 ktput_peer_lost(const struct ktput_peer *peer)
{
	const __s32 lost = peer->next - peer->begin - (__u32)peer->datagrams;

	return lost > 0 ? lost : 0;
}

#endif /* _UAPI_LINUX_KTPUT_PEERS_H */
