/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pacing: when a stream may send.
 */
#ifndef KTPUT_PACE_H
#define KTPUT_PACE_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "worker.h"

struct ktput_config;

/*
 * How far behind a stream may be and still make up for it, back to back:
 * longer than a tick of 4 ms, within which the scheduler gives a thread that
 * competes for the CPU its turn. What is older is forgone, lest a long delay
 * be followed by a burst that nobody asked for.
 */
#define KTPUT_PACE_CATCH_UP	(5 * NSEC_PER_MSEC)

/* Fractional bits of &ktput_pace.rate; see ktput_pace_begin() for the range. */
#define KTPUT_PACE_RATE_SHIFT	24

/**
 * struct ktput_pace - when a stream may send
 * @gap: time that a unit takes, in 2^-32 ns; 0 where there is no pacing
 * @rate: units in a nanosecond, in 2^-24, rounded down
 * @next: CLOCK_MONOTONIC in nanoseconds when the next unit is due
 * @fraction: what @next is more than that, in 2^-32 ns
 * @per_byte: a unit is a byte, else a packet
 * @timer: makes @turn ready when @next has come
 * @turn: of the stream
 *
 * The stream's worker alone uses it; of ping-pong, whoever has the lock of its
 * requests, without which the worker looks at @next. Packets leave no sooner than
 * they are due, one by one: there is no bucket that fills while a stream may send.
 */
struct ktput_pace {
	u64 gap;
	u64 rate;
	u64 next;
	u32 fraction;
	bool per_byte;
	struct hrtimer timer;
	struct ktput_turn *turn;
};

void ktput_pace_init(struct ktput_pace *pace, struct ktput_turn *turn);
void ktput_pace_begin(struct ktput_pace *pace,
		      const struct ktput_config *config, u32 slot);
enum ktput_verdict ktput_pace_wait(struct ktput_pace *pace);
enum ktput_verdict ktput_pace_look_again(struct ktput_pace *pace, u64 wait);
void ktput_pace_stop(struct ktput_pace *pace);

/**
 * ktput_pace_credit() - how much may be sent now
 * @pace: pacing
 *
 * A packet may be sent as long as there is credit, which it takes
 * ktput_pace_cost() of; the last may take more than there is. All that was
 * sent is then told to ktput_pace_sent().
 *
 * Return: credit in units, S64_MAX without pacing; 0 means to wait.
 */
static inline s64 ktput_pace_credit(struct ktput_pace *pace)
{
	u64 now;
	s64 lag;

	if (!pace->gap)
		return S64_MAX;
	now = ktime_get_ns();
	lag = now - pace->next;
	if (lag < 0)
		return 0;
	if (lag > KTPUT_PACE_CATCH_UP) {
		lag = KTPUT_PACE_CATCH_UP;
		pace->next = now - lag;
	}
	return 1 + (lag * pace->rate >> KTPUT_PACE_RATE_SHIFT);
}

/**
 * ktput_pace_cost() - credit that a packet takes
 * @pace: pacing
 * @bytes: of the packet, as the layer counts them
 *
 * Return: units.
 */
static inline u32 ktput_pace_cost(const struct ktput_pace *pace, u32 bytes)
{
	return pace->per_byte ? bytes : 1;
}

/**
 * ktput_pace_packets() - how many packets of one size may be sent now
 * @pace: pacing
 * @bytes: of each packet
 * @max: packets that the caller would send, a few dozen at most
 *
 * Return: packets, up to @max; 0 means to wait.
 */
static inline u32 ktput_pace_packets(struct ktput_pace *pace, u32 bytes,
				     u32 max)
{
	const u32 cost = ktput_pace_cost(pace, bytes);
	s64 credit;
	u32 packets;

	if (!pace->gap)
		return max;
	credit = ktput_pace_credit(pace);
	for (packets = 0; packets < max && credit > 0; packets++)
		credit -= cost;
	return packets;
}

/**
 * ktput_pace_sent() - tell what was sent
 * @pace: pacing
 * @packets: number of packets
 * @bytes: of all of them
 */
static inline void ktput_pace_sent(struct ktput_pace *pace, u32 packets,
				   u32 bytes)
{
	const u64 units = pace->per_byte ? bytes : packets;
	u64 fraction;

	if (!pace->gap)
		return;
	/* In two halves, neither of which passes 64 bits. */
	fraction = units * (u32)pace->gap + pace->fraction;
	WRITE_ONCE(pace->next, pace->next + units * (pace->gap >> 32) +
			       (fraction >> 32));
	pace->fraction = fraction;
}

#endif /* KTPUT_PACE_H */
