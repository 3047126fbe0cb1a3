// SPDX-License-Identifier: GPL-2.0
/* statistics: known answers, and how often the interval holds the true mean. */
#include <json-c/json.h>
#include <math.h>

#include "../../tools/analysis/statistics.h"
#include "../../tools/base/json.h"
#include "../../tools/result/report.h"
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
	TEST_TRUE("five carry no percentile", isnan(have.p05) &&
		  isnan(have.p25) && isnan(have.p75) && isnan(have.p95));
	NEAR("stability", have.stability, sqrt(5) / 5, 1e-12);
	/* Products (-2)(-1) + (-1)(-3) + 0 + 3 + 0 = 8, squares 10. */
	NEAR("steadiness", have.steadiness_per_s, 0.8 / 5, 1e-12);
	TEST_U64("they are those of one run", have.batches, 1);
	TEST_TRUE("which is too few", have.too_short);
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
	statistics_runs(values, 11, &have);
	NEAR("constant", have.ci_low, 7, 0);
	TEST_U64("constant", have.batches, 11);
	TEST_TRUE("constant", !have.too_short);
}

/* P(B < low) and P(B >= high) of a binomial distribution, by its definition. */
static double outside(unsigned int count, double p, uint64_t low, uint64_t high,
		      bool above)
{
	double sum = 0;

	for (unsigned int k = 0; k <= count; k++) {
		double log_of = lgamma(count + 1.0) - lgamma(k + 1.0) -
				lgamma(count - k + 1.0) + k * log(p) +
				(count - k) * log1p(-p);

		if (above ? k >= high : k < low)
			sum += exp(log_of);
	}
	return sum;
}

/* Ranks are the closest that leave 2.5 % on each side. */
static void ranks(void)
{
	static const double shares[] = { 0.05, 0.25, 0.5, 0.9, 0.99, 0.999 };
	static const unsigned int counts[] = {
		1, 2, 5, 6, 7, 12, 13, 71, 72, 73, 100, 368, 369, 1000, 3687,
		3688, 20000,
	};

	for (size_t i = 0; i < TEST_COUNT(shares); i++)
		for (size_t j = 0; j < TEST_COUNT(counts); j++) {
			const unsigned int n = counts[j];
			const double p = shares[i];
			uint64_t low, high;
			bool known = statistics_ranks(n, p, &low, &high);
			char what[40];

			snprintf(what, sizeof(what), "%g of %u", p, n);
			TEST_TRUE(what, known == (low >= 1 && high <= n));
			TEST_TRUE(what, outside(n, p, low, high, false) <= 0.025);
			TEST_TRUE(what, outside(n, p, low, high, true) <= 0.025);
			TEST_TRUE(what, outside(n, p, low + 1, high, false) > 0.025);
			TEST_TRUE(what, outside(n, p, low, high - 1, true) > 0.025);
		}
}

/* The fewest values that carry a percentile, and what many do. */
static void fewest(void)
{
	static const struct { double p; uint64_t count; } rows[] = {
		{ 0.5, 6 }, { 0.9, 36 }, { 0.99, 368 }, { 0.999, 3688 },
		{ 0.9999, 36887 }, { 0.99999, 368887 }, { 0.05, 72 }, { 0.25, 13 },
	};
	uint64_t low, high;

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		TEST_TRUE("enough", statistics_ranks(rows[i].count, rows[i].p,
						     &low, &high));
		TEST_TRUE("one too few", !statistics_ranks(rows[i].count - 1,
							   rows[i].p, &low, &high));
	}
	TEST_TRUE("none", !statistics_ranks(0, 0.5, &low, &high));
	/* 1.96 sigma of the binomial distribution, sqrt(n p (1 - p)). */
	TEST_TRUE("many", statistics_ranks(1000000000, 0.5, &low, &high));
	NEAR("many", low, 5e8 - 1.959964 * sqrt(2.5e8), 3);
	NEAR("many", high, 5e8 + 1.959964 * sqrt(2.5e8), 3);
	/* On both sides of where the normal distribution takes over. */
	TEST_TRUE("sums", statistics_ranks(399999999, 0.5, &low, &high));
	NEAR("sums", high - low, 2 * 1.959964 * 1e4, 3);
	TEST_TRUE("normal", statistics_ranks(400000002, 0.5, &low, &high));
	NEAR("normal", high - low, 2 * 1.959964 * 1e4, 3);
	/* What no run has, but a file may say. */
	TEST_TRUE("any", statistics_ranks(UINT64_MAX, 0.99999, &low, &high) &&
		  low < high);
}

