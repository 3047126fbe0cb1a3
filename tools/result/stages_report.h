/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stages_report: print in which stage the time of messages passed.
 */
#ifndef KTPUT_CTL_STAGES_REPORT_H
#define KTPUT_CTL_STAGES_REPORT_H

#include <json-c/json.h>

#include "../run/session.h"

void stages_report_print(const struct session *session);
void stages_report_read(struct json_object *from, struct run_stages *stages);

#endif
