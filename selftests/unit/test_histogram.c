// SPDX-License-Identifier: GPL-2.0
/* histogram: buckets, and percentiles beside sorted values. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/analysis/statistics.h"
#include "../../tools/module/histogram.h"
#include "test.h"

#define VALUES	20000

static void buckets(void)
{
	uint64_t end = 0;

	for (size_t i = 0; i < KTPUT_HISTOGRAM_BUCKETS; i++) {
		uint64_t from = histogram_from(i), to = histogram_to(i);
		char what[32];

		snprintf(what, sizeof(what), "bucket %zu", i);
		TEST_U64(what, from, end);
		TEST_TRUE(what, to > from);
		/* As wide as the specification says. */
		TEST_TRUE(what, to - from == 1 || (to - from) * 64 <= from);
		TEST_U64(what, ktput_histogram_bucket(from), i);
		TEST_U64(what, ktput_histogram_bucket(to - 1), i);
		end = to;
	}
	TEST_U64("all", end, 1ULL << 36);
	TEST_U64("too great", ktput_histogram_bucket(UINT64_MAX),
		 KTPUT_HISTOGRAM_BUCKETS - 1);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Times of ten powers of ten, with a long tail. */
static void fill(struct histogram *histogram, uint64_t *values)
{
	uint64_t random = 88172645463325252ULL;

	for (size_t i = 0; i < VALUES; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		values[i] = pow(10, random % 10000000 / 1e6);
		histogram_add(histogram, values[i]);
	}
	qsort(values, VALUES, sizeof(*values), compare);
}

static void percentiles(void)
{
	static const double percents[] = {
		0, 0.001, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 99.999, 100,
	};
	static uint64_t values[VALUES];
	struct histogram histogram;

	histogram_init(&histogram);
	fill(&histogram, values);
	for (size_t i = 0; i < TEST_COUNT(percents); i++) {
		size_t rank = ceil(percents[i] / 100 * VALUES);
		uint64_t want = values[rank ? rank - 1 : 0];
		uint64_t have = histogram_percentile(&histogram, percents[i]);
		uint64_t error = have > want ? have - want : want - have;

		if (error > want / 128)
			TEST_FAIL("%g%%: have %llu, want %llu", percents[i],
				  (unsigned long long)have,
				  (unsigned long long)want);
	}
	TEST_U64("least", histogram_percentile(&histogram, 0), values[0]);
	TEST_U64("greatest", histogram_percentile(&histogram, 100),
		 values[VALUES - 1]);
}

static void merging(void)
{
	struct histogram one, other, sum, none;

	histogram_init(&one);
	histogram_init(&other);
	histogram_init(&sum);
	histogram_init(&none);
	histogram_add(&one, 1000);
	histogram_add(&one, 5000000);
	one.timeouts = 3;
	one.late = 10;
	one.unanswered = 20;
	histogram_add(&other, 70);
	other.timeouts = 1;
	other.late = 2;
	other.unanswered = 5;
	histogram_merge(&sum, &one);
	histogram_merge(&sum, &other);
	histogram_merge(&sum, &none);
	TEST_U64("count", sum.count, 3);
	TEST_U64("sum", sum.sum_ns, 5001070);
	TEST_U64("least", sum.least_ns, 70);
	TEST_U64("greatest", sum.greatest_ns, 5000000);
	TEST_U64("timeouts", sum.timeouts, 4);
	TEST_U64("late", sum.late, 12);
	TEST_U64("unanswered", sum.unanswered, 25);
	TEST_TRUE("mean", fabs(histogram_mean(&sum) - 5001070 / 3.0) < 1e-6);

	/* Within a bucket that both have, it is not known which were first. */
	histogram_subtract(&sum, &other);
	TEST_U64("sum since", sum.sum_ns, 5001000);
	TEST_U64("timeouts since", sum.timeouts, 3);
	TEST_U64("late since", sum.late, 10);
	TEST_U64("unanswered since", sum.unanswered, 20);
	TEST_U64("least of those since", sum.least_ns,
		 histogram_from(ktput_histogram_bucket(1000)));
	histogram_merge(&sum, &other);
	sum.least_ns = 70;

	histogram_subtract(&sum, &one);
	TEST_U64("timeouts of the other", sum.timeouts, 1);
	TEST_U64("late of the other", sum.late, 2);
	TEST_U64("unanswered of the other", sum.unanswered, 5);
	TEST_U64("count since", sum.count, 1);
	TEST_U64("least since", sum.least_ns, 70);
	TEST_U64("greatest since", sum.greatest_ns, 70);
	TEST_U64("median since", histogram_percentile(&sum, 50), 70);
	histogram_subtract(&sum, &other);
	TEST_U64("none", sum.count, 0);
	TEST_U64("no median", histogram_percentile(&sum, 50), 0);
	TEST_TRUE("no mean", isnan(histogram_mean(&sum)));
}

