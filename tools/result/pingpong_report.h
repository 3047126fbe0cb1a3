/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong_report: print the round trips of a session.
 */
#ifndef KTPUT_CTL_PINGPONG_REPORT_H
#define KTPUT_CTL_PINGPONG_REPORT_H

#include "../run/session.h"

int pingpong_report_check(const struct session *session,
			  struct units_error *why);
double pingpong_report_median(const struct session *session);
int pingpong_report_end(const struct session *session,
			struct units_error *err);

#endif
