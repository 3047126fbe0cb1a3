/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceiling_cpu: what the busiest CPU permits at the measured cost.
 */
#ifndef KTPUT_TOOLS_CEILING_CPU_H
#define KTPUT_TOOLS_CEILING_CPU_H

double ceiling_cpu_bps(double cycles_per_s, double cycles_per_byte);

#endif
