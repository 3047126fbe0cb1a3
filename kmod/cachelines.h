/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache lines: what one CPU writes stands apart from what others use.
 *
 * A structure that several CPUs use has its members in groups, by who writes them
 * how often; ____cacheline_aligned_in_smp begins a group. These macros prove
 * of the built structure that it came out so; a kernel for one CPU has nothing
 * to prove.
 */
#ifndef KTPUT_CACHELINES_H
#define KTPUT_CACHELINES_H

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/kconfig.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/stddef.h>

/**
 * KTPUT_SEPARATE_CACHELINES() - prove that two groups of members share no cache line
 * @type: structure that is aligned to cache lines
 * @last: last member of a group
 * @first: first member of the next
 */
#define KTPUT_SEPARATE_CACHELINES(type, last, first)					\
	static_assert(!IS_ENABLED(CONFIG_SMP) ||			\
		      (offsetofend(type, last) - 1) / SMP_CACHE_BYTES <	\
		      offsetof(type, first) / SMP_CACHE_BYTES)

/**
 * KTPUT_OWN_CACHELINES() - prove that nothing else is in the cache lines of an object
 * @type: structure, allocated by kmalloc() and the like
 *
 * It is whole cache lines, and begins with one: what kmalloc() gives is aligned
 * to its size where that is a power of two, and what is larger than 192 bytes
 * is taken from such sizes or from whole pages.
 */
#define KTPUT_OWN_CACHELINES(type)						\
	static_assert(!IS_ENABLED(CONFIG_SMP) ||			\
		      (__alignof__(type) % SMP_CACHE_BYTES == 0 &&	\
		       (sizeof(type) > 192 ||				\
			(sizeof(type) & (sizeof(type) - 1)) == 0)))

/**
 * ktput_cachelines_size() - how much to allocate for nothing else to share its lines
 * @size: bytes that are needed, far from the most that a size_t holds
 *
 * Return: bytes, see KTPUT_OWN_CACHELINES().
 */
static inline size_t ktput_cachelines_size(size_t size)
{
	return roundup_pow_of_two(max_t(size_t, size, SMP_CACHE_BYTES));
}

#endif /* KTPUT_CACHELINES_H */
