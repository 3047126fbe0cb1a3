/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcp_report: TCP counters of a source's streams, and what limited them.
 */
#ifndef KTPUT_CTL_TCP_REPORT_H
#define KTPUT_CTL_TCP_REPORT_H

#include "../host/route.h"
#include "../run/session.h"
#include "attribute.h"
#include "ceilings.h"

/**
 * struct tcp_report_verdict - what limited most streams
 * @text: a sentence; empty if there is no verdict
 * @known: number of streams that lasted long enough to be judged; the rest are means of
 *	those, but for @resent
 * @window_waits: share of busy time spent waiting for the receiver's window
 * @send_buffer_waits: likewise for the send buffer
 * @busy_share: busy share of the time
 * @congestion_share: goodput over the rate that congestion windows allow
 * @window_used: goodput over the rate that this window and the round-trip time allow
 * @window_bytes: receiver's window
 * @rtt_us: smoothed round-trip time
 * @rtt_min_us: least round-trip time
 * @marked_share: share of segments that a queue marked (ECN)
 * @loss_used: goodput over the rate that TCP has with so many losses; 0 without any
 * @resent: segments of all streams that were sent again, but not in vain
 * @resent_share: share of all segments that these are
 */
struct tcp_report_verdict {
	char text[320];
	size_t known;
	double window_waits;
	double send_buffer_waits;
	double busy_share;
	double congestion_share;
	double window_used;
	double window_bytes;
	double rtt_us;
	double rtt_min_us;
	double marked_share;
	double loss_used;
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
