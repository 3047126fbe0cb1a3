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
 * The standard error of the mean is e = s / sqrt(b), where s is the sigma of the
 * means of b batches of neighbouring values. Neighbouring intervals of a run are
 * correlated; the means of batches are less so, the longer the batches are. With
 * t(c, b - 1), the quantile of Student's distribution, the confidence interval is
 *
 *   mean x exp(+- t e / mean)  for rates, costs and times, which are not negative:
 *                              e / mean is the standard error of the mean's
 *                              logarithm (delta method)
 *   mean +- t e                for differences, which may be negative
 *
 * Number of batches: the lag-1 autocorrelation r is estimated. If it is
 * significant, r > 2 / sqrt(n) (Bartlett), correlation is assumed to last for
 * T = (1 + r) / (1 - r) values, as in a first-order autoregressive series. A
 * batch has at least STATISTICS_BATCH_TIMES x T values, and enough to make at most
 * STATISTICS_BATCHES_MAX batches. More than 30 gain nothing and less than 10 lose
 * much: Schmeiser, "Batch Size Effects in the Analysis of Simulation Output",
 * Operations Research 30 (1982) 556. With fewer than STATISTICS_BATCHES_MIN, the
 * interval is unknown. Values that do not fill a batch are left out of the batches
 * at the beginning, but not out of the mean.
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

#define STATISTICS_CONFIDENCE	0.95
#define STATISTICS_BATCHES_MIN	10
#define STATISTICS_BATCHES_MAX	30
#define STATISTICS_BATCH_TIMES	4
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
 * @p05: percentile 5
 * @p25: percentile 25
 * @p75: percentile 75
 * @p95: percentile 95
 * @stability: @sigma over @mean
 * @steadiness_per_s: slope over @mean; NaN without times
 * @confidence: probability that such an interval contains the true mean
 * @standard_error: of the mean; NaN if @too_short
 * @ci_low: lower end of the interval; NaN if @too_short
 * @ci_high: upper end
 * @batches: number of batches
 * @too_short: too few batches for the interval
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
void statistics_series(const double *values, const double *times_s,
		       size_t count, struct statistics *to);
void statistics_runs(const double *values, size_t count,
		     struct statistics *to);
void statistics_until(const double *values, size_t count,
		      struct statistics *to);
void statistics_differences(const double *values, size_t count,
			    struct statistics *to);
double statistics_half_width(const struct statistics *statistics);

#endif
