// SPDX-License-Identifier: GPL-2.0
/*
 * Pacing: when a stream may send.
 *
 * Each packet delays the next by its time at the rate, in fixed point with 32
 * fractional bits, so that the mean rate is exact to 2.6e-7 at the highest
 * rate. A stream that is ahead waits. If the time left is less than a timer and
 * a wake-up would take, it repeats its turn at once; otherwise a timer on its
 * worker's CPU makes it ready.
 */
#include "config.h"
#include "pace.h"

/* Least time to set a timer and wake a thread. */
#define WAKE_UP_TIME	(5 * NSEC_PER_USEC)

static enum hrtimer_restart due(struct hrtimer *timer)
{
	ktput_turn_ready(container_of(timer, struct ktput_pace, timer)->turn);
	return HRTIMER_NORESTART;
}

/**
 * ktput_pace_init() - initialise without pacing
 * @pace: zeroed
 * @turn: turn of the stream
 */
void ktput_pace_init(struct ktput_pace *pace, struct ktput_turn *turn)
{
	pace->turn = turn;
	hrtimer_setup(&pace->timer, due, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED);
}

/**
 * ktput_pace_begin() - start pacing
 * @pace: from ktput_pace_init()
 * @config: configuration, whose rates are at most KTPUT_MAX_RATE, 2^40
 * @slot: index of the stream in the run; the first turns of streams are spread
 *	evenly over the time of a packet
 *
 * In ktput_pace_credit(), a delay of at most 2^23 ns times a rate of at most
 * 2^34 fits into 64 bits.
 */
void ktput_pace_begin(struct ktput_pace *pace,
		      const struct ktput_config *config, u32 slot)
{
	const u64 rate = config->packet_rate ?: config->pacing_rate;
	u64 period;

	BUILD_BUG_ON(KTPUT_MAX_RATE > 1ULL << 40);
	BUILD_BUG_ON(KTPUT_PACE_CATCH_UP >= 1 << 23);
	if (!rate)
		return;
	pace->per_byte = !config->packet_rate;
	pace->gap = div64_u64((u64)NSEC_PER_SEC << 32, rate);
	pace->rate = mul_u64_u32_div(rate, 1 << KTPUT_PACE_RATE_SHIFT,
				     NSEC_PER_SEC);
	period = mul_u64_u32_shr(pace->gap,
				 ktput_pace_cost(pace, config->message_size),
				 32);
	pace->first = mul_u64_u32_div(period, slot, config->streams);
	/* The time of a round trip counts from when its request was due. */
	if (config->pattern == KTPUT_PATTERN_PING_PONG)
		pace->next = ktime_get_ns() + pace->first;
}

/**
 * ktput_pace_late() - decide what becomes of more lag than is caught up
 * @pace: pacing, with a gap; called in the stream's turn
 * @now: CLOCK_MONOTONIC in nanoseconds
 *
 * In the first turn the rate begins: what it took to start the run is not made
 * up for by packets back to back.
 *
 * Return: nanoseconds that the stream lags, negative until a packet is due.
 */
s64 ktput_pace_late(struct ktput_pace *pace, u64 now)
{
	const s64 lag = pace->next ? KTPUT_PACE_CATCH_UP : -(s64)pace->first;

	pace->next = now - lag;
	return lag;
}

/**
 * ktput_pace_wait_until() - make a stream repeat its turn at a time
 * @pace: pacing; called in the stream's turn
 * @time: CLOCK_MONOTONIC in nanoseconds
 *
 * Return: how the turn is to end.
 */
enum ktput_verdict ktput_pace_wait_until(struct ktput_pace *pace, u64 time)
{
	if ((s64)(time - ktime_get_ns()) < WAKE_UP_TIME)
		return KTPUT_TURN_AGAIN;
	hrtimer_start(&pace->timer, ns_to_ktime(time),
		      HRTIMER_MODE_ABS_PINNED);
	return KTPUT_TURN_WAIT;
}

/**
 * ktput_pace_wait() - make a stream without credit wait until its next packet is due
 * @pace: pacing; called in the stream's turn
 *
 * Return: how the turn is to end.
 */
enum ktput_verdict ktput_pace_wait(struct ktput_pace *pace)
{
	return ktput_pace_wait_until(pace, pace->next);
}

/**
 * ktput_pace_look_again() - make a stream repeat its turn after a delay
 * @pace: pacing; called in the stream's turn
 * @wait: nanoseconds
 *
 * Return: how the turn is to end.
 */
enum ktput_verdict ktput_pace_look_again(struct ktput_pace *pace, u64 wait)
{
	hrtimer_start(&pace->timer, ns_to_ktime(ktime_get_ns() + wait),
		      HRTIMER_MODE_ABS_PINNED);
	return KTPUT_TURN_WAIT;
}

/**
 * ktput_pace_stop() - stop making turns ready by pacing
 * @pace: from ktput_pace_init(); called by the stream's worker, or once it is
 *	stopped
 */
void ktput_pace_stop(struct ktput_pace *pace)
{
	hrtimer_cancel(&pace->timer);
}
