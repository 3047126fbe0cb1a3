/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceiling_window: what a window permits at a given round-trip time.
 *
 * Pure arithmetic. Documentation/measure/ceilings.rst has the formulas.
 */
#ifndef KTPUT_TOOLS_CEILING_WINDOW_H
#define KTPUT_TOOLS_CEILING_WINDOW_H

#include <stdint.h>

/* Maximum of the sysctl tcp_adv_win_scale; the minimum is its negative. */
#define CEILING_WINDOW_SCALE_MAX	31

uint64_t ceiling_window_share(uint64_t buffer_bytes, int scale);
double ceiling_window_bps(uint64_t window_bytes, uint64_t rtt_ns);
double ceiling_window_needed(double bps, uint64_t rtt_ns);

#endif
