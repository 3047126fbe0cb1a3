/* SPDX-License-Identifier: GPL-2.0 */
/*
 * meeting: let two processes start their sources at one time.
 *
 * The one whose source takes longer to start, for it is on another host, starts it
 * when both are there; the other one as soon as that has started.
 */
#ifndef KTPUT_RUN_MEETING_H
#define KTPUT_RUN_MEETING_H

#include "../base/units.h"

void meeting_tell(int fd);
int meeting_await(int fd, struct units_error *err);

#endif
