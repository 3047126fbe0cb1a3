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
 * @waited_for: limit that more than half of the streams waited for, or NULL
 * @waited_share: for which share of the time that they were busy, the mean of them
 */
struct tcp_report_verdict {
	char text[320];
	const char *waited_for;
	double waited_share;
};

void tcp_report_interval(const struct session *session,
			 const struct client_snapshot *before);
void tcp_report_print(const struct session *session,
		      const struct route *route, uint64_t span_ns,
		      const struct ceilings *ceilings,
		      struct tcp_report_verdict *most);
void tcp_report_memory(const struct session *session);

#endif
