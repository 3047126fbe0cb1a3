// SPDX-License-Identifier: GPL-2.0
/* series: intervals of a run as input of the statistics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/output.h"
#include "../base/units.h"
#include "series.h"

/* Permitted deviation of the last interval's length from that of the others. */
#define LAST_TOLERANCE	0.02

static void join(struct series_interval *to,
		 const struct series_interval *next)
{
	to->to_ns = next->to_ns;
	to->bytes += next->bytes;
	to->packets += next->packets;
	to->busy_cycles += next->busy_cycles;
	to->own_cycles += next->own_cycles;
}

/* SERIES_MAX is even, so each interval has a neighbour. */
static void join_all(struct series *series)
{
	for (size_t i = 0; i < series->count / 2; i++) {
		series->interval[i] = series->interval[2 * i];
		join(&series->interval[i], &series->interval[2 * i + 1]);
	}
	series->count /= 2;
	series->joined *= 2;
	series->open = series->joined;
}

static void grow(struct series *series)
{
	size_t size = series->size ? 2 * series->size : 64;

	series->interval = output_must(realloc(series->interval, size *
					       sizeof(*series->interval)));
	series->size = size;
}

/**
 * series_add() - add an interval
 * @series: the series
 * @interval: begins at the end of the previous one
 * @warm_up: count it, but leave it out
 */
void series_add(struct series *series, const struct series_interval *interval,
		bool warm_up)
{
	if (warm_up) {
		series->warm_up++;
		return;
	}
	if (!series->joined)
		series->joined = 1;
	if (series->count && series->open < series->joined) {
		join(&series->interval[series->count - 1], interval);
		series->open++;
		return;
	}
	if (series->count == SERIES_MAX)
		join_all(series);
	if (series->count == series->size)
		grow(series);
	series->interval[series->count++] = *interval;
	series->open = 1;
}

/**
 * series_leaves_out_last() - whether the last interval is in the statistics
 * @series: the series, of a run that has ended
 * @interval_ns: nominal length of the intervals
 *
 * Return: true if it is left out.
 */
bool series_leaves_out_last(const struct series *series, uint64_t interval_ns)
{
	const struct series_interval *last;
	double wanted = (double)interval_ns * series->joined;

	if (!series->count)
		return false;
	last = &series->interval[series->count - 1];
	return fabs(last->to_ns - last->from_ns - wanted) >
	       wanted * LAST_TOLERANCE;
}

static double value_of(const struct series_interval *interval,
		       enum series_quantity quantity)
{
	double s = (interval->to_ns - interval->from_ns) /
		   (double)UNITS_NSEC_PER_SEC;

	switch (quantity) {
	case SERIES_GOODPUT_BPS:
		return interval->bytes * 8 / s;
	case SERIES_PACKETS_PER_S:
		return interval->packets / s;
	case SERIES_OWN_CYCLES_PER_BYTE:
		return interval->own_cycles / interval->bytes;
	default:
		return interval->busy_cycles / interval->bytes;
	}
}

/**
 * series_statistics() - statistics over the intervals of a run
 * @series: the series, of a run that has ended
 * @interval_ns: nominal length of the intervals
 * @quantity: the quantity
 * @to: filled in; empty if the quantity is unknown
 */
void series_statistics(const struct series *series, uint64_t interval_ns,
		       enum series_quantity quantity, struct statistics *to)
{
	size_t limit = series->count -
		       series_leaves_out_last(series, interval_ns);
	double *values = output_must(malloc((limit + 1) * sizeof(*values)));
	double *times = output_must(malloc((limit + 1) * sizeof(*times)));
	size_t count = 0;

	for (size_t i = 0; i < limit; i++) {
		const struct series_interval *interval = &series->interval[i];

		values[count] = value_of(interval, quantity);
		if (!isfinite(values[count]))
			continue;
		times[count++] = (interval->from_ns / 2.0 +
				  interval->to_ns / 2.0) / UNITS_NSEC_PER_SEC;
	}
	statistics_series(values, times, count, to);
	free(values);
	free(times);
}

/**
 * series_free() - free the memory of a series
 * @series: empty afterwards
 */
void series_free(struct series *series)
{
	free(series->interval);
	*series = (struct series) { 0 };
}