/* Percentiles of a series are there as soon as it carries them, each by itself. */
static void carried(void)
{
	static double values[73];
	struct statistics have;

	for (size_t i = 0; i < TEST_COUNT(values); i++)
		values[i] = i;
	statistics_series(values, NULL, 12, &have);
	TEST_TRUE("12", isnan(have.p05) && isnan(have.p25) &&
		  isnan(have.p75) && isnan(have.p95));
	statistics_series(values, NULL, 13, &have);
	NEAR("p25 of 13", have.p25, 3, 1e-12);
	NEAR("p75 of 13", have.p75, 9, 1e-12);
	TEST_TRUE("not the outer ones", isnan(have.p05) && isnan(have.p95));
	statistics_series(values, NULL, 73, &have);
	NEAR("p05 of 73", have.p05, 3.6, 1e-12);
	NEAR("p95 of 73", have.p95, 68.4, 1e-12);
}

#define ROUNDS		1000
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

/* No run has an interval of its own, however long it is. */
static void one_run(void)
{
	static double values[3000];
	struct statistics have;

	draw_state = 1;
	for (size_t i = 0; i < TEST_COUNT(values); i++)
		values[i] = 100 + draw_normal();
	for (size_t count = 10; count <= TEST_COUNT(values); count += 10) {
		statistics_series(values, NULL, count, &have);
		TEST_TRUE("no interval", have.too_short && have.batches == 1 &&
			  isnan(have.ci_low) && isnan(have.ci_high) &&
			  isnan(have.standard_error));
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

/*
 * What statistics.rst says of runs that are not independent: 79 % of the intervals
 * of runs that stop by them hold the mean at a correlation of 0.5.
 */
static void until_correlated(void)
{
	unsigned int held = 0;

	draw_state = 1;
	for (int round = 0; round < ROUNDS; round++) {
		struct statistics have;
		double values[10];
		size_t count = STATISTICS_PILOT;

		/* A sigma of 2 % of the mean. */
		autoregressive(0.5, values, TEST_COUNT(values));
		for (size_t i = 0; i < TEST_COUNT(values); i++)
			values[i] = TRUE_MEAN + (values[i] - TRUE_MEAN) * sqrt(3);
		do {
			statistics_until(values, count, &have);
		} while (statistics_half_width(&have) > 0.025 * have.mean &&
			 count++ < TEST_COUNT(values));
		held += have.ci_low <= TRUE_MEAN && have.ci_high >= TRUE_MEAN;
	}
	printf("# correlated by 0.5: held by %.3f\n", (double)held / ROUNDS);
	TEST_TRUE("as often as the document says", held > 0.75 * ROUNDS &&
		  held < 0.83 * ROUNDS);
}

/* Each member has its place in a record. */
static void recorded(void)
{
	static const struct statistics statistics = {
		.count = 1, .mean = 2, .sigma = 3, .min = 4, .max = 5, .median = 6,
		.p05 = 7, .p25 = 8, .p75 = 9, .p95 = 10, .stability = 11,
		.steadiness_per_s = 12, .confidence = 13, .ci_low = 14, .ci_high = 15,
		.batches = 16,
	};
	static const char *const keys[] = {
		"count", "mean", "sigma", "min", "max", "median", "p05", "p25", "p75",
		"p95", "stability", "steadiness_per_s", "confidence", "ci_low", "ci_high",
		"batches",
	};
	struct json_object *json;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct output *out = output_new(file, stderr, OUTPUT_JSON, "test");

	statistics_report_record(out, "of", &statistics);
	TEST_U64("written", output_document_end(out), 0);
	fflush(file);
	json = json_tokener_parse(text);
	for (size_t i = 0; i < TEST_COUNT(keys); i++) {
		char path[32];

		snprintf(path, sizeof(path), "of.%s", keys[i]);
		NEAR(path, json_object_get_double(json_at(json, path)), i + 1, 0);
	}
	json_object_put(json);
	TEST_U64("free", output_free(out), 0);
	fclose(file);
	free(text);
}

static const struct test_case cases[] = {
	{ "each member has its place in a record", recorded },
	{ "Student's quantile", student },
	{ "percentiles", percentiles },
	{ "a series with known answers", known },
	{ "independent runs", runs },
	{ "runs that stop by their interval", until },
	{ "what cannot be negative has no negative end", positive },
	{ "what can be negative has", differences },
	{ "few values, and equal ones", few },
	{ "ranks that a percentile lies between", ranks },
	{ "the fewest values of a percentile", fewest },
	{ "percentiles that a series carries", carried },
	{ "one run has no interval", one_run },
	{ "runs that are not independent", until_correlated },
	{ "how often that of independent runs holds the mean", runs_coverage },
	{ "how often that of pairs of runs does", differences_coverage },
};

TEST_MAIN(cases)
