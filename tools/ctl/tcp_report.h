/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcp_report: what TCP says of the streams of a source, and what held them back.
 */
#ifndef KTPUT_CTL_TCP_REPORT_H
#define KTPUT_CTL_TCP_REPORT_H

#include "../lib/route.h"
#include "session.h"

void tcp_report_interval(const struct session *session,
			 const struct client_snapshot *before);
void tcp_report_print(const struct session *session,
		      const struct route *route, uint64_t span_ns);
void tcp_report_memory(const struct session *session);

#endif