/* Ranks by hand, and no value beyond those that were counted. */
static void few(void)
{
	struct histogram histogram;

	histogram_init(&histogram);
	histogram_add(&histogram, 10);
	histogram_add(&histogram, 20);
	histogram_add(&histogram, 30);
	histogram_add(&histogram, 40);
	TEST_U64("a quarter", histogram_percentile(&histogram, 25), 10);
	TEST_U64("half", histogram_percentile(&histogram, 50), 20);
	TEST_U64("a little more", histogram_percentile(&histogram, 50.01), 30);
	TEST_U64("three quarters", histogram_percentile(&histogram, 75), 30);

	/* 2^20 is where a bucket of 2^14 begins. */
	histogram_init(&histogram);
	for (int i = 0; i < 3; i++)
		histogram_add(&histogram, 1 << 20);
	TEST_U64("not beyond the greatest",
		 histogram_percentile(&histogram, 50), 1 << 20);
	histogram_init(&histogram);
	for (int i = 0; i < 3; i++)
		histogram_add(&histogram, (1 << 20) + (1 << 14) - 1);
	TEST_U64("not below the least", histogram_percentile(&histogram, 50),
		 (1 << 20) + (1 << 14) - 1);
}

/* Each is in the tail: behind all that were answered. */
static void unanswered(void)
{
	struct histogram one, other;

	histogram_init(&one);
	for (int i = 0; i < 9; i++)
		histogram_add(&one, 100);
	histogram_add_unanswered(&one, 3000000000);
	TEST_U64("counted", one.count, 10);
	TEST_U64("trips", histogram_trips(&one), 9);
	TEST_U64("90%", histogram_percentile(&one, 90), 100);
	TEST_U64("90.1%", histogram_percentile(&one, 90.1), 3000000000);
	TEST_U64("sum", one.sum_ns, 3000000900);
	/* It has waited for less than others took: it would take longer yet. */
	histogram_add_unanswered(&one, 5);
	TEST_U64("least", one.least_ns, 100);
	TEST_U64("greatest", one.greatest_ns, 3000000000);
	TEST_U64("unanswered", one.unanswered, 2);

	histogram_init(&other);
	histogram_add(&other, 7);
	histogram_merge(&other, &one);
	TEST_U64("trips of both", histogram_trips(&other), 10);
	histogram_subtract(&other, &one);
	TEST_U64("since", histogram_trips(&other), 1);
	TEST_U64("since, without response", other.unanswered, 0);
}

/* Of two buckets, and the first and the last rank of each. */
static void by_rank(void)
{
	struct histogram histogram;
	struct percentile of;

	histogram_init(&histogram);
	for (int i = 0; i < 100; i++)
		histogram_add(&histogram, i < 60 ? 1002 : 3000);
	/* Buckets of 1000 to 1007 and of 2976 to 3007. */
	TEST_U64("first", histogram_rank_from(&histogram, 1), 1002);
	TEST_U64("first", histogram_rank_to(&histogram, 1), 1007);
	TEST_U64("last of it", histogram_rank_to(&histogram, 60), 1007);
	TEST_U64("first of the next", histogram_rank_from(&histogram, 61), 2976);
	TEST_U64("last", histogram_rank_to(&histogram, 100), 3000);
	/* The median is between ranks 40 and 61. */
	of = percentile_of(&histogram, 50);
	TEST_TRUE("median", of.known);
	TEST_U64("median", of.ns, 1003);
	TEST_U64("its lower end", of.low_ns, 1002);
	TEST_U64("its upper end", of.high_ns, 3000);
	TEST_TRUE("90th", percentile_of(&histogram, 90).known);
	TEST_TRUE("99th", !percentile_of(&histogram, 99).known);
	TEST_TRUE("least", !percentile_of(&histogram, 1).known);
}

/* The step of the last digit: of an interval of 40 at most 10. */
static void steps(void)
{
	static const struct { double value, width, want; } rows[] = {
		{ 45.3, 0, 0.01 }, { 45.3, 0.39, 0.01 }, { 45.3, 0.4, 0.1 },
		{ 45.3, 3.9, 0.1 }, { 45.3, 4, 1 }, { 45.3, 40, 10 },
		{ 45.3, 4000, 10 }, { 0.5, 4000, 0.1 }, { 123456, 40000, 10000 },
		{ 0.05, 1, 0.01 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		TEST_TRUE("step", fabs(percentile_step(rows[i].value, rows[i].width,
						       0.01) / rows[i].want - 1) <
				  1e-9);
}

static const struct test_case cases[] = {
	{ "requests without response", unanswered },
	{ "round trips by their rank", by_rank },
	{ "digits that an interval leaves", steps },
	{ "percentiles of a few values", few },
	{ "buckets follow each other", buckets },
	{ "percentiles beside sorted values", percentiles },
	{ "sums and differences", merging },
};

TEST_MAIN(cases)
