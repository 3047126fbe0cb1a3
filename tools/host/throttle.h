/* SPDX-License-Identifier: GPL-2.0 */
/*
 * throttle: how long a CPU quota held this process back (cgroup v2, cpu.max).
 */
#ifndef KTPUT_TOOLS_THROTTLE_H
#define KTPUT_TOOLS_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

bool throttle_read(uint64_t *us);

#endif
