// SPDX-License-Identifier: GPL-2.0
/* throttle: time that a CPU quota throttled this process (cgroup v2, cpu.max). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "throttle.h"

#define CGROUPS	"/sys/fs/cgroup"
#define KEY	"throttled_usec "

static bool read_own_path(char *path, size_t size)
{
	FILE *from = fopen("/proc/self/cgroup", "re");
	bool found = false;

	while (from && !found && fgets(path, size, from))
		found = !strncmp(path, "0::", 3);
	if (from)
		fclose(from);
	if (!found)
		return false;
	path[strcspn(path, "\n")] = '\0';
	memmove(path, path + 3, strlen(path + 3) + 1);
	return true;
}

static uint64_t read_group(const char *group)
{
	char path[4200], line[128];
	uint64_t us = 0;
	FILE *from;

	snprintf(path, sizeof(path), CGROUPS "%s/cpu.stat", group);
	from = fopen(path, "re");
	while (from && fgets(line, sizeof(line), from))
		if (!strncmp(line, KEY, strlen(KEY)))
			sscanf(line + strlen(KEY), "%" SCNu64, &us);
	if (from)
		fclose(from);
	return us;
}

/**
 * throttle_read() - time that quotas throttled this process's cgroups
 * @us: microseconds, summed over CPUs, and over its cgroup and the parents
 *
 * Return: false if there is no such cgroup.
 */
bool throttle_read(uint64_t *us)
{
	char path[4096];

	*us = 0;
	if (!read_own_path(path, sizeof(path)))
		return false;
	for (char *end; (end = strrchr(path, '/')) && end[1]; *end = '\0')
		*us += read_group(path);
	return true;
}
