// SPDX-License-Identifier: GPL-2.0
/* Which sizes a sweep has, and which drop out, by the median and by the mean. */
#include "../../tools/cmd/pingpong_sweep.h"
#include "test.h"

#define SIZES	3

/* Times in microseconds of three sizes of 1000 bytes, so that times compare. */
static void dropouts(void)
{
	static const struct {
		const char *what;
		uint64_t median_us[SIZES], mean_us[SIZES];
		bool by_median[SIZES], by_mean[SIZES];
	} rows[] = {
		{ "even", { 10, 10, 10 }, { 10, 10, 10 }, { 0 }, { 0 } },
		{ "both averages in the middle", { 10, 20, 10 },
		  { 10, 20, 10 }, { 0, 1, 0 }, { 0, 1, 0 } },
		{ "a few stalls in the middle", { 10, 10, 10 },
		  { 10, 30, 10 }, { 0 }, { 0, 1, 0 } },
		{ "slower than one neighbour alone", { 10, 20, 20 },
		  { 10, 20, 20 }, { 0 }, { 0 } },
		/* A sweep to 4 MiB: 97 ms the median, 289 ms the mean. */
		{ "a few stalls in the last", { 97, 97, 97 },
		  { 97, 97, 289 }, { 0 }, { 0, 0, 1 } },
		{ "the first", { 30, 10, 10 }, { 30, 10, 10 }, { 0 }, { 0 } },
		{ "around three quarters", { 8, 10, 8 }, { 8, 11, 8 },
		  { 0 }, { 0, 1, 0 } },
		{ "no median", { 0, 0, 0 }, { 10, 20, 10 }, { 0 }, { 0, 1, 0 } },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct pingpong_point points[SIZES] = { 0 };
		struct pingpong_dropout dropout;

		for (size_t j = 0; j < SIZES; j++)
			points[j] = (struct pingpong_point) {
				.bytes = 1000,
				.p50_ns = rows[i].median_us[j] * 1000,
				.mean_ns = rows[i].mean_us[j] * 1000,
			};
		for (size_t j = 0; j < SIZES; j++) {
			TEST_TRUE(rows[i].what, rows[i].by_median[j] ==
				  pingpong_dropout(points, SIZES, j,
						   PINGPONG_BY_MEDIAN,
						   &dropout));
			TEST_TRUE(rows[i].what, rows[i].by_mean[j] ==
				  pingpong_dropout(points, SIZES, j,
						   PINGPONG_BY_MEAN, &dropout));
		}
	}
}

/* Each once, in order, from the first to the last. */
static void sizes(void)
{
	static const struct {
		uint64_t first, last, thin;
		const char *want;
	} rows[] = {
		{ 1, 1, 1, "1" },
		{ 1, 8, 1, "1 2 3 4 5 6 7 8" },
		{ 4, 30, 1, "4 5 6 7 8 9 11 12 13 15 16 19 21 24 27 29 30" },
		{ 16, 80, 1, "16 19 21 24 27 29 32 35 45 48 51 61 64 67 80" },
		{ 16, 80, 2, "16 19 29 32 35 61 64 67 80" },
		{ 10, 100, 5, "10 29 32 35 100" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct run_sizes sizes = { rows[i].first, rows[i].last };
		struct pingpong_point points[PINGPONG_SIZES_MAX];
		size_t count = pingpong_sizes(points, &sizes, rows[i].thin);
		char text[200] = "";
		int length = 0;

		for (size_t j = 0; j < count; j++)
			length += snprintf(text + length, sizeof(text) - length, "%s%d",
					   j ? " " : "", (int)points[j].bytes);
		TEST_STRING("sizes", text, rows[i].want);
	}
}

static const struct test_case cases[] = {
	{ "sizes of a sweep", sizes },
	{ "dropouts by median and mean", dropouts },
};

TEST_MAIN(cases)
