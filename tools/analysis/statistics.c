// SPDX-License-Identifier: GPL-2.0
/* statistics: summary of a series of measured values and its confidence. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

/* Number of bits in the significand of a double. */
#define BISECTIONS	53

/*
 * Probability of Student's distribution between -t and t: Abramowitz and Stegun,
 * Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4. They are finite
 * and exact for a whole number of degrees of freedom.
 */
static double student_within(double t, size_t freedom)
{
	double theta = atan(t / sqrt(freedom));
	double cosine = cos(theta), sum = 0, term;
	bool odd = freedom % 2;

	term = odd ? cosine : 1;
	for (size_t i = odd ? 3 : 2; i <= freedom; i += 2) {
		sum += term;
		term *= cosine * cosine * (i - 1) / i;
	}
	sum *= sin(theta);
	return odd ? 2 / M_PI * (theta + sum) : sum;
}

/**
 * statistics_student() - two-sided quantile of Student's distribution
 * @confidence: probability between minus and plus the quantile, below 1
 * @freedom: degrees of freedom, 1 or more
 *
 * Return: the quantile.
 */
double statistics_student(double confidence, size_t freedom)
{
	double low = 0, high = 1;

	while (student_within(high, freedom) < confidence)
		high *= 2;
	for (int i = 0; i < BISECTIONS; i++) {
		double middle = (low + high) / 2;

		if (student_within(middle, freedom) < confidence)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/**
 * statistics_percentile() - a percentile
 * @sorted: values in ascending order
 * @count: number of values
 * @p: share of values below the percentile, 0 to 1
 *
 * Return: the percentile, NaN without values.
 */
double statistics_percentile(const double *sorted, size_t count, double p)
{
	double rank, part;
	size_t below;

	if (!count)
		return NAN;
	rank = (count - 1) * p;
	below = rank;
	part = rank - below;
	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / count : NAN;
}

static double squares_of(const double *values, size_t count, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

static double sigma_of(const double *values, size_t count)
{
	if (count < 2)
		return NAN;
	return sqrt(squares_of(values, count, mean_of(values, count)) /
		    (count - 1));
}

/* Estimate the autocorrelation at lag 1: 0 for a constant series. */
static double autocorrelation(const double *values, size_t count)
{
	double mean = mean_of(values, count);
	double squares = squares_of(values, count, mean);
	double sum = 0;

	if (!(squares > 0))
		return 0;
	for (size_t i = 1; i < count; i++)
		sum += (values[i - 1] - mean) * (values[i] - mean);
	return sum / squares;
}

/* Least squares slope, NaN if all times are equal. */
static double slope_of(const double *values, const double *times, size_t count)
{
	double mean = mean_of(values, count), time = mean_of(times, count);
	double products = 0, squares = squares_of(times, count, time);

	if (!(squares > 0))
		return NAN;
	for (size_t i = 0; i < count; i++)
		products += (times[i] - time) * (values[i] - mean);
	return products / squares;
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static double *copy_of(const double *values, size_t count)
{
	double *copy = malloc(count * sizeof(*copy));

	if (!copy) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return memcpy(copy, values, count * sizeof(*copy));
}

static void describe(const double *values, size_t count,
		     struct statistics *to)
{
	double *sorted;

	*to = (struct statistics) {
		.count = count,
		.mean = NAN, .sigma = NAN, .min = NAN, .max = NAN,
		.median = NAN, .p05 = NAN, .p25 = NAN, .p75 = NAN, .p95 = NAN,
		.stability = NAN, .steadiness_per_s = NAN,
		.confidence = STATISTICS_CONFIDENCE, .standard_error = NAN,
		.ci_low = NAN, .ci_high = NAN, .too_short = true,
	};
	if (!count)
		return;
	sorted = copy_of(values, count);
	qsort(sorted, count, sizeof(*sorted), compare);
	to->mean = mean_of(values, count);
	to->sigma = sigma_of(values, count);
	to->stability = to->sigma / to->mean;
	to->min = sorted[0];
	to->max = sorted[count - 1];
	to->median = statistics_percentile(sorted, count, 0.5);
	to->p05 = statistics_percentile(sorted, count, 0.05);
	to->p25 = statistics_percentile(sorted, count, 0.25);
	to->p75 = statistics_percentile(sorted, count, 0.75);
	to->p95 = statistics_percentile(sorted, count, 0.95);
	free(sorted);
}

/* Batch length that makes the means of neighbouring batches nearly independent. */
static size_t batch_length(const double *values, size_t count)
{
	double r = autocorrelation(values, count);
	size_t least = (count + STATISTICS_BATCHES_MAX - 1) /
		       STATISTICS_BATCHES_MAX;
	size_t wanted = 1;

	if (r > 2 / sqrt(count))
		wanted = r < 1 ? fmin(ceil(STATISTICS_BATCH_TIMES * (1 + r) /
					   (1 - r)), count) : count;
	return wanted > least ? wanted : least;
}

static void estimate(const double *values, size_t batch,
		     struct statistics *to)
{
	const double *first = values + to->count - batch * to->batches;
	double *means = copy_of(first, to->batches);

	for (size_t i = 0; i < to->batches; i++)
		means[i] = mean_of(first + i * batch, batch);
	to->standard_error = sigma_of(means, to->batches) / sqrt(to->batches);
	free(means);
}

/* Half-width of the interval of a quantity that may be negative. */
static double half_width(const struct statistics *of)
{
	return statistics_student(of->confidence, of->batches - 1) *
	       of->standard_error;
}

/* Interval of a quantity that is not negative: symmetric on a logarithmic scale. */
static void bound_positive(struct statistics *to, double half)
{
	/* A mean of 0 has no logarithm, and no error. */
	const double factor = half > 0 ? exp(half / to->mean) : 1;

	to->ci_low = to->mean / factor;
	to->ci_high = to->mean * factor;
}

/**
 * statistics_series() - values of one run, which may be correlated
 * @values: of consecutive intervals; none is negative
 * @times_s: time of each in seconds, or NULL
 * @count: number of values
 * @to: filled in
 */
void statistics_series(const double *values, const double *times_s,
		       size_t count, struct statistics *to)
{
	size_t batch;

	describe(values, count, to);
	if (!count)
		return;
	if (times_s)
		to->steadiness_per_s = slope_of(values, times_s, count) /
				       to->mean;
	batch = batch_length(values, count);
	to->batches = count / batch;
	to->too_short = to->batches < STATISTICS_BATCHES_MIN;
	if (to->too_short)
		return;
	estimate(values, batch, to);
	bound_positive(to, half_width(to));
}

static bool estimate_independent(const double *values, size_t count,
				 struct statistics *to)
{
	describe(values, count, to);
	to->batches = count;
	to->too_short = count < STATISTICS_RUNS_MIN;
	if (!to->too_short)
		estimate(values, 1, to);
	return !to->too_short;
}

/**
 * statistics_runs() - values of several runs, each independent of the others
 * @values: one of each run; none is negative
 * @count: number of values
 * @to: filled in; each run is a batch of its own
 */
void statistics_runs(const double *values, size_t count,
		     struct statistics *to)
{
	if (estimate_independent(values, count, to))
		bound_positive(to, half_width(to));
}

/**
 * statistics_until() - values of runs repeated until the interval is narrow
 * @values: one of each run, in order of time; none is negative
 * @count: number of values
 * @to: filled in; the interval is at least as wide as the pilot requires
 *
 * The caller stops after at least STATISTICS_PILOT values, or after a number fixed
 * in advance.
 */
void statistics_until(const double *values, size_t count,
		      struct statistics *to)
{
	double pilot = 0;

	if (!estimate_independent(values, count, to))
		return;
	if (count > STATISTICS_PILOT)
		pilot = statistics_student(to->confidence,
					   STATISTICS_PILOT - 1) *
			sigma_of(values, STATISTICS_PILOT) / sqrt(count);
	bound_positive(to, fmax(half_width(to), pilot));
}

/**
 * statistics_differences() - like statistics_runs(), of values that may be negative
 * @values: one of each pair of runs
 * @count: number of values
 * @to: filled in
 */
void statistics_differences(const double *values, size_t count,
			    struct statistics *to)
{
	if (!estimate_independent(values, count, to))
		return;
	to->ci_low = to->mean - half_width(to);
	to->ci_high = to->mean + half_width(to);
}

/**
 * statistics_half_width() - distance of the interval's ends from the mean
 * @statistics: of a series
 *
 * Return: the larger of the two, NaN if the interval is unknown.
 */
double statistics_half_width(const struct statistics *statistics)
{
	return statistics->ci_high - statistics->mean;
}
