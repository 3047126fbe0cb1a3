/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trip_verdict: what limits a ping-pong.
 *
 * A round trip has no goodput, so no ceiling of goodput applies. The verdict is the
 * first of these with evidence:
 *
 *   rate            VERDICT_FULL of the requested rate of requests is reached
 *   quota, other work, loss, CPU
 *                   as of a run with goodput (verdict.h)
 *   application     the source thinks VERDICT_MOSTLY of the time between a response
 *                   and the next request
 *
 * and then, if there is one request at a time:
 *
 *   way             the minimum round-trip time of TCP, less the work of the run, is
 *                   VERDICT_MOSTLY of the mean round trip. The handshake, which wakes
 *                   no thread, is one of those
 *   wake-ups        a thread or more is woken for each round trip
 *   CPU             work of the run is VERDICT_MOSTLY of the mean round trip
 *
 * Several requests overlap, so that no part of their round trips can be named.
 */
#ifndef KTPUT_TOOLS_TRIP_VERDICT_H
#define KTPUT_TOOLS_TRIP_VERDICT_H

#include "verdict.h"

/**
 * struct trip_facts - input of the verdict on a ping-pong
 * @trips_per_s: round trips a second
 * @rate_per_s: requests a second that were asked for, 0 if none were
 * @think_share: share of the time that the source waited before its next request
 * @lost_share: share of requests that were given up
 * @resent_share: share of segments that were retransmitted
 * @quota_share: share of the time of the run's CPUs that a quota took
 * @alone: there is one request at a time
 * @latency_ns: mean round trip
 * @own_ns: CPU time of the run for a round trip; NaN if unknown
 * @way_ns: minimum round-trip time of TCP; NaN if unknown
 * @wake_ups: threads woken for a round trip
 * @spins: an end polls, so that its CPU is always busy
 * @user: the source is an application
 * @callback: the source sends from its socket's callback
 * @own: CPU that the run itself used most
 * @foreign: CPU of the run that others used most
 * @disturbed: disturbance exceeded the limit
 */
struct trip_facts {
	double trips_per_s;
	double rate_per_s;
	double think_share;
	double lost_share;
	double resent_share;
	double quota_share;
	bool alone;
	double latency_ns;
	double own_ns;
	double way_ns;
	double wake_ups;
	bool spins;
	bool user;
	bool callback;
	struct verdict_cpu own;
	struct verdict_cpu foreign;
	bool disturbed;
};

void trip_verdict(const struct trip_facts *facts, struct verdict *verdict);

#endif
