/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clocks: the kernel's clocks in nanoseconds.
 */
#ifndef KTPUT_TOOLS_CLOCKS_H
#define KTPUT_TOOLS_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "units.h"

/**
 * clock_ns() - read a clock
 * @clock: clock that exists
 *
 * Return: nanoseconds.
 */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * UNITS_NSEC_PER_SEC + now.tv_nsec;
}

/**
 * monotonic_ns() - time since some moment in the past
 *
 * Return: nanoseconds of CLOCK_MONOTONIC, which is the module's clock too.
 */
static inline uint64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/*
 * clock_offset: whether the clock of this host was set.
 *
 * What slews the clock, as NTP does, slews CLOCK_MONOTONIC likewise. So the two
 * clocks move against each other only where CLOCK_REALTIME is set, by a leap
 * second, or by a suspend.
 */

/**
 * struct clock_offset - one clock against the other
 * @known: it was read
 * @ns: CLOCK_REALTIME less CLOCK_MONOTONIC
 */
struct clock_offset {
	bool known;
	int64_t ns;
};

void clock_offset_read(struct clock_offset *to);
int64_t clock_offset_set(const struct clock_offset *begin,
			 const struct clock_offset *last);

#endif
