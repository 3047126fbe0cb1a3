/* SPDX-License-Identifier: GPL-2.0 */
/*
 * statistics: what a series of measured values comes to, and how sure that is.
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
 * The standard error of the mean is e = s / sqrt(b), with s the sigma of the
 * means of b batches of neighbouring values. Neighbouring intervals of a run
 * resemble each other; the means of batches do less so, the longer these are.
 * With t(c, b - 1), the quantile of Student's distribution, the confidence
 * interval is
 *
 *   mean x exp(+- t e / mean)  of rates, costs and times, which are not negative:
 *                              e / mean is the standard error of the mean's
 *                              logarithm (delta method)
 *   mean +- t e                of differences, which may be
 *
 * How many batches: the lag-1 autocorrelation r is estimated, and where it is
 * significant, r > 2 / sqrt(n) (Bartlett), correlation is taken to last for
 * T = (1 + r) / (1 - r) values, as in a first-order autoregressive series. A
 * batch has STATISTICS_BATCH_TIMES x T values or more, and as many that there
 * are STATISTICS_BATCHES_MAX batches at most. More than 30 gain nothing and
 * less than 10 lose much: Schmeiser, "Batch Size Effects in the Analysis of
 * Simulation Output", Operations Research 30 (1982) 556. Where there are not
 * even STATISTICS_BATCHES_MIN, the interval is not known. Values that do not
 * fill a batch are left out of the batches at the beginning, but not out of the
 * mean.
 *
 * Runs that are made until their interval is narrow stop where their deviation
 * happens to be small, so that the interval of that moment holds the mean less often
 * than it says. A pilot of p runs mends that: Stein, "A Two-Sample Test for a Linear
 * Hypothesis Whose Power is Independent of the Variance", Annals of Mathematical
 * Statistics 16 (1945) 243. The interval is never narrower than
 *
 *   t(c, p - 1) sigma(x_1 ... x_p) / sqrt(n)
 *
 * Of normal values the mean of n does not depend on the deviations of the first
 * 2, 3, ... n, so that however these decide on n, such intervals hold the mean with
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
 * Of values that do not influence each other: of two, t is 12.7, and an interval
 * of values that are 10 % apart reaches from 0.5 to 1.9 times the mean. netperf's
 * -I takes as many.
 */
#define STATISTICS_RUNS_MIN	3
/*
 * Of runs that stop by their interval. Where sigma is 2 % of the mean and the interval
 * 2.5 %, ten runs meet it in 90 % of all series; with a pilot of 4 in 79 %, and with
 * one of 6, which costs a run where sigma is less, in 96 %.
 */
#define STATISTICS_PILOT	5

/**
 * struct statistics - what a series comes to
 * @count: values
 * @mean: their mean
 * @sigma: standard deviation of a sample; NaN of less than 2 values
 * @min: least
 * @max: greatest
 * @median: half of the values are not above it
 * @p05: percentile 5
 * @p25: percentile 25
 * @p75: percentile 75
 * @p95: percentile 95
 * @stability: @sigma over @mean
 * @steadiness_per_s: slope over @mean; NaN where no times are given
 * @confidence: share of such intervals that hold the true mean
 * @standard_error: of the mean; NaN where @too_short
 * @ci_low: lower end of the interval; NaN where @too_short
 * @ci_high: upper end
 * @batches: number of batches that the values make
 * @too_short: these are less than what the interval needs
 *
 * All but @count are NaN of an empty series.
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
double statistics_autocorrelation(const double *values, size_t count);
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
