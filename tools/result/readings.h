/* SPDX-License-Identifier: GPL-2.0 */
/*
 * readings: what was read of the ends of a session, in its record.
 *
 * The result is computed from the readings, the configurations, the route and
 * the intervals, and from nothing else: record_read() takes them back.
 */
#ifndef KTPUT_CTL_READINGS_H
#define KTPUT_CTL_READINGS_H

#include "../run/session.h"

void readings_record(const struct session *session);

#endif
