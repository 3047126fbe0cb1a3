/* SPDX-License-Identifier: GPL-2.0 */
/*
 * statistics: summary of a series of measured values and its confidence.
 *
 * Pure arithmetic. With the values x_1 ... x_n:
 *
 *   mean        sum x_i / n
 *   sigma       sqrt(sum (x_i - mean)^2 / (n - 1))
 *   percentile  linear between the two order statistics around the rank
 *               1 + (n - 1) p: definition 7 of Hyndman and Fan, "Sample
 *               Quantiles in Statistical Packages", The American Statistician
 *               50 (1996) 361; the median is that of p = 1/2
 *   stability   sigma / mean
 *   steadiness  slope of the least squares line against time, over the mean
 *
 * Percentiles 5, 25, 75 and 95 are NaN if the sample cannot carry them. The p
 * quantile lies between the order statistics of ranks l and u with probability c or
 * more, where B values of n, binomial (n, p), are not above it:
 *
 *   P(B < l) <= (1 - c) / 2,  P(B >= u) <= (1 - c) / 2
 *
 * whatever the distribution: David and Nagaraja, "Order Statistics" (3rd edition,
 * 2003), 7.1. If l is below 1 or u above n, an end of that interval is beyond all
 * values, and the percentile is not known.
 *
 * The standard error of the mean of n independent runs is e = sigma / sqrt(n). With
 * t(c, n - 1), the quantile of Student's distribution, the confidence interval is
 *
 *   mean x exp(+- t e / mean)  for rates, costs and times, which are not negative:
 *                              e / mean is the standard error of the mean's
 *                              logarithm (delta method)
 *   mean +- t e                for differences, which may be negative
 *
 * The intervals of one run have no such interval: neighbours are correlated, and a
 * run that stays in one of several states does not know the others. No method holds
 * for both (Documentation/measure/statistics.rst).
 *
 * Runs that are repeated until their interval is narrow stop when their deviation
 * happens to be small, so the interval at that moment contains the mean less often
 * than its confidence says. A pilot of p runs corrects that: Stein, "A Two-Sample
 * Test for a Linear Hypothesis Whose Power is Independent of the Variance", Annals
 * of Mathematical Statistics 16 (1945) 243. The interval is never narrower than
 *
 *   t(c, p - 1) sigma(x_1 ... x_p) / sqrt(n)
 *
 * For normal values the mean of n does not depend on the deviations of the first
 * 2, 3, ... n. However these decide on n, such intervals contain the mean with
 * probability c or more.
 */
#ifndef KTPUT_TOOLS_STATISTICS_H
#define KTPUT_TOOLS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../module/histogram.h"

#define STATISTICS_CONFIDENCE	0.95
/*
 * Independent values: for two, t is 12.7, and the interval of two values that
 * differ by 10 % reaches from 0.5 to 1.9 times the mean. netperf's -I uses the same
 * minimum.
 */
#define STATISTICS_RUNS_MIN	3
/*
 * Runs that stop by their interval. If sigma is 2 % of the mean and the interval
 * 2.5 %, ten runs meet it in 90 % of all series; with a pilot of 4 in 79 %, with a
 * pilot of 6 in 96 %. The latter costs one more run if sigma is smaller.
 */
#define STATISTICS_PILOT	5

/**
 * struct statistics - summary of a series
 * @count: number of values
 * @mean: their mean
 * @sigma: standard deviation of a sample; NaN of less than 2 values
 * @min: minimum
 * @max: maximum
 * @median: half of the values are not above it
 * @p05: percentile 5; NaN if the sample cannot carry it, as those below
 * @p25: percentile 25
 * @p75: percentile 75
 * @p95: percentile 95
 * @stability: @sigma over @mean
 * @steadiness_per_s: slope over @mean; NaN without times
 * @confidence: probability that such an interval contains the true mean
 * @standard_error: of the mean; NaN if @too_short
 * @ci_low: lower end of the interval; NaN if @too_short
 * @ci_high: upper end
 * @batches: number of independent values: one if they are those of one run
 * @too_short: too few of them for the interval
 *
 * All but @count are NaN for an empty series.
 */
struct statistics {
	size_t count;
	double mean;
	double sigma;
	double min;
	double max;
	double median;
	double p05;
	double p25;
	double p75;
	double p95;
	double stability;
	double steadiness_per_s;
	double confidence;
	double standard_error;
	double ci_low;
	double ci_high;
	size_t batches;
	bool too_short;
};

double statistics_student(double confidence, size_t freedom);
double statistics_percentile(const double *sorted, size_t count, double p);
bool statistics_ranks(uint64_t count, double p, uint64_t *low, uint64_t *high);
void statistics_series(const double *values, const double *times_s,
		       size_t count, struct statistics *to);
void statistics_runs(const double *values, size_t count,
		     struct statistics *to);
void statistics_until(const double *values, size_t count,
		      struct statistics *to);
void statistics_differences(const double *values, size_t count,
			    struct statistics *to);
double statistics_half_width(const struct statistics *statistics);

/*
 * percentile: what a number of round trips can say of a percentile of their times.
 *
 * With probability STATISTICS_CONFIDENCE or more the percentile lies between two of
 * the times, by their ranks (statistics_ranks()). Their buckets are part of the
 * interval: its ends are the lower bound of one and the upper bound of the other.
 * Round trips that follow each other are not independent, so of long stalls the
 * interval is too narrow.
 */

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
