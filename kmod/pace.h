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
 * A stream that lags by up to this time catches up back to back. It is longer
 * than a tick of 4 ms, within which the scheduler runs a thread that competes
 * for the CPU. Older time is dropped, so that a long delay does not cause an
 * unwanted burst.
 */
#define KTPUT_PACE_CATCH_UP	(5 * NSEC_PER_MSEC)

/* Fractional bits of &ktput_pace.rate; see ktput_pace_begin() for the range. */
#define KTPUT_PACE_RATE_SHIFT	24

/**
 * struct ktput_pace - when a stream may send
 * @gap: time of a unit in 2^-32 ns; 0 without pacing
 * @rate: units per nanosecond, in 2^-24, rounded down
 * @next: CLOCK_MONOTONIC in nanoseconds when the next unit is due; 0 before the
 *	first turn of a stream that sends without waiting for responses
 * @first: nanoseconds from that turn until the first unit is due
 * @fraction: fraction of @next, in 2^-32 ns
 * @per_byte: a unit is a byte, not a packet
 * @timer: makes @turn ready at @next
 * @turn: turn of the stream
 *
 * Only the stream's worker uses it; with ping-pong, the holder of the lock of
 * its requests. Each packet leaves no sooner than it is due, of a burst of frames
 * the first: there is no bucket that fills while a stream may send.
 */
struct ktput_pace {
	u64 gap;
	u64 rate;
	u64 next;
	u64 first;
	u32 fraction;
	bool per_byte;
	struct hrtimer timer;
	struct ktput_turn *turn;
};

void ktput_pace_init(struct ktput_pace *pace, struct ktput_turn *turn);
void ktput_pace_begin(struct ktput_pace *pace,
		      const struct ktput_config *config, u32 slot);
s64 ktput_pace_late(struct ktput_pace *pace, u64 now);
enum ktput_verdict ktput_pace_wait_until(struct ktput_pace *pace, u64 time);
enum ktput_verdict ktput_pace_wait(struct ktput_pace *pace);
enum ktput_verdict ktput_pace_look_again(struct ktput_pace *pace, u64 wait);
void ktput_pace_stop(struct ktput_pace *pace);

/**
 * ktput_pace_credit() - credit that may be used now
 * @pace: pacing
 *
 * A packet may be sent while any credit is left. It uses ktput_pace_cost(), and
 * the last one may use more than is left. The caller then reports everything
 * sent to ktput_pace_sent().
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
	if (unlikely(lag > KTPUT_PACE_CATCH_UP))
		lag = ktput_pace_late(pace, now);
	if (lag < 0)
		return 0;
	return 1 + (lag * pace->rate >> KTPUT_PACE_RATE_SHIFT);
}

/**
 * ktput_pace_cost() - credit that a packet uses
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
 * @max: most packets to send, a few dozen at most
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
 * ktput_pace_sent() - account sent packets
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
	/* In two halves, neither of which overflows 64 bits. */
	fraction = units * (u32)pace->gap + pace->fraction;
	pace->next += units * (pace->gap >> 32) + (fraction >> 32);
	pace->fraction = fraction;
}

#endif /* KTPUT_PACE_H */
