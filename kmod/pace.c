// SPDX-License-Identifier: GPL-2.0
/*
 * Pacing: when a stream may send.
 *
 * Each packet puts off the next by the time that the rate gives it, in fixed
 * point with 32 fractional bits, so that the mean rate is exact to 2.6e-7 at
 * the highest rate. A stream that is ahead waits: in its turn, which is taken
 * again at once, where the time left is less than what a timer and a wake-up
 * would take, else by a timer on its worker's CPU.
 */
#include "config.h"
#include "pace.h"

/* What setting a timer and waking a thread takes, at least. */
#define WAKE_UP_TIME	(5 * NSEC_PER_USEC)

static enum hrtimer_restart due(struct hrtimer *timer)
{
	ktput_turn_ready(container_of(timer, struct ktput_pace, timer)->turn);
	return HRTIMER_NORESTART;
}

/**
 * ktput_pace_init() - no pacing
 * @pace: zeroed
 * @turn: of the stream
 */
void ktput_pace_init(struct ktput_pace *pace, struct ktput_turn *turn)
{
	pace->turn = turn;
	hrtimer_setup(&pace->timer, due, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED);
}

/**
 * ktput_pace_begin() - have pacing begin now
 * @pace: from ktput_pace_init()
 * @config: configuration, whose rates are at most KTPUT_MAX_RATE, 2^40
 * @slot: place of the stream among those of the run, which take their first
 *	turns evenly within the time of a packet, not all together
 *
 * In ktput_pace_credit(), 2^23 ns of delay at most times a rate of 2^34 at
 * most stays within 64 bits.
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
	pace->next = ktime_get_ns() +
		     mul_u64_u32_div(period, slot, config->streams);
}

/**
 * ktput_pace_wait() - have a stream without credit take its turn when it is due
 * @pace: pacing; called in the stream's turn
 *
 * Return: how the turn is to end.
 */
enum ktput_verdict ktput_pace_wait(struct ktput_pace *pace)
{
	/* A callback may put it off meanwhile: the turn then waits once more. */
	const u64 next = READ_ONCE(pace->next);

	if ((s64)(next - ktime_get_ns()) < WAKE_UP_TIME)
		return KTPUT_TURN_AGAIN;
	hrtimer_start(&pace->timer, ns_to_ktime(next),
		      HRTIMER_MODE_ABS_PINNED);
	return KTPUT_TURN_WAIT;
}

/**
 * ktput_pace_look_again() - have a stream take its turn after a while
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
 * ktput_pace_stop() - no turn becomes ready by pacing any more
 * @pace: from ktput_pace_init(); by the stream's worker, or once it is stopped
 */
void ktput_pace_stop(struct ktput_pace *pace)
{
	hrtimer_cancel(&pace->timer);
}
