// SPDX-License-Identifier: GPL-2.0
/* ceiling_cpu: what the busiest CPU permits at the cost that was measured. */
#include "ceiling_cpu.h"

/**
 * ceiling_cpu_bps() - rate at which a CPU would not be idle at all
 * @cycles_per_s: cycles that there are
 * @cycles_per_byte: what a byte costs it, which is taken to stay the same
 *
 * Return: bit/s.
 */
double ceiling_cpu_bps(double cycles_per_s, double cycles_per_byte)
{
	return cycles_per_s / cycles_per_byte * 8;
}
