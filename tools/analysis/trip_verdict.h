/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trip_verdict: what limits a ping-pong.
 *
 * A round trip has no goodput, so no ceiling of goodput applies. What limits a run by the
 * places that it passes is found first (verdict.h): the rate of requests that was asked
 * for, a loss, a CPU that is never idle. Else the source may think most of the
 * time between a response and the next request.
 *
 * Otherwise, if there is one request at a time, nothing is done at the same time: a round
 * trip consists of parts, which add up to its mean at most. The greatest is named:
 *
 *   way             the least round trip, less the work of the run and its wake-ups. TCP's
 *                   own, of which the handshake wakes no thread, or else the least of all
 *   quota           threads were kept off their CPUs by it
 *   other work      threads were ready, and others ran (run delay)
 *   CPU             work of the run
 *   wake-ups        the rest, if a thread or more is woken for each round trip
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
 * @resent: segments that were sent again because they were lost
 * @resent_share: share of all segments that these are
 * @quota_share: share of the time of the run's CPUs that a quota took
 * @alone: there is one request at a time
 * @latency_ns: mean round trip
 * @least_ns: least round trip; NaN if unknown
 * @own_ns: CPU time of the run for a round trip; NaN if unknown
 * @way_ns: minimum round-trip time of TCP; NaN if unknown
 * @wake_ups: threads woken for a round trip
 * @spins: an end polls, so that its CPU is always busy
 * @user: the source is an application
 * @callback: the source sends from its socket's callback
 * @source: CPU of the source that was least idle
 * @sink: likewise of the sink
 * @disturbed: disturbance exceeded the limit
 * @slowest_stage: stage that most of what the slowest 1% take longer passed in, NULL if
 *	unknown
 * @slowest_where: what lies in that stage
 * @slowest_share: how much of it
 */
struct trip_facts {
	double trips_per_s;
	double rate_per_s;
	double think_share;
	double lost_share;
	uint64_t resent;
	double resent_share;
	double quota_share;
	bool alone;
	double latency_ns;
	double least_ns;
	double own_ns;
	double way_ns;
	double wake_ups;
	bool spins;
	bool user;
	bool callback;
	struct verdict_cpu source;
	struct verdict_cpu sink;
	bool disturbed;
	const char *slowest_stage;
	const char *slowest_where;
	double slowest_share;
};

void trip_verdict(const struct trip_facts *facts, struct verdict *verdict);

#endif
