/* SPDX-License-Identifier: GPL-2.0 */
/*
 * meeting: let two processes start their sources at one time.
 */
#ifndef KTPUT_RUN_MEETING_H
#define KTPUT_RUN_MEETING_H

#include "../base/units.h"

int meeting_wait(int fd, struct units_error *err);

#endif
