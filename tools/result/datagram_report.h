/* SPDX-License-Identifier: GPL-2.0 */
/*
 * datagram_report: arrivals and losses of a session's datagrams.
 */
#ifndef KTPUT_CTL_DATAGRAM_REPORT_H
#define KTPUT_CTL_DATAGRAM_REPORT_H

#include "../analysis/arrivals.h"
#include "../analysis/loss.h"
#include "../host/route.h"
#include "../run/session.h"

/**
 * struct datagram_report - figures computed by other modules
 * @session: session that has ended
 * @route: route of the source, or NULL
 * @arrivals: arrival counts of the whole run
 * @bytes: payload in the span
 * @count: datagrams in the span
 * @span_ns: measured time, 0 if nothing was counted in it
 */
struct datagram_report {
	const struct session *session;
	const struct route *route;
	const struct arrivals *arrivals;
	uint64_t bytes;
	uint64_t count;
	uint64_t span_ns;
};

struct device_counters datagram_report_device(const struct session_end *end);
void datagram_report_arrivals(const struct session *session,
			      struct arrivals *arrivals);
void datagram_report_terms(const struct session *session,
			   struct arrivals_terms *terms);
void datagram_report_losses(const struct session *session,
			    const struct arrivals *arrivals,
			    struct losses *losses);
void datagram_report_reasons(const struct session *session, uint64_t lost);
void datagram_report_print(const struct datagram_report *report);

#endif
