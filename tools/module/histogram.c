// SPDX-License-Identifier: GPL-2.0
/* histogram: round-trip times, with the buckets of the module. */
#include <math.h>

#include "histogram.h"

/* Number of bits that times are shifted right by for a bucket. */
static unsigned int shift_of(size_t bucket)
{
	return bucket < 2 * KTPUT_HISTOGRAM_PART ?
	       0 : bucket / KTPUT_HISTOGRAM_PART - 1;
}

/**
 * histogram_from() - lower bound of a bucket
 * @bucket: its number
 *
 * Return: minimum time in nanoseconds.
 */
uint64_t histogram_from(size_t bucket)
{
	unsigned int shift = shift_of(bucket);

	return (uint64_t)(bucket - shift * KTPUT_HISTOGRAM_PART) << shift;
}

/**
 * histogram_to() - upper bound of a bucket
 * @bucket: its number
 *
 * Return: lowest time above it; the last bucket also takes longer times.
 */
uint64_t histogram_to(size_t bucket)
{
	return histogram_from(bucket) + (1ULL << shift_of(bucket));
}

/**
 * histogram_init() - make a histogram empty
 * @histogram: histogram
 */
void histogram_init(struct histogram *histogram)
{
	*histogram = (struct histogram) { .least_ns = UINT64_MAX };
}

/**
 * histogram_add() - count a round trip
 * @histogram: histogram
 * @ns: its time
 */
void histogram_add(struct histogram *histogram, uint64_t ns)
{
	histogram->bucket[ktput_histogram_bucket(ns)]++;
	histogram->count++;
	histogram->sum_ns += ns;
	if (ns < histogram->least_ns)
		histogram->least_ns = ns;
	if (ns > histogram->greatest_ns)
		histogram->greatest_ns = ns;
}

/**
 * histogram_add_unanswered() - count a request without response
 * @histogram: histogram
 * @age_ns: time for which it has waited
 *
 * Its round trip would take longer than that, so it is in the tail of the times.
 */
void histogram_add_unanswered(struct histogram *histogram, uint64_t age_ns)
{
	histogram_add(histogram, age_ns > histogram->greatest_ns ?
		      age_ns : histogram->greatest_ns);
	histogram->unanswered++;
}

/**
 * histogram_trips() - number of round trips
 * @histogram: histogram
 *
 * Return: requests that were answered.
 */
uint64_t histogram_trips(const struct histogram *histogram)
{
	return histogram->count - histogram->unanswered;
}

/**
 * histogram_merge() - add the counts of another CPU
 * @to: sum
 * @from: addend, or a part of it
 */
void histogram_merge(struct histogram *to, const struct histogram *from)
{
	if (from->least_ns < to->least_ns)
		to->least_ns = from->least_ns;
	if (from->greatest_ns > to->greatest_ns)
		to->greatest_ns = from->greatest_ns;
	to->count += from->count;
	to->sum_ns += from->sum_ns;
	to->timeouts += from->timeouts;
	to->late += from->late;
	to->unanswered += from->unanswered;
	for (size_t i = 0; i < KTPUT_HISTOGRAM_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

/**
 * histogram_subtract() - subtract an earlier reading
 * @from: later reading
 * @earlier: earlier reading
 *
 * Minimum and maximum become bounds of buckets, unless the difference covers all
 * that was counted.
 */
void histogram_subtract(struct histogram *from,
			const struct histogram *earlier)
{
	size_t first = KTPUT_HISTOGRAM_BUCKETS, last = 0;

	from->count -= earlier->count;
	from->sum_ns -= earlier->sum_ns;
	from->timeouts -= earlier->timeouts;
	from->late -= earlier->late;
	from->unanswered -= earlier->unanswered;
	for (size_t i = 0; i < KTPUT_HISTOGRAM_BUCKETS; i++) {
		from->bucket[i] -= earlier->bucket[i];
		if (!from->bucket[i])
			continue;
		if (first == KTPUT_HISTOGRAM_BUCKETS)
			first = i;
		last = i;
	}
	if (!from->count)
		return;
	if (histogram_from(first) > from->least_ns)
		from->least_ns = histogram_from(first);
	if (histogram_to(last) - 1 < from->greatest_ns)
		from->greatest_ns = histogram_to(last) - 1;
}

/**
 * histogram_mean() - mean time
 * @histogram: histogram
 *
 * Return: nanoseconds, NaN without round trips.
 */
double histogram_mean(const struct histogram *histogram)
{
	return histogram->count ?
	       (double)histogram->sum_ns / histogram->count : NAN;
}

static uint64_t middle(const struct histogram *histogram, size_t bucket)
{
	uint64_t ns = (histogram_from(bucket) + histogram_to(bucket) - 1) / 2;

	if (ns < histogram->least_ns)
		return histogram->least_ns;
	return ns < histogram->greatest_ns ? ns : histogram->greatest_ns;
}

/* The bucket of the round trip of a rank, from 1 to the count. */
static size_t bucket_of(const struct histogram *histogram, uint64_t rank)
{
	uint64_t seen = 0;
	size_t last = 0;

	for (size_t i = 0; i < KTPUT_HISTOGRAM_BUCKETS; i++) {
		if (!histogram->bucket[i])
			continue;
		last = i;
		seen += histogram->bucket[i];
		if (seen >= rank)
			break;
	}
	return last;
}

/**
 * histogram_rank_from() - least time that the round trip of a rank may have taken
 * @histogram: histogram with round trips
 * @rank: its place in the order of times, from 1 to the count
 *
 * Return: nanoseconds.
 */
uint64_t histogram_rank_from(const struct histogram *histogram, uint64_t rank)
{
	uint64_t ns = histogram_from(bucket_of(histogram, rank));

	return ns < histogram->least_ns ? histogram->least_ns : ns;
}

/**
 * histogram_rank_to() - greatest time that the round trip of a rank may have taken
 * @histogram: histogram with round trips
 * @rank: its place in the order of times, from 1 to the count
 *
 * Return: nanoseconds.
 */
uint64_t histogram_rank_to(const struct histogram *histogram, uint64_t rank)
{
	uint64_t ns = histogram_to(bucket_of(histogram, rank)) - 1;

	return ns < histogram->greatest_ns ? ns : histogram->greatest_ns;
}

/**
 * histogram_percentile() - a percentile of the times
 * @histogram: histogram
 * @percent: percentage of round trips that do not exceed it, 0 to 100
 *
 * Return: nanoseconds; the time of the round trip whose rank is @percent of the
 * count, rounded up, accurate to 2^-7 of it; 0 without round trips.
 */
uint64_t histogram_percentile(const struct histogram *histogram,
			      double percent)
{
	double rank = ceil(percent / 100 * histogram->count);

	if (!histogram->count)
		return 0;
	if (rank <= 1)
		return histogram->least_ns;
	if (rank >= histogram->count)
		return histogram->greatest_ns;
	return middle(histogram, bucket_of(histogram, rank));
}
