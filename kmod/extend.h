/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of the kernel that have 32 bits.
 */
#ifndef KTPUT_EXTEND_H
#define KTPUT_EXTEND_H

#include <linux/types.h>

/**
 * ktput_extend() - go on counting in 64 bits
 * @total: what was counted when the counter was read the last time, or 0
 * @counter: the counter, which has passed fewer than 2^32 since then
 *
 * Return: what has been counted by now, whose low 32 bits are @counter.
 */
static inline u64 ktput_extend(u64 total, u32 counter)
{
	return total + (u32)(counter - (u32)total);
}

#endif /* KTPUT_EXTEND_H */
