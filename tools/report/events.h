/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events: what perf counted on the CPUs of a run, from its record.
 */
#ifndef KTPUT_REPORT_EVENTS_H
#define KTPUT_REPORT_EVENTS_H

#include "record.h"

void events_print(struct output *out, const struct record *record);

#endif
