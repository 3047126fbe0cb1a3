// SPDX-License-Identifier: GPL-2.0
/* ceiling_window: what a window permits at a given round-trip time. */
#include "ceiling_window.h"
#include "../base/units.h"

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
