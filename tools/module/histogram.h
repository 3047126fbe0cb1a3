/* SPDX-License-Identifier: GPL-2.0 */
/*
 * histogram: round-trip times, with the buckets of the module.
 *
 * The specification defines the buckets. A percentile is reported as the middle of
 * its bucket, with an error of at most 2^-7 (0.8%). Count, sum, minimum and maximum
 * are exact.
 */
#ifndef KTPUT_TOOLS_HISTOGRAM_H
#define KTPUT_TOOLS_HISTOGRAM_H

#include <linux/ktput_histogram.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct histogram - round-trip times in nanoseconds
 * @count: round trips and unanswered requests; the sum of @bucket
 * @sum_ns: sum of all times
 * @least_ns: minimum, UINT64_MAX before the first
 * @greatest_ns: maximum
 * @timeouts: requests that timed out
 * @late: responses after the timeout, and duplicates
 * @unanswered: requests under way at the end, which are in the tail of the times: each
 *	with the time that it had waited, and not less than the maximum before
 * @bucket: round trips by time
 */
struct histogram {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t least_ns;
	uint64_t greatest_ns;
	uint64_t timeouts;
	uint64_t late;
	uint64_t unanswered;
	uint64_t bucket[KTPUT_HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *histogram);
uint64_t histogram_from(size_t bucket);
uint64_t histogram_to(size_t bucket);
void histogram_add(struct histogram *histogram, uint64_t ns);
void histogram_add_unanswered(struct histogram *histogram, uint64_t age_ns);
uint64_t histogram_trips(const struct histogram *histogram);
void histogram_merge(struct histogram *to, const struct histogram *from);
void histogram_subtract(struct histogram *from,
			const struct histogram *earlier);
double histogram_mean(const struct histogram *histogram);
uint64_t histogram_rank_from(const struct histogram *histogram, uint64_t rank);
uint64_t histogram_rank_to(const struct histogram *histogram, uint64_t rank);
uint64_t histogram_percentile(const struct histogram *histogram,
			      double percent);

#endif
