/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unreached: say what to do where the sink cannot be reached.
 */
#ifndef KTPUT_RUN_UNREACHED_H
#define KTPUT_RUN_UNREACHED_H

#include "session.h"

bool unreached_is(const struct units_error *err);
void unreached_say(const struct session *session, struct units_error *err);
void unreached_explain(const struct session *session, struct units_error *err);

#endif
