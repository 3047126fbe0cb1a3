/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock behind cycle counts.
 */
#ifndef KTPUT_CYCLES_H
#define KTPUT_CYCLES_H

#include <linux/types.h>

const char *ktput_cycles_clock(void);
u64 ktput_cycles_hz(void);

#endif /* KTPUT_CYCLES_H */
