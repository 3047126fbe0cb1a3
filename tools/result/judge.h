/* SPDX-License-Identifier: GPL-2.0 */
/*
 * judge: determine what limited a session.
 */
#ifndef KTPUT_CTL_JUDGE_H
#define KTPUT_CTL_JUDGE_H

#include "../analysis/verdict.h"
#include "attribute.h"
#include "ceilings.h"
#include "tcp_report.h"

void judge_session(const struct session *session,
		   const struct ceilings *ceilings,
		   const struct tcp_report_verdict *streams,
		   const struct attribute_disturbance *disturbance,
		   struct verdict *verdict);
void judge_trips(const struct session *session,
		 const struct attribute_disturbance *disturbance,
		 struct verdict *verdict);
void judge_print(struct output *out, const struct verdict *verdict);
void judge_disturbance(struct output *out,
		       const struct attribute_disturbance *disturbance);

#endif
