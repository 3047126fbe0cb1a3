/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcp_report: TCP counters of a source's streams, and what limited them.
 */
#ifndef KTPUT_CTL_TCP_REPORT_H
#define KTPUT_CTL_TCP_REPORT_H

#include "../host/route.h"
#include "attribute.h"
#include "ceilings.h"
#include "../run/session.h"

/**
 * struct tcp_report_verdict - what limited most streams
 * @text: a sentence; empty if there is no verdict
 * @known: number of streams that lasted long enough to be judged
 * @window_share: share of busy time spent waiting for the receiver's window, mean of
 *	the streams that waited most of the time; 0 if these are less than half
 * @send_buffer_share: likewise for the send buffer
 * @window_waits: share of busy time spent waiting for the receiver's window, mean of
 *	those that were judged
 * @send_buffer_waits: likewise for the send buffer
 * @busy_share: busy share of the time, likewise
 * @congestion_share: goodput over the rate that congestion windows allow, likewise
 * @resent: retransmitted segments
 * @resent_share: retransmitted share of all segments
 */
struct tcp_report_verdict {
	char text[320];
	size_t known;
	double window_share;
	double send_buffer_share;
	double window_waits;
	double send_buffer_waits;
	double busy_share;
	double congestion_share;
	uint64_t resent;
	double resent_share;
};

bool tcp_report_known(const struct session *session);
void tcp_report_interval(const struct session *session,
			 const struct client_snapshot *before);
void tcp_report_print(const struct session *session,
		      const struct route *route, uint64_t span_ns,
		      const struct ceilings *ceilings,
		      const struct attribute_disturbance *disturbance,
		      struct tcp_report_verdict *most);
void tcp_report_memory(const struct session *session);

#endif
