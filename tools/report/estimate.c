// SPDX-License-Identifier: GPL-2.0
/* estimate: a figure with its uncertainty, from one run or from several. */
#include <math.h>
#include <stdlib.h>

#include "estimate.h"
#include "memory.h"

/* An interval that lasts longer or shorter than the others by more is none. */
#define LAST_TOLERANCE	0.1

static double length(const struct figures_interval *interval)
{
	return interval->to_s - interval->from_s;
}

/* The last ends with the run, at times after its last payload: left out then. */
static size_t whole(const struct figures_interval *interval, size_t count)
{
	double mean;

	if (count < 2)
		return count;
	mean = (interval[count - 2].to_s - interval[0].from_s) / (count - 1);
	return fabs(length(&interval[count - 1]) / mean - 1) > LAST_TOLERANCE ?
	       count - 1 : count;
}

/**
 * estimate_run() - a figure of one run, over its intervals
 * @record: the run
 * @figure: which
 * @to: filled in; without intervals there is the mean alone
 *
 * An interval that has no such figure, as cycles a byte where there was no
 * payload, is left out, as ktput-ctl does.
 */
void estimate_run(const struct record *record, enum figure figure,
		  struct statistics *to)
{
	struct figures_intervals intervals;
	const struct figures_interval *first;
	size_t count, known = 0;
	double *values;

	figures_intervals_get(record, &intervals);
	first = intervals.interval;
	count = intervals.count;
	while (count && first->warm_up) {
		first++;
		count--;
	}
	count = whole(first, count);
	values = memory_must(calloc(count + 1, sizeof(*values)));
	for (size_t i = 0; i < count; i++) {
		values[known] = figures_of_span(&first[i], 1, figure);
		known += isfinite(values[known]);
	}
	statistics_series(values, NULL, known, to);
	if (isnan(to->mean))
		to->mean = figures_of_run(record, figure);
	free(values);
	figures_intervals_free(&intervals);
}

/**
 * estimate_runs() - a figure of several runs that were made alike
 * @record: the runs
 * @count: how many
 * @figure: which
 * @to: filled in
 */
void estimate_runs(const struct record *record, size_t count,
		   enum figure figure, struct statistics *to)
{
	double *values = memory_must(calloc(count + 1, sizeof(*values)));

	for (size_t i = 0; i < count; i++)
		values[i] = figures_of_run(&record[i], figure);
	statistics_runs(values, count, to);
	free(values);
}
