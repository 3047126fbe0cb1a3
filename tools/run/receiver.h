/* SPDX-License-Identifier: GPL-2.0 */
/*
 * receiver: find out whether somebody receives, or answers, where no sink was started.
 */
#ifndef KTPUT_RUN_RECEIVER_H
#define KTPUT_RUN_RECEIVER_H

#include "session.h"

/* Time between two looks. */
#define RECEIVER_LOOK_NS	(20 * 1000000ULL)

int receiver_check(struct session *session, struct units_error *err);
bool receiver_sought(const struct session *session);

bool unreached_is(const struct units_error *err);
void unreached_say(const struct session *session, struct units_error *err);
void unreached_explain(const struct session *session, struct units_error *err);

#endif
