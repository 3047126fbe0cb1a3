/* SPDX-License-Identifier: GPL-2.0 */
/*
 * monotonic: the time of CLOCK_MONOTONIC, as the module's.
 */
#ifndef KTPUT_TOOLS_MONOTONIC_H
#define KTPUT_TOOLS_MONOTONIC_H

#include <stdint.h>
#include <time.h>

#include "units.h"

/**
 * monotonic_ns() - time since some moment in the past
 *
 * Return: nanoseconds.
 */
static inline uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UNITS_NSEC_PER_SEC + now.tv_nsec;
}

#endif
