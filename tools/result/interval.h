/* SPDX-License-Identifier: GPL-2.0 */
/*
 * interval: print a line for the interval between two snapshots.
 */
#ifndef KTPUT_CTL_INTERVAL_H
#define KTPUT_CTL_INTERVAL_H

#include "../run/session.h"

/* Lines of goodput, or of round trips. */
extern const struct session_view interval_view;

#endif
