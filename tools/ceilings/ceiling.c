// SPDX-License-Identifier: GPL-2.0
/* ceiling: limits of a run that follow from its configuration. */
#include <stdarg.h>
#include <stdio.h>

#include "../base/units.h"
#include "ceiling.h"

/**
 * ceiling_set() - fill in a limit
 * @ceiling: limit with name and layer
 * @bps: maximum goodput in bit/s
 * @format: how it is derived
 */
void ceiling_set(struct ceiling *ceiling, double bps, const char *format, ...)
{
	va_list ap;

	ceiling->bps = bps;
	va_start(ap, format);
	vsnprintf(ceiling->because, sizeof(ceiling->because), format, ap);
	va_end(ap);
}

/**
 * ceiling_unknown() - mark a limit as absent or unknown
 * @ceiling: limit with name and layer
 * @format: the reason
 */
void ceiling_unknown(struct ceiling *ceiling, const char *format, ...)
{
	va_list ap;

	ceiling->bps = 0;
	va_start(ap, format);
	vsnprintf(ceiling->because, sizeof(ceiling->because), format, ap);
	va_end(ap);
}

/**
 * ceiling_binding() - the lowest limit
 * @ceilings: limits
 * @count: number of limits
 *
 * Return: index of the lowest known limit, or CEILING_NONE.
 */
size_t ceiling_binding(const struct ceiling *ceilings, size_t count)
{
	size_t least = CEILING_NONE;

	for (size_t i = 0; i < count; i++)
		if (ceilings[i].bps > 0 &&
		    (least == CEILING_NONE ||
		     ceilings[i].bps < ceilings[least].bps))
			least = i;
	return least;
}

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

/**
 * ceiling_window_share() - share of a receive buffer that is advertised
 * @buffer_bytes: the buffer as the kernel counts it: twice SO_RCVBUF
 * @scale: sysctl tcp_adv_win_scale
 *
 * The rest is for the overhead of the data in memory: buffer / 2^scale, or, for
 * a scale of 0 and below, all but buffer / 2^-scale (ip-sysctl of Linux up to
 * 6.5).
 *
 * Return: bytes of window.
 */
uint64_t ceiling_window_share(uint64_t buffer_bytes, int scale)
{
	return scale > 0 ? buffer_bytes - (buffer_bytes >> scale) :
			   buffer_bytes >> -scale;
}

/**
 * ceiling_window_bps() - rate of one window per round trip
 * @window_bytes: maximum data in flight
 * @rtt_ns: round-trip time
 *
 * RFC 7323 1.1: TCP has at most one window in flight.
 *
 * Return: bit/s.
 */
double ceiling_window_bps(uint64_t window_bytes, uint64_t rtt_ns)
{
	return window_bytes * 8.0 * UNITS_NSEC_PER_SEC / rtt_ns;
}

/**
 * ceiling_window_needed() - window that a rate needs
 * @bps: bit/s
 * @rtt_ns: round-trip time
 *
 * Return: bytes, the product of bandwidth and delay (RFC 7323 1.1).
 */
double ceiling_window_needed(double bps, uint64_t rtt_ns)
{
	return bps / 8 * rtt_ns / UNITS_NSEC_PER_SEC;
}
