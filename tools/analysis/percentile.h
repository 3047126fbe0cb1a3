/* SPDX-License-Identifier: GPL-2.0 */
/*
 * percentile: what a number of round trips can say of a percentile of their times.
 *
 * With probability STATISTICS_CONFIDENCE or more the percentile lies between two of
 * the times, by their ranks (statistics_ranks()). Their buckets are part of the
 * interval: its ends are the lower bound of one and the upper bound of the other.
 * Round trips that follow each other are not independent, so of long stalls the
 * interval is too narrow.
 */
#ifndef KTPUT_TOOLS_PERCENTILE_H
#define KTPUT_TOOLS_PERCENTILE_H

#include <stdbool.h>
#include <stdint.h>

#include "../module/histogram.h"

/**
 * struct percentile - a percentile with its interval
 * @known: the round trips can carry it; the others have no meaning if not
 * @ns: the percentile, in nanoseconds
 * @low_ns: lower end of its interval
 * @high_ns: upper end
 */
struct percentile {
	bool known;
	uint64_t ns;
	uint64_t low_ns;
	uint64_t high_ns;
};

struct percentile percentile_of(const struct histogram *histogram,
				double percent);
double percentile_step(double value, double width, double finest);

#endif
