/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream_table: print the counters of each stream.
 */
#ifndef KTPUT_CTL_STREAM_TABLE_H
#define KTPUT_CTL_STREAM_TABLE_H

#include "../run/session.h"

void stream_table_print(const struct session *session);
void stream_table_print_end(struct output *out, const char *key,
			    const struct client_snapshot *snapshot);

#endif
