// SPDX-License-Identifier: GPL-2.0
/* statistics: known answers, and how often the interval holds the true mean. */
#include <math.h>

#include "../../tools/analysis/statistics.h"
#include "draw.h"
#include "test.h"

#define NEAR(what, have, want, by)					\
	do {								\
		double have_ = (have), want_ = (want);			\
									\
		if (!(fabs(have_ - want_) <= (by)))			\
			TEST_FAIL("%s: have %.9g, want %.9g", (what),	\
				  have_, want_);			\
	} while (0)

/* Tables of Student's distribution: NIST/SEMATECH e-Handbook, 1.3.6.7.2. */
static void student(void)
{
	static const struct {
		double confidence;
		size_t freedom;
		double want;
	} rows[] = {
		{ 0.95, 1, 12.706 }, { 0.95, 2, 4.303 }, { 0.95, 3, 3.182 },
		{ 0.95, 4, 2.776 }, { 0.95, 9, 2.262 }, { 0.95, 10, 2.228 },
		{ 0.95, 29, 2.045 }, { 0.95, 30, 2.042 }, { 0.95, 100, 1.984 },
		{ 0.99, 1, 63.657 }, { 0.99, 9, 3.250 }, { 0.99, 30, 2.750 },
		{ 0.90, 5, 2.015 }, { 0.90, 100, 1.660 },
		{ 0.95, 100000, 1.960 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		NEAR("quantile", statistics_student(rows[i].confidence,
						    rows[i].freedom),
		     rows[i].want, 0.0006);
	/* In closed form: tan(0.95 pi / 2) of 1 degree, R's qt(0.975, 9). */
	NEAR("1 degree", statistics_student(0.95, 1),
	     tan(0.95 * M_PI / 2), 1e-7);
	NEAR("2 degrees", statistics_student(0.95, 2),
	     0.95 * sqrt(2 / (1 - 0.95 * 0.95)), 1e-8);
	NEAR("9 degrees", statistics_student(0.95, 9), 2.2621571628, 1e-8);
}

static void percentiles(void)
{
	static const double sorted[] = { 1, 2, 3, 4, 10 };

	NEAR("least", statistics_percentile(sorted, 5, 0), 1, 0);
	NEAR("p25", statistics_percentile(sorted, 5, 0.25), 2, 1e-12);
	NEAR("p50", statistics_percentile(sorted, 5, 0.5), 3, 1e-12);
	NEAR("p90", statistics_percentile(sorted, 5, 0.9), 7.6, 1e-12);
	NEAR("greatest", statistics_percentile(sorted, 5, 1), 10, 0);
	NEAR("of four", statistics_percentile(sorted, 4, 0.5), 2.5, 1e-12);
	NEAR("of one", statistics_percentile(sorted, 1, 0.95), 1, 0);
	TEST_TRUE("of none", isnan(statistics_percentile(sorted, 0, 0.5)));
}

static void known(void)
{
	static const double values[] = { 4, 2, 6, 8, 5 };
	static const double times[] = { 0.5, 1.5, 2.5, 3.5, 4.5 };
	struct statistics have;

	statistics_series(values, times, 5, &have);
	TEST_U64("count", have.count, 5);
	NEAR("mean", have.mean, 5, 1e-12);
	NEAR("sigma", have.sigma, sqrt(5), 1e-12);
	NEAR("min", have.min, 2, 0);
	NEAR("max", have.max, 8, 0);
	NEAR("median", have.median, 5, 0);
	NEAR("p05", have.p05, 2.4, 1e-12);
	NEAR("p25", have.p25, 4, 1e-12);
	NEAR("p75", have.p75, 6, 1e-12);
	NEAR("p95", have.p95, 7.6, 1e-12);
	NEAR("stability", have.stability, sqrt(5) / 5, 1e-12);
	/* Products (-2)(-1) + (-1)(-3) + 0 + 3 + 0 = 8, squares 10. */
	NEAR("steadiness", have.steadiness_per_s, 0.8 / 5, 1e-12);
	TEST_U64("batches", have.batches, 5);
	TEST_TRUE("five are too few", have.too_short);
	TEST_TRUE("no interval", isnan(have.standard_error) &&
		  isnan(have.ci_low) && isnan(have.ci_high));

	statistics_series(values, NULL, 5, &have);
	TEST_TRUE("no times", isnan(have.steadiness_per_s));
}

static void runs(void)
{
	static const double values[] = { 10, 11, 12 };
	struct statistics have;

	statistics_runs(values, 3, &have);
	NEAR("mean", have.mean, 11, 1e-12);
	NEAR("standard error", have.standard_error, 1 / sqrt(3), 1e-12);
	NEAR("high", have.ci_high, 11 * exp(4.3026527 / sqrt(3) / 11), 1e-6);
	NEAR("low", have.ci_low, 11 / exp(4.3026527 / sqrt(3) / 11), 1e-6);
	TEST_U64("batches", have.batches, 3);
	TEST_TRUE("three are enough", !have.too_short);
	statistics_runs(values, 2, &have);
	TEST_TRUE("two are not", have.too_short);
	TEST_TRUE("and have no interval", isnan(have.ci_low) &&
		  isnan(have.ci_high));
}

/* Where values get closer than the pilot's were, the interval stays that of those. */
static void until(void)
{
	static const double values[] = { 9, 10, 11, 10, 10, 10, 10, 10, 10 };
	static const double wider[] = { 10, 10.1, 10, 9.9, 10, 13, 7 };
	const double pilot = 2.7764451 * sqrt(0.5);
	struct statistics have, plain;

	statistics_until(values, STATISTICS_PILOT, &have);
	statistics_runs(values, STATISTICS_PILOT, &plain);
	NEAR("the pilot alone", have.ci_high, plain.ci_high, 0);
	statistics_until(values, 9, &have);
	NEAR("high", have.ci_high, 10 * exp(pilot / sqrt(9) / 10), 1e-6);
	NEAR("low", have.ci_low, 10 / exp(pilot / sqrt(9) / 10), 1e-6);
	statistics_runs(values, 9, &plain);
	NEAR("all else", have.standard_error, plain.standard_error, 0);
	statistics_until(wider, 7, &have);
	statistics_runs(wider, 7, &plain);
	NEAR("where they get wider", have.ci_high, plain.ci_high, 0);
	statistics_until(values, 2, &have);
	TEST_TRUE("two are too few", isnan(have.ci_low));
}

/* The spread is as large as it can be; a rate is not negative all the same. */
static void positive(void)
{
	static const double stall[] = { 0, 0, 9 }, still[] = { 0, 0, 0 };
	struct statistics have;

	statistics_runs(stall, 3, &have);
	NEAR("low", have.ci_low, 3 / exp(4.3026527), 1e-6);
	NEAR("high", have.ci_high, 3 * exp(4.3026527), 1e-5);
	statistics_runs(still, 3, &have);
	NEAR("nothing at all", have.ci_low, 0, 0);
	NEAR("nothing at all", have.ci_high, 0, 0);
}

static void differences(void)
{
	static const double values[] = { -1, 0, 1 };
	static const double uneven[] = { -1, 0, 10 };
	struct statistics have;

	statistics_differences(uneven, 3, &have);
	NEAR("around the mean", have.ci_low + have.ci_high, 2 * 3, 1e-9);
	statistics_differences(values, 3, &have);
	NEAR("low", have.ci_low, -4.3026527 / sqrt(3), 1e-6);
	NEAR("high", have.ci_high, 4.3026527 / sqrt(3), 1e-6);
	statistics_differences(values, 2, &have);
	TEST_TRUE("two are too few", isnan(have.ci_low));
}

static void few(void)
{
	static const double values[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };
	struct statistics have;

	statistics_series(values, NULL, 0, &have);
	TEST_U64("none", have.count, 0);
	TEST_TRUE("none", isnan(have.mean) && isnan(have.ci_low) &&
		  have.too_short);
	statistics_series(values, values, 1, &have);
	NEAR("one", have.mean, 7, 0);
	TEST_TRUE("one", isnan(have.sigma) && isnan(have.ci_low) &&
		  isnan(have.steadiness_per_s) && have.too_short);
	statistics_series(values, NULL, 2, &have);
	TEST_TRUE("two", isnan(have.ci_high) && have.too_short);
	statistics_series(values, NULL, 11, &have);
	NEAR("constant", have.ci_low, 7, 0);
	TEST_U64("constant", have.batches, 11);
	TEST_TRUE("constant", !have.too_short);
}

#define SERIES_MAX	3000
#define TRUE_MEAN	100

/* First-order autoregressive, in its stationary state from the first value. */
static void autoregressive(double phi, double *values, size_t count)
{
	double x = draw_normal() / sqrt(1 - phi * phi);

	for (size_t i = 0; i < count; i++) {
		values[i] = TRUE_MEAN + x;
		x = phi * x + draw_normal();
	}
}

/*
 * Bounds. Of 1000 intervals that hold the mean with probability 0.95 the share
 * that does has a sigma of 0.007, so 0.92 to 0.98 is what four sigma allow.
 * Where values are correlated the estimate of the correlation is a little low,
 * batches are a little short, and 0.90 is asked for. Ten or thirty values cannot
 * show their correlation, nobody's estimate can: that is what @low says there.
 */
#define ROUNDS	1000

static const struct {
	double phi;
	size_t count;
	double low, high, too_short_min, too_short_max;
} coverages[] = {
	{ 0.0, 10, 0.92, 0.98, 0, 0.02 },
	{ 0.0, 30, 0.92, 0.98, 0, 0.02 },
	{ 0.0, 300, 0.92, 0.98, 0, 0.02 },
	{ 0.3, 10, 0.80, 0.95, 0, 0.05 },
	{ 0.3, 30, 0.80, 0.95, 0, 0.40 },
	{ 0.3, 300, 0.90, 0.98, 0, 0.02 },
	{ 0.5, 100, 0, 1, 0.5, 0.9 },
	{ 0.5, 300, 0.90, 0.98, 0, 0.02 },
	{ 0.8, 1000, 0.90, 0.98, 0, 0.02 },
	{ 0.9, 30, 0, 1, 0.95, 1 },
	{ 0.9, 100, 0, 1, 0.99, 1 },
	{ 0.9, 3000, 0.90, 0.98, 0, 0.02 },
};

/* What came of ROUNDS series. */
struct coverage {
	double held;
	double too_short;
	double without_batches;
};

static struct coverage cover(double phi, size_t count)
{
	static double values[SERIES_MAX];
	unsigned int held = 0, claimed = 0, naive = 0;

	draw_state = 1;
	for (int round = 0; round < ROUNDS; round++) {
		struct statistics have;

		autoregressive(phi, values, count);
		statistics_series(values, NULL, count, &have);
		naive += fabs(have.mean - TRUE_MEAN) <=
			 1.96 * have.sigma / sqrt(count);
		claimed += !have.too_short;
		held += !have.too_short && have.ci_low <= TRUE_MEAN &&
			have.ci_high >= TRUE_MEAN;
	}
	return (struct coverage) {
		.held = claimed ? (double)held / claimed : 0,
		.too_short = 1 - (double)claimed / ROUNDS,
		.without_batches = (double)naive / ROUNDS,
	};
}

/* Of the series that are long enough, how many intervals hold the true mean. */
static void coverage(void)
{
	for (size_t i = 0; i < TEST_COUNT(coverages); i++) {
		struct coverage have = cover(coverages[i].phi,
					     coverages[i].count);
		char what[40];

		snprintf(what, sizeof(what), "phi %.1f, %zu values",
			 coverages[i].phi, coverages[i].count);
		printf("# %s: held by %.3f, too short %.3f; without batches %.3f\n",
		       what, have.held, have.too_short, have.without_batches);
		TEST_TRUE(what, have.held >= coverages[i].low);
		TEST_TRUE(what, have.held <= coverages[i].high);
		TEST_TRUE(what, have.too_short >= coverages[i].too_short_min);
		TEST_TRUE(what, have.too_short <= coverages[i].too_short_max);
		/* What batches are for. */
		TEST_TRUE(what, coverages[i].phi < 0.9 ||
			  have.without_batches < 0.45);
	}
}

/* Logarithm and value are normal; the mean is 1 and the sigma @spread. */
static double skewed(double spread)
{
	double variance = log(1 + spread * spread);

	return exp(sqrt(variance) * draw_normal() - variance / 2);
}

static double symmetric(double spread)
{
	return 1 + spread * draw_normal();
}

/*
 * Bounds as above. Of skewed values few of the rare large ones are in the sample,
 * so that the interval is too low: @low is what remains.
 */
static const struct {
	const char *what;
	double (*draw)(double spread);
	double spread;
	size_t count;
	double low, high;
} independent[] = {
	{ "normal", symmetric, 0.01, 3, 0.92, 0.98 },
	{ "normal", symmetric, 0.01, 10, 0.92, 0.98 },
	{ "normal", symmetric, 0.1, 3, 0.92, 0.98 },
	{ "normal", symmetric, 0.1, 10, 0.92, 0.98 },
	{ "normal", symmetric, 0.3, 3, 0.92, 0.98 },
	{ "normal", symmetric, 0.3, 10, 0.92, 0.98 },
	{ "lognormal", skewed, 0.3, 3, 0.92, 0.98 },
	{ "lognormal", skewed, 0.3, 10, 0.92, 0.98 },
	{ "lognormal", skewed, 0.6, 3, 0.92, 0.98 },
	{ "lognormal", skewed, 0.6, 10, 0.90, 0.98 },
	{ "lognormal", skewed, 1, 3, 0.90, 0.98 },
	{ "lognormal", skewed, 1, 10, 0.88, 0.98 },
	{ "lognormal", skewed, 1, 30, 0.88, 0.98 },
};

/* From the least number of runs that has an interval on. */
static void runs_coverage(void)
{
	for (size_t i = 0; i < TEST_COUNT(independent); i++) {
		unsigned int held = 0, linear = 0, negative = 0;
		double values[30], width = 0;
		char what[48];

		draw_state = 1;
		for (int round = 0; round < ROUNDS; round++) {
			const size_t count = independent[i].count;
			struct statistics have, plain;

			for (size_t j = 0; j < count; j++)
				values[j] = independent[i].draw(independent[i].spread);
			statistics_runs(values, count, &have);
			statistics_differences(values, count, &plain);
			held += have.ci_low <= 1 && have.ci_high >= 1;
			linear += plain.ci_low <= 1 && plain.ci_high >= 1;
			negative += plain.ci_low < 0;
			width += statistics_half_width(&have) / ROUNDS;
			TEST_TRUE("not negative", have.ci_low >= 0);
		}
		snprintf(what, sizeof(what), "%s, sigma %g, %zu runs",
			 independent[i].what, independent[i].spread,
			 independent[i].count);
		printf("# %s: held by %.3f, half width %.3f; linear %.3f, negative %.3f\n",
		       what, (double)held / ROUNDS, width,
		       (double)linear / ROUNDS, (double)negative / ROUNDS);
		TEST_TRUE(what, held >= independent[i].low * ROUNDS);
		TEST_TRUE(what, held <= independent[i].high * ROUNDS);
	}
}

/* Student's distribution of 3 degrees. */
static double heavy(double spread)
{
	double squares = 0;

	for (int i = 0; i < 3; i++)
		squares += pow(draw_normal(), 2);
	return 1 + spread * draw_normal() / sqrt(squares / 3);
}

/* One in five is less by five sigmas of the others. */
static double stalled(double spread)
{
	return symmetric(spread) - (draw_uniform() < 0.2 ? 5 * spread : 0);
}

/* Values of a series; each is drawn alone unless @phi says how neighbours do. */
struct source {
	const char *what;
	double (*draw)(double spread);
	double spread;
	double phi;
};

static void fill(const struct source *from, double *values, size_t count)
{
	if (!from->draw) {
		autoregressive(from->phi, values, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		values[i] = from->draw(from->spread);
}

/*
 * Neighbours of a series are a pair, as runs of A and B that are made in turn: how
 * often the interval holds that there is no difference.
 */
static void differences_coverage(void)
{
	static const struct source sources[] = {
		{ "normal", symmetric, 0.1, 0 }, { "heavy-tailed", heavy, 0.1, 0 },
		{ "lognormal", skewed, 1, 0 }, { "stalled", stalled, 0.1, 0 },
		{ "phi 0.3", NULL, 0, 0.3 }, { "phi 0.5", NULL, 0, 0.5 },
		{ "phi 0.8", NULL, 0, 0.8 }, { "phi 0.95", NULL, 0, 0.95 },
	};
	static const size_t counts[] = { STATISTICS_RUNS_MIN, 5, 10, 30 };

	for (size_t i = 0; i < TEST_COUNT(sources) * TEST_COUNT(counts); i++) {
		const struct source *from = &sources[i / TEST_COUNT(counts)];
		const size_t count = counts[i % TEST_COUNT(counts)];
		unsigned int held = 0;
		char what[48];

		draw_state = 1;
		for (int round = 0; round < ROUNDS; round++) {
			double values[2 * 30], pairs[30];
			struct statistics have;

			fill(from, values, 2 * count);
			for (size_t j = 0; j < count; j++)
				pairs[j] = values[2 * j + 1] - values[2 * j];
			statistics_differences(pairs, count, &have);
			held += have.ci_low <= 0 && have.ci_high >= 0;
		}
		snprintf(what, sizeof(what), "%s, %zu pairs", from->what, count);
		printf("# %s: held by %.3f\n", what, (double)held / ROUNDS);
		TEST_TRUE(what, held >= 0.92 * ROUNDS);
		TEST_TRUE(what, held <= 0.995 * ROUNDS);
	}
}

/* Values of a run that are no neighbours' doing, but far from normal. */
static void tails_coverage(void)
{
	static const struct {
		struct source from;
		double mean;
		size_t count;
		double low;
	} rows[] = {
		{ { "heavy-tailed", heavy, 0.1, 0 }, 1, 10, 0.92 },
		{ { "heavy-tailed", heavy, 0.1, 0 }, 1, 300, 0.92 },
		{ { "lognormal", skewed, 1, 0 }, 1, 10, 0.88 },
		{ { "lognormal", skewed, 1, 0 }, 1, 300, 0.92 },
		{ { "stalled", stalled, 0.1, 0 }, 1 - 0.1, 10, 0.85 },
		{ { "stalled", stalled, 0.1, 0 }, 1 - 0.1, 30, 0.88 },
		{ { "stalled", stalled, 0.1, 0 }, 1 - 0.1, 300, 0.92 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		unsigned int held = 0, claimed = 0;
		char what[48];

		draw_state = 1;
		for (int round = 0; round < ROUNDS; round++) {
			struct statistics have;
			double values[300];

			fill(&rows[i].from, values, rows[i].count);
			statistics_series(values, NULL, rows[i].count, &have);
			claimed += !have.too_short;
			held += have.ci_low <= rows[i].mean &&
				have.ci_high >= rows[i].mean;
		}
		snprintf(what, sizeof(what), "%s, %zu values",
			 rows[i].from.what, rows[i].count);
		printf("# %s: held by %.3f\n", what, (double)held / claimed);
		TEST_TRUE(what, claimed >= 0.9 * ROUNDS);
		TEST_TRUE(what, held >= rows[i].low * claimed);
	}
}

/* How values become batches, where it can be said by hand. */
static void batches(void)
{
	static double values[301];
	struct statistics have;

	for (size_t i = 0; i < TEST_COUNT(values); i++)
		values[i] = i % 2 ? 1 : 3;
	statistics_series(values, NULL, 300, &have);
	TEST_U64("not more than the most", have.batches, 30);
	TEST_TRUE("long enough", !have.too_short);
	/* What does not fill a batch is left out at the begin. */
	for (size_t i = 0; i < 61; i++)
		values[i] = i % 3;
	values[0] = 1e6;
	statistics_series(values, NULL, 61, &have);
	TEST_U64("of three", have.batches, 20);
	TEST_TRUE("without the first", have.standard_error < 1e-6);
}

static const struct test_case cases[] = {
	{ "how values become batches", batches },
	{ "Student's quantile", student },
	{ "percentiles", percentiles },
	{ "a series with known answers", known },
	{ "independent runs", runs },
	{ "runs that stop by their interval", until },
	{ "what cannot be negative has no negative end", positive },
	{ "what can be negative has", differences },
	{ "few values, and equal ones", few },
	{ "how often the interval holds the true mean", coverage },
	{ "how often that of independent runs does", runs_coverage },
	{ "how often that of pairs of runs does", differences_coverage },
	{ "how often that of values far from normal does", tails_coverage },
};

TEST_MAIN(cases)
