/* SPDX-License-Identifier: GPL-2.0 */
/*
 * host_lock: one run at a time on a host, or in a network namespace of it.
 */
#ifndef KTPUT_REMOTE_HOST_LOCK_H
#define KTPUT_REMOTE_HOST_LOCK_H

#include "../base/units.h"

int host_lock(struct units_error *err);

#endif
