/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of round trip times, one for each CPU.
 */
#ifndef KTPUT_HISTOGRAM_H
#define KTPUT_HISTOGRAM_H

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/ktput_histogram.h>
#include <linux/types.h>

#include "cachelines.h"

struct sk_buff;

/* Netlink messages of a histogram: one for the buckets of each power of two. */
#define KTPUT_HISTOGRAM_PARTS						\
	(KTPUT_HISTOGRAM_BUCKETS / KTPUT_HISTOGRAM_PART)

/**
 * struct ktput_histogram - round trips that ended on one CPU
 * @sum: of all times, in nanoseconds
 * @min: smallest time, U64_MAX before the first
 * @max: largest time
 * @timeouts: requests that timed out
 * @late: responses that came after that, or repeatedly
 * @unanswered: requests that were under way when the run had ended
 * @counts: round trips by time; the sum of these is their exact number
 *
 * Only that CPU writes, with bottom halves disabled; any CPU reads. No lock.
 */
struct ktput_histogram {
	u64 sum;
	u64 min;
	u64 max;
	u64 timeouts;
	u64 late;
	u64 unanswered;
	u64 counts[KTPUT_HISTOGRAM_BUCKETS];
} ____cacheline_aligned_in_smp;

KTPUT_OWN_CACHELINES(struct ktput_histogram);

/**
 * ktput_histogram_add() - count a round trip
 * @histogram: histogram of this CPU; bottom halves are disabled
 * @time: nanoseconds
 */
static inline void ktput_histogram_add(struct ktput_histogram *histogram,
				       u64 time)
{
	u64 *count = &histogram->counts[ktput_histogram_bucket(time)];

	BUILD_BUG_ON(KTPUT_HISTOGRAM_BUCKETS % KTPUT_HISTOGRAM_PART);
	WRITE_ONCE(*count, *count + 1);
	WRITE_ONCE(histogram->sum, histogram->sum + time);
	if (time < histogram->min)
		WRITE_ONCE(histogram->min, time);
	if (time > histogram->max)
		WRITE_ONCE(histogram->max, time);
}

/**
 * ktput_histogram_add_unanswered() - count a request without response
 * @histogram: histogram without another writer
 * @age: nanoseconds for which it has waited
 *
 * Its round trip would take longer than that, so it is in the tail of the times.
 */
static inline void
ktput_histogram_add_unanswered(struct ktput_histogram *histogram, u64 age)
{
	ktput_histogram_add(histogram, age > histogram->max ? age :
							      histogram->max);
	WRITE_ONCE(histogram->unanswered, histogram->unanswered + 1);
}

struct ktput_histogram **ktput_histograms_create(void);
void ktput_histograms_destroy(struct ktput_histogram **histograms);
void ktput_histogram_read(struct ktput_histogram *to,
			  const struct ktput_histogram *from);
int ktput_histogram_put(struct sk_buff *skb, unsigned int cpu,
			const struct ktput_histogram *histogram,
			unsigned int part);

#endif /* KTPUT_HISTOGRAM_H */
