// SPDX-License-Identifier: GPL-2.0
/* buckets: the module's histograms. */
#include "kernel.h"

#include "../../kmod/histogram.h"
#include "test.h"

static void add(void)
{
	static const u64 times[] = { 5, 900, 5, 70000, 1, 1ULL << 40 };
	struct ktput_histogram histogram = { .min = U64_MAX };
	u64 sum = 0, count = 0;

	for (size_t i = 0; i < TEST_COUNT(times); i++) {
		ktput_histogram_add(&histogram, times[i]);
		sum += times[i];
	}
	for (size_t i = 0; i < KTPUT_HISTOGRAM_BUCKETS; i++)
		count += histogram.counts[i];
	TEST_U64("count", count, TEST_COUNT(times));
	TEST_U64("in one bucket", histogram.counts[5], 2);
	TEST_U64("sum", histogram.sum, sum);
	TEST_U64("least", histogram.min, 1);
	TEST_U64("greatest", histogram.max, 1ULL << 40);
	ktput_histogram_add(&histogram, 9);
	TEST_U64("least", histogram.min, 1);
	TEST_U64("greatest", histogram.max, 1ULL << 40);
}

static const struct test_case cases[] = {
	{ "count, sum, least and greatest", add },
};

TEST_MAIN(cases)
