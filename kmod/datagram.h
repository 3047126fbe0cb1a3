/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Datagrams: the header that each begins with, and what those come to that
 * arrive.
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
 * struct ktput_arrivals - what the datagrams of a stream that arrive come to
 * @lock: protects all. Datagrams of one flow arrive on one CPU at a time,
 *	unless the flow moves to another, so that nobody waits for it as a rule.
 *	Taken in softirq, or with it off.
 * @stats: what their headers tell
 * @calls: times that the layer handed datagrams over
 * @bytes: payload bytes of those of the run
 * @first_cycles: cycle counter when the first arrived, 0 before
 * @last_cycles: cycle counter when the latest arrived, 0 before
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

struct ktput_arrivals *ktput_arrivals_alloc(void);
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
 * @skb: what has come
 * @offset: where the payload of the datagram begins
 * @length: bytes of the payload
 * @cookie: of the run
 * @copy: room for the header
 *
 * Not every payload can be read: a fragment may be memory of a device.
 *
 * Return: the header, or NULL where there is none of the run.
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
 * ktput_datagram_now() - the clock that headers tell
 *
 * CLOCK_REALTIME, since hosts can agree about it: CLOCK_MONOTONIC begins with
 * the boot of each.
 *
 * Return: nanoseconds.
 */
static inline u64 ktput_datagram_now(void)
{
	return ktime_get_real_ns();
}

#endif /* KTPUT_DATAGRAM_H */
