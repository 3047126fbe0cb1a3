/* SPDX-License-Identifier: GPL-2.0 */
/*
 * histogram: times of round trips, as the module counts them.
 *
 * Buckets are those of the specification. A percentile is told by the middle of
 * its bucket, which is off by 2^-7 (0.8%) of it at most; count, sum, least and
 * greatest time are exact.
 */
#ifndef KTPUT_TOOLS_HISTOGRAM_H
#define KTPUT_TOOLS_HISTOGRAM_H

#include <linux/ktput_histogram.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct histogram - times of round trips, in nanoseconds
 * @count: round trips; the sum of @bucket
 * @sum_ns: of all times
 * @least_ns: least time, UINT64_MAX before the first
 * @greatest_ns: greatest time
 * @timeouts: requests that were given up
 * @late: responses that came afterwards, or again
 * @bucket: round trips by their time
 */
struct histogram {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t least_ns;
	uint64_t greatest_ns;
	uint64_t timeouts;
	uint64_t late;
	uint64_t bucket[KTPUT_HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *histogram);
uint64_t histogram_from(size_t bucket);
uint64_t histogram_to(size_t bucket);
void histogram_add(struct histogram *histogram, uint64_t ns);
void histogram_merge(struct histogram *to, const struct histogram *from);
void histogram_subtract(struct histogram *from,
			const struct histogram *earlier);
double histogram_mean(const struct histogram *histogram);
uint64_t histogram_percentile(const struct histogram *histogram,
			      double percent);

#endif
