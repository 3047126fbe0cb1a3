/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache lines: data that one CPU writes is kept apart from data that others
 * use.
 *
 * A structure shared between CPUs has its members grouped by writer and by how
 * often they are written; ____cacheline_aligned_in_smp begins a group. These
 * macros check the resulting layout at build time. A kernel for one CPU needs
 * no check.
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
 * KTPUT_SEPARATE_CACHELINES() - assert that two groups of members share no cache line
 * @type: structure that is aligned to cache lines
 * @last: last member of a group
 * @first: first member of the next
 */
#define KTPUT_SEPARATE_CACHELINES(type, last, first)					\
	static_assert(!IS_ENABLED(CONFIG_SMP) ||			\
		      (offsetofend(type, last) - 1) / SMP_CACHE_BYTES <	\
		      offsetof(type, first) / SMP_CACHE_BYTES)

/**
 * KTPUT_OWN_CACHELINES() - assert that an object shares its cache lines with nothing
 * @type: structure, allocated by kmalloc() and the like
 *
 * Its size is a multiple of the cache line, and it is aligned to one: kmalloc()
 * aligns sizes that are a power of two to that size, and takes sizes above 192
 * bytes from such caches or from whole pages.
 */
#define KTPUT_OWN_CACHELINES(type)						\
	static_assert(!IS_ENABLED(CONFIG_SMP) ||			\
		      (__alignof__(type) % SMP_CACHE_BYTES == 0 &&	\
		       (sizeof(type) > 192 ||				\
			(sizeof(type) & (sizeof(type) - 1)) == 0)))

/**
 * ktput_cachelines_size() - allocation size for an object that shares no cache line
 * @size: bytes needed, far below SIZE_MAX
 *
 * Return: bytes, see KTPUT_OWN_CACHELINES().
 */
static inline size_t ktput_cachelines_size(size_t size)
{
	return roundup_pow_of_two(max_t(size_t, size, SMP_CACHE_BYTES));
}

#endif /* KTPUT_CACHELINES_H */
