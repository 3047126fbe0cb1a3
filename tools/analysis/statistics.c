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

/*
 * Binomial weights around the mode, relative to that of the mode: of k the next is
 * (n - k) / (k + 1) p / (1 - p), so that neither factorials nor their rounding are in
 * it. Only those that count in a double are added.
 */
struct binomial {
	double count;
	double odds;
};

static double above(const struct binomial *of, double k)
{
	return (of->count - k) / (k + 1) * of->odds;
}

static double below(const struct binomial *of, double k)
{
	return k / (of->count - k + 1) / of->odds;
}

#define NEGLIGIBLE	(1.0 / (1ULL << 60))
/*
 * From this variance on the normal distribution tells ranks to the last one but few,
 * and a sum takes many steps: a file of records may say any count.
 */
#define VARIANCE_MAX	1e8
/* Of the normal distribution, for STATISTICS_CONFIDENCE. */
#define NORMAL_SIGMAS	1.959963984540054

/* Sum of the weights of one side of @mode, which is not in it. */
static double side_of(const struct binomial *of, double mode, bool up)
{
	double weight = 1, sum = 0;

	for (double k = mode; weight > NEGLIGIBLE; k += up ? 1 : -1) {
		weight *= up ? above(of, k) : below(of, k);
		sum += weight;
	}
	return sum;
}

/* The number farthest out from @mode whose tail, it included, is more than @tail. */
static double quantile_of(const struct binomial *of, double mode, bool up,
			  double left, double tail)
{
	double k = mode, weight = 1;

	while (left - weight > tail) {
		left -= weight;
		weight *= up ? above(of, k) : below(of, k);
		k += up ? 1 : -1;
	}
	return k;
}

/**
 * statistics_ranks() - order statistics between which a percentile lies
 * @count: number of independent values
 * @p: share of values below the percentile, between 0 and 1
 * @low: set to the rank of the lower one, from 1; 0 if it is below all values
 * @high: set to that of the upper one; @count + 1 if it is above all values
 *
 * The percentile lies between them with a probability of STATISTICS_CONFIDENCE or
 * more, whatever the distribution of the values.
 *
 * Return: true if both are there, false if the values cannot carry the percentile.
 */
bool statistics_ranks(uint64_t count, double p, uint64_t *low, uint64_t *high)
{
	const struct binomial of = { .count = count, .odds = p / (1 - p) };
	const double mode = fmin(floor((count + 1.0) * p), count);
	const double variance = count * p * (1 - p);
	double down, up, tail;

	if (variance > VARIANCE_MAX) {
		*low = count * p - NORMAL_SIGMAS * sqrt(variance);
		*high = count * p + NORMAL_SIGMAS * sqrt(variance) + 1;
		return true;
	}
	down = side_of(&of, mode, false);
	up = side_of(&of, mode, true);
	tail = (1 - STATISTICS_CONFIDENCE) / 2 * (down + 1 + up);
	*low = quantile_of(&of, mode, false, down + 1, tail);
	*high = quantile_of(&of, mode, true, up + 1, tail) + 1;
	return *low >= 1 && *high <= count;
}

static double known_percentile(const double *sorted, size_t count, double p)
{
	uint64_t low, high;

	return statistics_ranks(count, p, &low, &high) ?
	       statistics_percentile(sorted, count, p) : NAN;
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
	to->p05 = known_percentile(sorted, count, 0.05);
	to->p25 = known_percentile(sorted, count, 0.25);
	to->p75 = known_percentile(sorted, count, 0.75);
	to->p95 = known_percentile(sorted, count, 0.95);
	free(sorted);
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
 * statistics_series() - values of one run, which have no interval of the mean
 * @values: of consecutive intervals; none is negative
 * @times_s: time of each in seconds, or NULL
 * @count: number of values
 * @to: filled in
 */
void statistics_series(const double *values, const double *times_s,
		       size_t count, struct statistics *to)
{
	describe(values, count, to);
	if (!count)
		return;
	to->batches = 1;
	if (times_s)
		to->steadiness_per_s = slope_of(values, times_s, count) /
				       to->mean;
}

static bool estimate_independent(const double *values, size_t count,
				 struct statistics *to)
{
	describe(values, count, to);
	to->batches = count;
	to->too_short = count < STATISTICS_RUNS_MIN;
	if (!to->too_short)
		to->standard_error = to->sigma / sqrt(count);
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
