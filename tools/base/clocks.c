// SPDX-License-Identifier: GPL-2.0
/* clocks: whether the clock of this host was set. */
#include <stdlib.h>

#include "clocks.h"

#define READINGS	5

/* Beyond what a reading may err by where this task waits for its CPU. */
#define ERROR_NS	1000000

/**
 * clock_offset_read() - read one clock against the other
 * @to: the reading that took the least time
 */
void clock_offset_read(struct clock_offset *to)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		const uint64_t from = monotonic_ns();
		const uint64_t real = clock_ns(CLOCK_REALTIME);
		const uint64_t took = monotonic_ns() - from;

		if (took >= least)
			continue;
		least = took;
		*to = (struct clock_offset) { true, real - from - took / 2 };
	}
}

/**
 * clock_offset_set() - by how much the clock was set
 * @begin: earlier reading
 * @last: later one
 *
 * Return: nanoseconds, or 0 if it was not set, as far as is known.
 */
int64_t clock_offset_set(const struct clock_offset *begin,
			 const struct clock_offset *last)
{
	const int64_t moved = last->ns - begin->ns;

	return begin->known && last->known && llabs(moved) > ERROR_NS ? moved : 0;
}
