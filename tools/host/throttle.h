/* SPDX-License-Identifier: GPL-2.0 */
/*
 * throttle: time that a CPU quota throttled this process (cgroup v2, cpu.max).
 */
#ifndef KTPUT_TOOLS_THROTTLE_H
#define KTPUT_TOOLS_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

bool throttle_read(uint64_t *us);

#endif
