/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Datagrams: the header of each, and the receive statistics of a stream.
 */
#ifndef KTPUT_DATAGRAM_H
#define KTPUT_DATAGRAM_H

#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/ktput.h>
#include <linux/ktput_datagram.h>
#include <linux/ktput_rx_stats.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "cachelines.h"

/**
 * struct ktput_arrivals - receive statistics of a stream of datagrams
 * @lock: protects all. Datagrams of one flow arrive on one CPU at a time,
 *	unless the flow moves to another, so the lock is rarely contended. Taken
 *	in softirq, or with softirqs disabled.
 * @stats: statistics from the datagram headers
 * @calls: calls in which the layer handed datagrams over
 * @bytes: payload bytes of the run's datagrams
 * @first_cycles: cycle counter when the first arrived, 0 before
 * @last_cycles: cycle counter when the latest arrived, 0 before
 *
 * Part of a stream of a sink, and lives as long.
 */
struct ktput_arrivals {
	spinlock_t lock; /* see above */
	struct ktput_rx_stats stats;
	u64 calls;
	u64 bytes;
	u64 first_cycles;
	u64 last_cycles;
} ____cacheline_aligned_in_smp;

KTPUT_OWN_CACHELINES(struct ktput_arrivals);

void ktput_arrivals_init(struct ktput_arrivals *arrivals);
void ktput_arrivals_add(struct ktput_arrivals *arrivals,
			const struct ktput_datagram *header, u32 length,
			u64 now);
void ktput_arrivals_read(struct ktput_arrivals *to,
			 struct ktput_arrivals *from);

/**
 * ktput_datagram_fill() - write the header of a datagram
 * @header: at the beginning of the payload
 * @cookie: of the run
 * @sequence: number in the stream
 * @now: from ktput_datagram_now()
 */
static inline void ktput_datagram_fill(struct ktput_datagram *header,
				       u32 cookie, u32 sequence, u64 now)
{
	BUILD_BUG_ON(sizeof(*header) != KTPUT_MIN_DATAGRAM);
	header->cookie = cpu_to_be32(cookie);
	header->sequence = cpu_to_be32(sequence);
	header->time = cpu_to_be64(now);
}

/**
 * ktput_datagram_find() - find the header of a datagram of a run
 * @skb: received packet
 * @offset: where the payload of the datagram begins
 * @length: bytes of the payload
 * @cookie: of the run
 * @copy: buffer for the header
 *
 * A payload may be unreadable: a fragment may be device memory.
 *
 * Return: the header, or NULL if the payload has no header of the run.
 */
static inline const struct ktput_datagram *
ktput_datagram_find(const struct sk_buff *skb, u32 offset, u32 length,
		    __be32 cookie, struct ktput_datagram *copy)
{
	const struct ktput_datagram *header;

	if (length < sizeof(*copy))
		return NULL;
	header = skb_header_pointer(skb, offset, sizeof(*copy), copy);
	return header && header->cookie == cookie ? header : NULL;
}

/**
 * ktput_datagram_now() - clock of the time stamps in headers
 *
 * CLOCK_REALTIME, since hosts can synchronize it; CLOCK_MONOTONIC starts at
 * each host's boot.
 *
 * Return: nanoseconds.
 */
static inline u64 ktput_datagram_now(void)
{
	return ktime_get_real_ns();
}

#endif /* KTPUT_DATAGRAM_H */
