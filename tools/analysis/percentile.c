// SPDX-License-Identifier: GPL-2.0
/* percentile: what a number of round trips can say of a percentile of their times. */
#include <math.h>

#include "percentile.h"
#include "statistics.h"

/**
 * percentile_of() - a percentile of round trips
 * @histogram: their times
 * @percent: percentage of round trips that do not exceed it, between 0 and 100
 *
 * Return: the percentile and its interval, or that it is not known.
 */
struct percentile percentile_of(const struct histogram *histogram,
				double percent)
{
	struct percentile found = { 0 };
	uint64_t low, high;

	found.known = statistics_ranks(histogram->count, percent / 100, &low,
				       &high);
	if (!found.known)
		return found;
	found.ns = histogram_percentile(histogram, percent);
	found.low_ns = histogram_rank_from(histogram, low);
	found.high_ns = histogram_rank_to(histogram, high);
	return found;
}

/**
 * percentile_step() - step that a value is rounded to, by the width of its interval
 * @value: the value
 * @width: the width of its interval, in the same unit
 * @finest: the least step, a power of ten
 *
 * Return: a power of ten, of at most a quarter of the width: the last digit is that
 * which the interval leaves in doubt. It is at most the first digit of the value.
 */
double percentile_step(double value, double width, double finest)
{
	double step = finest;

	while (step * 10 <= width / 4 && step * 10 <= value)
		step *= 10;
	return step;
}
