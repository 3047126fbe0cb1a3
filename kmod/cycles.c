// SPDX-License-Identifier: GPL-2.0
/*
 * The clock behind cycle counts: get_cycles() on this machine.
 *
 * It runs at a constant rate whatever the core frequency is, and keeps running
 * while the core is idle. It counts cycles of a clock, not of a core.
 */
#include <linux/timex.h>

#if IS_ENABLED(CONFIG_ARM64)
#include <clocksource/arm_arch_timer.h>
#elif IS_ENABLED(CONFIG_X86)
#include <asm/tsc.h>
#endif

#include "cycles.h"

/**
 * ktput_cycles_clock() - name of the clock
 *
 * Return: a constant string.
 */
const char *ktput_cycles_clock(void)
{
	if (IS_ENABLED(CONFIG_X86))
		return "tsc";
	if (IS_ENABLED(CONFIG_ARM64))
		return "cntvct";
	return "get_cycles";
}

/**
 * ktput_cycles_hz() - frequency of the clock
 *
 * Return: Hz, or 0 if the kernel does not report it.
 */
u64 ktput_cycles_hz(void)
{
#if IS_ENABLED(CONFIG_X86)
	return tsc_khz * 1000ULL;
#elif IS_ENABLED(CONFIG_ARM64)
	return arch_timer_get_cntfrq();
#else
	return 0;
#endif
}
