/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of times, log-linear: of a bounded relative error, in memory of a
 * fixed size. The specification says which times a bucket has.
 */
#ifndef KTPUT_HISTOGRAM_H
#define KTPUT_HISTOGRAM_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <linux/ktput.h>

#include "apart.h"

struct sk_buff;

/* Buckets that a netlink message holds: those of a power of two. */
#define KTPUT_HISTOGRAM_PART	BIT(KTPUT_HISTOGRAM_BITS)
#define KTPUT_HISTOGRAM_PARTS						\
	(KTPUT_HISTOGRAM_BUCKETS / KTPUT_HISTOGRAM_PART)

/**
 * struct ktput_histogram - round trips that ended on one CPU
 * @sum: of all times, in nanoseconds
 * @min: least time, U64_MAX before the first
 * @max: greatest time
 * @timeouts: requests that were given up
 * @late: responses that came afterwards, or again
 * @counts: round trips by their time; the exact number of them is the sum
 *
 * The CPU alone writes, with bottom halves off; any CPU reads: no lock.
 */
struct ktput_histogram {
	u64 sum;
	u64 min;
	u64 max;
	u64 timeouts;
	u64 late;
	u64 counts[KTPUT_HISTOGRAM_BUCKETS];
} ____cacheline_aligned_in_smp;

KTPUT_ALONE(struct ktput_histogram);

/**
 * ktput_histogram_bucket() - the bucket of a time
 * @time: nanoseconds
 *
 * A time of 2^k to 2^(k+1) is shifted until 2^KTPUT_HISTOGRAM_BITS to twice
 * as much is left: the shift numbers the power of two, what is left the bucket.
 *
 * Return: its number.
 */
static inline u32 ktput_histogram_bucket(u64 time)
{
	const unsigned int shift =
		__fls(time | KTPUT_HISTOGRAM_PART) - KTPUT_HISTOGRAM_BITS;
	const u64 bucket = shift * KTPUT_HISTOGRAM_PART + (time >> shift);

	return min_t(u64, bucket, KTPUT_HISTOGRAM_BUCKETS - 1);
}

/**
 * ktput_histogram_add() - count a round trip
 * @histogram: of this CPU; bottom halves are off
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

struct ktput_histogram **ktput_histograms_create(void);
void ktput_histograms_destroy(struct ktput_histogram **histograms);
void ktput_histogram_read(struct ktput_histogram *to,
			  const struct ktput_histogram *from);
int ktput_histogram_put(struct sk_buff *skb, unsigned int cpu,
			const struct ktput_histogram *histogram,
			unsigned int part);

#endif /* KTPUT_HISTOGRAM_H */
