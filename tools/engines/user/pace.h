/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pace: when a stream of datagrams may send.
 *
 * Each packet puts off the next by the time that the rate gives it, in fixed
 * point of 2^-32 ns, as in the module. There is no bucket that fills.
 */
#ifndef KTPUT_USER_PACE_H
#define KTPUT_USER_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "settings.h"

/**
 * struct user_pace - when a stream may send
 * @gap: time that a unit takes, in 2^-32 ns; 0 where there is no pacing
 * @next: CLOCK_MONOTONIC in nanoseconds when the next unit is due
 * @fraction: what @next is more than that, in 2^-32 ns
 * @per_byte: a unit is a byte, else a packet
 */
struct user_pace {
	uint64_t gap;
	uint64_t next;
	uint32_t fraction;
	bool per_byte;
};

void user_pace_begin(struct user_pace *pace,
		     const struct user_settings *settings, uint32_t slot);
uint64_t user_pace_packets(struct user_pace *pace, uint64_t now,
			   uint32_t bytes, uint64_t max);
void user_pace_sent(struct user_pace *pace, uint64_t packets, uint64_t bytes);

#endif
