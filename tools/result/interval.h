/* SPDX-License-Identifier: GPL-2.0 */
/*
 * interval: print a line for the interval between two snapshots.
 */
#ifndef KTPUT_CTL_INTERVAL_H
#define KTPUT_CTL_INTERVAL_H

#include "../run/session.h"

/* Lines of goodput, or of round trips. */
extern const struct session_view interval_view;

void pingpong_interval_begin(const struct session *session);
void pingpong_interval_print(const struct session *session,
			     const struct client_snapshot *before);

#endif
