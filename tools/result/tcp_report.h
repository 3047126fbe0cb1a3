/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcp_report: what TCP says of the streams of a source, and what held them back.
 */
#ifndef KTPUT_CTL_TCP_REPORT_H
#define KTPUT_CTL_TCP_REPORT_H

#include "../host/route.h"
#include "ceilings.h"
#include "../run/session.h"

/**
 * struct tcp_report_verdict - what held most streams back
 * @text: a sentence; empty where there is no verdict
 * @known: there are streams long enough for what follows
 * @window_share: of their busy time, what streams waited for the receiver's window,
 *	the mean of those that did so most of the time; 0 where they are less than half
 * @send_buffer_share: likewise for the send buffer
 * @busy_share: of the time, the mean
 * @congestion_share: goodput over what congestion windows allow, the mean
 * @resent: segments that were sent again
 * @resent_share: thereof of all segments
 */
struct tcp_report_verdict {
	char text[320];
	bool known;
	double window_share;
	double send_buffer_share;
	double busy_share;
	double congestion_share;
	uint64_t resent;
	double resent_share;
};

void tcp_report_interval(const struct session *session,
			 const struct client_snapshot *before);
void tcp_report_print(const struct session *session,
		      const struct route *route, uint64_t span_ns,
		      const struct ceilings *ceilings,
		      struct tcp_report_verdict *most);
void tcp_report_memory(const struct session *session);

#endif
