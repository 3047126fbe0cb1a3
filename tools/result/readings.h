/* SPDX-License-Identifier: GPL-2.0 */
/*
 * readings: record the readings of a session's ends.
 *
 * The result is computed only from the readings, the configurations, the route and
 * the intervals. record_read() reads them back.
 */
#ifndef KTPUT_CTL_READINGS_H
#define KTPUT_CTL_READINGS_H

#include "../run/session.h"

void readings_record_drops(struct output *out, const char *key,
			   const struct drops *drops);
void readings_record(const struct session *session);
void readings_record_host(struct output *out, const struct session_end *end);
void readings_record_reference(struct output *out, const char *key,
			       const struct reference *reference);

#endif
