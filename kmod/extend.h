/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel counters of 32 bits, extended to 64.
 */
#ifndef KTPUT_EXTEND_H
#define KTPUT_EXTEND_H

#include <linux/types.h>

/**
 * ktput_extend() - extend a 32-bit counter to 64 bits
 * @total: 64-bit count at the previous reading of the counter, or 0
 * @counter: the counter, which has advanced by less than 2^32 since then
 *
 * Return: the count now, whose low 32 bits are @counter.
 */
static inline u64 ktput_extend(u64 total, u32 counter)
{
	return total + (u32)(counter - (u32)total);
}

#endif /* KTPUT_EXTEND_H */
