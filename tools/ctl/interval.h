/* SPDX-License-Identifier: GPL-2.0 */
/*
 * interval: a line for what lies between two snapshots.
 */
#ifndef KTPUT_CTL_INTERVAL_H
#define KTPUT_CTL_INTERVAL_H

#include "session.h"

void interval_begin(const struct session *session);
void interval_print(struct session *session,
		    const struct client_snapshot *counted_before,
		    const struct client_snapshot *source_before);
void interval_end(const struct session *session);

#endif
