/* SPDX-License-Identifier: GPL-2.0 */
/*
 * throttle: time that CPU quotas throttled this process (cpu.max, cpu.cfs_quota_us).
 *
 * Groups are in the unified hierarchy (cgroup v2) or in one of the controller (v1). In a
 * cgroup namespace, as containers have, the root of what is seen is the process's own.
 */
#ifndef KTPUT_TOOLS_THROTTLE_H
#define KTPUT_TOOLS_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

bool throttle_read_at(const char *root, const char *groups, uint64_t *us);
bool throttle_read(uint64_t *us);
double throttle_share(uint64_t us, uint64_t window_ns, unsigned int cpus);

#endif
