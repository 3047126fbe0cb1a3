/* SPDX-License-Identifier: GPL-2.0 */
/*
 * statistics_report: spread and confidence of the intervals of a run.
 */
#ifndef KTPUT_CTL_STATISTICS_REPORT_H
#define KTPUT_CTL_STATISTICS_REPORT_H

#include "../analysis/statistics.h"
#include "../run/session.h"

void statistics_report_record(struct output *out, const char *key,
			      const struct statistics *statistics);
void statistics_report_print(const struct session *session);

#endif
