/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock: the counter that cycles are read from.
 *
 * It is the module's where user space can read that, so that the cycles of a
 * source here and of a sink in the kernel are of one kind.
 */
#ifndef KTPUT_USER_CLOCK_H
#define KTPUT_USER_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "../../base/clocks.h"

#if defined(__x86_64__)
#define USER_CLOCK_NAME	"tsc"
#define USER_CLOCK_HZ	0
#elif defined(__aarch64__)
#define USER_CLOCK_NAME	"cntvct"
#define USER_CLOCK_HZ	user_clock_hz()
#else
#define USER_CLOCK_NAME	"CLOCK_MONOTONIC"
#define USER_CLOCK_HZ	UNITS_NSEC_PER_SEC
#endif

static inline uint64_t user_clock_now(void)
{
	return monotonic_ns();
}

#if defined(__aarch64__)
static inline uint64_t user_clock_hz(void)
{
	uint64_t hz;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r" (hz));
	return hz;
}
#endif

static inline uint64_t user_clock_cycles(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t cycles;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r" (cycles));
	return cycles;
#else
	return user_clock_now();
#endif
}

#endif
