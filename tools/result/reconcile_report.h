/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reconcile_report: compare the independent counters of a session.
 */
#ifndef KTPUT_CTL_RECONCILE_REPORT_H
#define KTPUT_CTL_RECONCILE_REPORT_H

#include "../analysis/reconcile.h"
#include "../run/session.h"

void reconcile_report_read(struct session *session);
void reconcile_report_compute(const struct session *session,
			      const struct arrivals *arrivals,
			      struct reconcile *reconcile);
void reconcile_report_print(const struct session *session,
			    const struct reconcile *reconcile);

#endif
