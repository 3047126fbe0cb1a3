/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clocks: the kernel's clocks in nanoseconds.
 */
#ifndef KTPUT_TOOLS_CLOCKS_H
#define KTPUT_TOOLS_CLOCKS_H

#include <stdint.h>
#include <time.h>

#include "units.h"

/**
 * clock_ns() - read a clock
 * @clock: clock that exists
 *
 * Return: nanoseconds.
 */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * UNITS_NSEC_PER_SEC + now.tv_nsec;
}

/**
 * monotonic_ns() - time since some moment in the past
 *
 * Return: nanoseconds of CLOCK_MONOTONIC, which is the module's clock too.
 */
static inline uint64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
