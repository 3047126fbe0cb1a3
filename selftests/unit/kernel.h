/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel: what the module's arithmetic wants of the kernel, for tests that include a
 * source of kmod/ after this. Headers that the source includes exist in name only,
 * see the Makefile. A test has the clocks in its hands; nothing is concurrent.
 */
#ifndef KTPUT_UNIT_KERNEL_H
#define KTPUT_UNIT_KERNEL_H

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#define S64_MAX		INT64_MAX
#define S64_MIN		INT64_MIN
#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L

#define CONFIG_64BIT			1
#define CONFIG_SMP			0
#define CONFIG_KTPUT_UNCOUNTED		0
#define IS_ENABLED(CONFIG_OPTION)	(CONFIG_OPTION)
#define ____cacheline_aligned_in_smp
#define SMP_CACHE_BYTES	64
#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)
#define static_assert		_Static_assert
#define __stringify_1(x...)	#x
#define __stringify(x...)	__stringify_1(x)
#define __force

#define likely(x)	(x)
#define unlikely(x)	(x)
/* There is no other CPU. */
#define data_race(x)	(x)
#define READ_ONCE(x)	(x)
#define WRITE_ONCE(x, value)	((x) = (value))

#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define __fls(x)	(63 - (unsigned int)__builtin_clzll(x))
#define abs(x)		((x) < 0 ? -(x) : (x))
#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define container_of(pointer, type, member)				\
	((type *)((char *)(pointer) - offsetof(type, member)))

#define cpu_to_be32	htobe32
#define cpu_to_be64	htobe64
#define be32_to_cpu	be32toh
#define be64_to_cpu	be64toh

#define GFP_KERNEL_ACCOUNT	0
#define kfree			free

static inline void *kzalloc(size_t size, int flags)
{
	(void)flags;
	return calloc(1, size);
}

#define roundup_pow_of_two(x)						\
	((x) < 2 ? 1 : 1UL << (64 - __builtin_clzl((x) - 1)))
#define div64_u64(a, b)		((a) / (b))
#define mul_u64_u32_div(a, b, c)					\
	((u64)((__uint128_t)(a) * (u32)(b) / (u32)(c)))
#define mul_u64_u32_shr(a, b, shift)					\
	((u64)((__uint128_t)(a) * (u32)(b) >> (shift)))

struct spinlock {
	int unused;
};

#define spinlock_t		struct spinlock
#define spin_lock_init(lock)	((void)(lock))
#define spin_lock_bh(lock)	((void)(lock))
#define spin_unlock_bh(lock)	((void)(lock))
#define lockdep_assert_held(lock)	((void)(lock))

/* What the clocks say, of which a test may want some. */
static u64 clock_monotonic __attribute__((unused));
static u64 clock_real __attribute__((unused));
static u64 clock_cycles __attribute__((unused));

#define ktime_get_ns()		clock_monotonic
#define ktime_get_real_ns()	clock_real
#define get_cycles()		clock_cycles

#endif /* KTPUT_UNIT_KERNEL_H */
