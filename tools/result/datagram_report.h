/* SPDX-License-Identifier: GPL-2.0 */
/*
 * datagram_report: what came of the datagrams of a session.
 */
#ifndef KTPUT_CTL_DATAGRAM_REPORT_H
#define KTPUT_CTL_DATAGRAM_REPORT_H

#include "../analysis/arrivals.h"
#include "../analysis/loss.h"
#include "../host/route.h"
#include "../run/session.h"

/**
 * struct datagram_report - the figures that others have computed
 * @session: session that has ended
 * @route: route of the source, or NULL
 * @arrivals: of the whole run
 * @bytes: payload in the span
 * @count: datagrams in the span
 * @span_ns: time that is measured, 0 where nothing was counted in it
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
void datagram_report_losses(const struct session *session,
			    const struct arrivals *arrivals,
			    struct losses *losses);
void datagram_report_print(const struct datagram_report *report);

#endif
