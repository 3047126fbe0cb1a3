/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong_interval: print a line for the round trips between two snapshots.
 */
#ifndef KTPUT_CTL_PINGPONG_INTERVAL_H
#define KTPUT_CTL_PINGPONG_INTERVAL_H

#include "../run/session.h"

void pingpong_interval_begin(const struct session *session);
void pingpong_interval_print(const struct session *session,
			     const struct client_snapshot *before);

#endif
