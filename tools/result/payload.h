/* SPDX-License-Identifier: GPL-2.0 */
/*
 * payload: the payload that counts as a session's result, and the time it is over.
 */
#ifndef KTPUT_CTL_PAYLOAD_H
#define KTPUT_CTL_PAYLOAD_H

#include "../run/session.h"

bool payload_acknowledged(const struct session *session);
uint64_t payload_counted(const struct session *session,
			 const struct client_snapshot *snapshot);
bool payload_span(const struct session *session, uint64_t *ns);
void payload_print_unsent(const struct session *session);

#endif
