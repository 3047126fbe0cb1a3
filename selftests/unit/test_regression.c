// SPDX-License-Identifier: GPL-2.0
/* regression: exact data, how often the intervals hold, what cannot be told. */
#include <math.h>

#include "../../tools/lib/regression.h"
#include "test.h"

#define NEAR(what, have, want, by)					\
	do {								\
		double have_ = (have), want_ = (want);			\
									\
		if (!(fabs(have_ - want_) <= (by)))			\
			TEST_FAIL("%s: have %.9g, want %.9g", (what),	\
				  have_, want_);			\
	} while (0)

#define SIZES	6
#define POINTS	(3 * SIZES)

static const double truth[REGRESSION_TERMS] = { 0.8, 350, 900 };

/* Sizes of 256 to 256 Ki at three segment sizes, of 1 MB to 1 GB each. */
static void sweep(struct regression_point *point)
{
	static const double segment[] = { 536, 1448, 8948 };

	for (size_t i = 0; i < POINTS; i++) {
		double bytes = 1e6 * pow(10, i % 4);
		double size = 256 * pow(4, i / 3);

		point[i] = (struct regression_point) {
			.x = { bytes, bytes / segment[i % 3], bytes / size },
		};
		for (size_t j = 0; j < REGRESSION_TERMS; j++)
			point[i].y += truth[j] * point[i].x[j];
	}
}

/* The minimal standard generator of Park and Miller; 0 to 1, neither. */
static double uniform(uint64_t *seed)
{
	*seed = *seed * 48271 % 2147483647;
	return *seed / 2147483647.0;
}

static double normal(uint64_t *seed)
{
	double radius = sqrt(-2 * log(uniform(seed)));

	return radius * cos(2 * M_PI * uniform(seed));
}

static void exact(void)
{
	struct regression_point point[POINTS];
	struct regression model;

	sweep(point);
	TEST_TRUE("fits", regression_fit(point, POINTS, &model));
	TEST_U64("terms", model.kept, 3);
	TEST_U64("freedom", model.freedom, POINTS - 3);
	for (size_t j = 0; j < REGRESSION_TERMS; j++) {
		NEAR("value", model.term[j].value, truth[j], 1e-9 * truth[j]);
		NEAR("low", model.term[j].low, truth[j], 1e-8 * truth[j]);
		NEAR("high", model.term[j].high, truth[j], 1e-8 * truth[j]);
		TEST_TRUE("inflation", model.term[j].inflation >= 1);
	}
	NEAR("rms", model.rms, 0, 1e-12);
	NEAR("fitted", point[5].fitted / point[5].y, 1, 1e-12);
}

/*
 * One term by hand. Of x = 1 and y = 1, 1, 2.5 the equation of the weights
 * 1 / b^2 is solved by the mean, 1.5; residuals are -1/3, -1/3 and 2/3, s^2 is
 * 1/3, and C = b^2 / 3. Weights of y would have given 2.4 / 2.16 = 1.11.
 */
static void by_hand(void)
{
	struct regression_point point[] = {
		{ .x = { 1 }, .y = 1 }, { .x = { 1 }, .y = 1 },
		{ .x = { 1 }, .y = 2.5 },
	};
	struct regression model;
	double half = 4.30265273 * sqrt(1.0 / 3) * sqrt(1.5 * 1.5 / 3);

	TEST_TRUE("fits", regression_fit(point, 3, &model));
	TEST_U64("terms", model.kept, 1);
	NEAR("mean", model.term[0].value, 1.5, 1e-9);
	NEAR("low", model.term[0].low, 1.5 - half, 1e-6);
	NEAR("high", model.term[0].high, 1.5 + half, 1e-6);
	NEAR("inflation", model.term[0].inflation, 1, 1e-12);
	NEAR("rms", model.rms, sqrt(2.0 / 9), 1e-9);
	NEAR("residual", point[0].residual, -1.0 / 3, 1e-9);
	TEST_U64("largest", model.largest, 2);
	TEST_TRUE("no quantity", isinf(model.term[1].inflation));
	TEST_TRUE("no value", isnan(model.term[1].value));
}

/*
 * Inflation by hand: columns (1, 1, 1, 1) and (1, 1, 2, 2) with y = 1 have the
 * cosine 6 / sqrt(4 * 10), so 1 / (1 - 0.9) of each.
 */
static void inflation(void)
{
	struct regression_point point[] = {
		{ .x = { 1, 1 }, .y = 1 }, { .x = { 1, 1 }, .y = 1 },
		{ .x = { 1, 2 }, .y = 1 }, { .x = { 1, 2 }, .y = 1 },
	};
	struct regression model;

	TEST_TRUE("fits", regression_fit(point, 4, &model));
	TEST_U64("terms", model.kept, 2);
	NEAR("first", model.term[0].inflation, 10, 1e-9);
	NEAR("second", model.term[1].inflation, 10, 1e-9);
	NEAR("costs nothing", model.term[1].value, 0, 1e-12);
}

