/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpus: assign CPUs to the ends.
 */
#ifndef KTPUT_TOOLS_CPUS_H
#define KTPUT_TOOLS_CPUS_H

#include "../base/units.h"

/* Unknown idle time of a CPU. */
#define CPUS_IDLE_UNKNOWN	UINT64_MAX

int cpus_online(struct units_cpus *cpus, struct units_error *err);
int cpus_default(struct units_cpus *cpus, struct units_error *err);
int cpus_idle(uint64_t *idle_ns, size_t count, struct units_error *err);
int cpus_show(const struct units_cpus *cpus, char *list, size_t size);
void cpus_split(const struct units_cpus *cpus, struct units_cpus *first,
		struct units_cpus *second);
bool cpus_without(struct units_cpus *cpus, const struct units_cpus *others);

#endif
