/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Buckets of histograms of times, log-linear: of a bounded relative error, in
 * memory of a fixed size. The specification says which times a bucket has.
 */
#ifndef _UAPI_LINUX_KTPUT_HISTOGRAM_H
#define _UAPI_LINUX_KTPUT_HISTOGRAM_H

#include <linux/const.h>
#include <linux/ktput.h>
#include <linux/types.h>

/* Buckets of a power of two. */
#define KTPUT_HISTOGRAM_PART	_BITUL(KTPUT_HISTOGRAM_BITS)

/**
 * ktput_histogram_bucket() - the bucket of a time
 * @time: nanoseconds
 *
 * A time of 2^k to 2^(k+1) is shifted until 2^KTPUT_HISTOGRAM_BITS to twice
 * as much is left: the shift numbers the power of two, what is left the bucket.
 *
 * Return: its number.
 */
static inline __u32 ktput_histogram_bucket(__u64 time)
{
	const unsigned int shift =
		63 - __builtin_clzll(time | KTPUT_HISTOGRAM_PART) -
		KTPUT_HISTOGRAM_BITS;
	const __u64 bucket = shift * KTPUT_HISTOGRAM_PART + (time >> shift);

	return bucket < KTPUT_HISTOGRAM_BUCKETS ? bucket :
						  KTPUT_HISTOGRAM_BUCKETS - 1;
}

#endif /* _UAPI_LINUX_KTPUT_HISTOGRAM_H */