static void coverage(void)
{
	static const double noise[] = { 0.03, 0.15 };
	const unsigned int tries = 2000;

	for (size_t n = 0; n < TEST_COUNT(noise); n++) {
		unsigned int held[REGRESSION_TERMS] = { 0 };
		uint64_t seed = 20;

		for (unsigned int i = 0; i < tries; i++) {
			struct regression_point point[POINTS];
			struct regression model;

			sweep(point);
			for (size_t k = 0; k < POINTS; k++)
				point[k].y *= 1 + noise[n] * normal(&seed);
			if (!regression_fit(point, POINTS, &model)) {
				TEST_FAIL("noise %g: no fit", noise[n]);
				return;
			}
			for (size_t j = 0; j < REGRESSION_TERMS; j++)
				held[j] += model.term[j].low <= truth[j] &&
					   truth[j] <= model.term[j].high;
		}
		for (size_t j = 0; j < REGRESSION_TERMS; j++) {
			printf("# noise %g, term %zu: %.1f %% held\n",
			       noise[n], j, 100.0 * held[j] / tries);
			NEAR("held", (double)held[j] / tries, 0.95, 0.02);
		}
	}
}

/* A later term goes, those before it bear its cost. */
static void collinear(void)
{
	struct regression_point point[POINTS];
	struct regression model;

	sweep(point);
	for (size_t i = 0; i < POINTS; i++) {
		point[i].x[1] = point[i].x[0] / 1000;
		point[i].y = 2 * point[i].x[0] + 500 * point[i].x[1] +
			     900 * point[i].x[2];
	}
	TEST_TRUE("one segment size", regression_fit(point, POINTS, &model));
	TEST_TRUE("left out", !model.term[1].kept);
	NEAR("borne", model.term[0].value, 2.5, 1e-9);
	NEAR("calls", model.term[2].value, 900, 1e-6);

	sweep(point);
	for (size_t i = 0; i < POINTS; i++) {
		point[i].x[2] = point[i].x[0] / 1e5 + 2 * point[i].x[1];
		point[i].y = point[i].x[0] + point[i].x[2];
	}
	TEST_TRUE("a sum of two", regression_fit(point, POINTS, &model));
	TEST_TRUE("calls left out", !model.term[2].kept);
	NEAR("bytes", model.term[0].value, 1 + 1e-5, 1e-9);
	NEAR("packets", model.term[1].value, 2, 1e-6);

	/* A segment size that wavers by a percent is not another one. */
	sweep(point);
	for (size_t i = 0; i < POINTS; i++)
		point[i].x[1] = point[i].x[0] / (1000 + 10 * (i % 2));
	TEST_TRUE("nearly one", regression_fit(point, POINTS, &model));
	TEST_TRUE("left out, too", !model.term[1].kept &&
		  model.term[1].inflation > REGRESSION_INFLATION_MAX &&
		  isfinite(model.term[1].inflation));
}

static void too_few(void)
{
	struct regression_point point[POINTS];
	struct regression model;

	sweep(point);
	TEST_TRUE("none", !regression_fit(point, 0, &model));
	TEST_TRUE("one", !regression_fit(point, 1, &model));
	/* From there on sizes and segments both vary. */
	TEST_TRUE("three", !regression_fit(point + 2, 3, &model));
	TEST_U64("for three terms", model.kept, 3);
	TEST_TRUE("no value", isnan(model.term[0].value));
	TEST_TRUE("four", regression_fit(point + 2, 4, &model));
	/* Without any quantity there is nothing to fit. */
	for (size_t i = 0; i < POINTS; i++)
		point[i] = (struct regression_point) { .y = 1 };
	TEST_TRUE("nothing", !regression_fit(point, POINTS, &model));
}

/*
 * Many runs say 10 and 5 where the second quantity is 0 and 1, one says 1 where it
 * is 3: the line is below zero there, and weights stay as they were.
 */
static void below_zero(void)
{
	static struct regression_point point[2001];
	const size_t last = TEST_COUNT(point) - 1;
	struct regression model;

	for (size_t i = 0; i < last; i++)
		point[i] = (struct regression_point) {
			.x = { 1, i % 2 }, .y = i % 2 ? 5 : 10,
		};
	point[last] = (struct regression_point) { .x = { 1, 3 }, .y = 1 };
	TEST_TRUE("fits", regression_fit(point, last + 1, &model));
	TEST_TRUE("below zero", point[last].fitted < 0);
	NEAR("weight", point[last].weighted, 1, 0);
	NEAR("residual", point[last].residual, 1 - point[last].fitted, 1e-12);
	TEST_U64("largest", model.largest, last);
	TEST_TRUE("interval", model.term[1].low < model.term[1].value &&
		  model.term[1].value < model.term[1].high);
}

static const struct test_case cases[] = {
	{ "data without noise", exact },
	{ "one term, by hand", by_hand },
	{ "variance inflation, by hand", inflation },
	{ "intervals hold the truth as often as they say", coverage },
	{ "terms that cannot be told apart", collinear },
	{ "too few observations", too_few },
	{ "a model below zero", below_zero },
};

TEST_MAIN(cases)
