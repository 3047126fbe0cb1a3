// SPDX-License-Identifier: GPL-2.0
/* ceiling_cpu: what the busiest CPU permits at the measured cost. */
#include "ceiling_cpu.h"

/**
 * ceiling_cpu_bps() - rate at which a CPU would never be idle
 * @cycles_per_s: available cycles
 * @cycles_per_byte: cost of a byte, assumed to be constant
 *
 * Return: bit/s.
 */
double ceiling_cpu_bps(double cycles_per_s, double cycles_per_byte)
{
	return cycles_per_s / cycles_per_byte * 8;
}
