/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report: print the result of a session.
 */
#ifndef KTPUT_CTL_REPORT_H
#define KTPUT_CTL_REPORT_H

#include "../host/route.h"
#include "../run/session.h"

void report_route(struct output *out, const struct route *route);
void report_begin(struct session *session, const struct route *route);
void report_detached(struct session *session);
int report_valid(struct output *out, const struct units_error *invalid,
		 struct units_error *err);
int report_end(struct session *session, const struct route *route,
	       struct units_error *err);

#endif
