/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock_offset: whether the clock of this host was set.
 *
 * What slews the clock, as NTP does, slews CLOCK_MONOTONIC likewise. So the two
 * clocks move against each other only where CLOCK_REALTIME is set, by a leap
 * second, or by a suspend.
 */
#ifndef KTPUT_TOOLS_CLOCK_OFFSET_H
#define KTPUT_TOOLS_CLOCK_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

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
