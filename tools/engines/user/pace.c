// SPDX-License-Identifier: GPL-2.0
/* pace: when a stream of datagrams may send. */
#include "clock.h"
#include "stream.h"

/*
 * How far behind a stream may be and still make up for it, back to back: the
 * module's bound, longer than a tick of the scheduler. What is older is forgone.
 */
#define CATCH_UP_NS	(5 * 1000000ULL)

static uint64_t units(const struct user_pace *pace, uint64_t packets,
		      uint64_t bytes)
{
	return pace->per_byte ? bytes : packets;
}

/**
 * user_pace_begin() - have pacing begin now
 * @pace: zeroed
 * @settings: with a rate, or without
 * @slot: place of the stream among those of the run, which begin evenly spread
 *	over the time of a packet
 */
void user_pace_begin(struct user_pace *pace,
		     const struct user_settings *settings, uint32_t slot)
{
	uint64_t rate = settings->packet_rate ? settings->packet_rate :
						settings->pacing_rate;
	unsigned __int128 period;

	if (!rate)
		return;
	pace->per_byte = !settings->packet_rate;
	pace->gap = (UNITS_NSEC_PER_SEC << 32) / rate;
	period = (unsigned __int128)pace->gap *
		 units(pace, 1, settings->message_size);
	pace->next = user_clock_now() +
		     (uint64_t)((period >> 32) * slot / settings->streams);
}

/**
 * user_pace_packets() - how many packets of one size may be sent now
 * @pace: pacing
 * @now: CLOCK_MONOTONIC in nanoseconds, not read without pacing
 * @bytes: of each packet
 * @max: packets that the caller would send
 *
 * Return: packets, up to @max; 0 means to wait until @pace's next.
 */
uint64_t user_pace_packets(struct user_pace *pace, uint64_t now,
			   uint32_t bytes, uint64_t max)
{
	unsigned __int128 lag, cost;

	if (!pace->gap)
		return max;
	if (now < pace->next)
		return 0;
	if (now - pace->next > CATCH_UP_NS)
		pace->next = now - CATCH_UP_NS;
	lag = (unsigned __int128)(now - pace->next) << 32;
	cost = (unsigned __int128)pace->gap * units(pace, 1, bytes);
	/* One is due; the others are those that were due before now. */
	return lag / cost < max ? 1 + (uint64_t)(lag / cost) : max;
}

/**
 * user_pace_sent() - tell what was sent
 * @pace: pacing
 * @packets: number of packets
 * @bytes: of all of them
 */
void user_pace_sent(struct user_pace *pace, uint64_t packets, uint64_t bytes)
{
	unsigned __int128 time;

	if (!pace->gap)
		return;
	time = (unsigned __int128)pace->gap * units(pace, packets, bytes) +
	       pace->fraction;
	pace->next += (uint64_t)(time >> 32);
	pace->fraction = (uint32_t)time;
}
