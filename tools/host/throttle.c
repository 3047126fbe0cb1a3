// SPDX-License-Identifier: GPL-2.0
/* throttle: time that CPU quotas throttled this process (cpu.max, cpu.cfs_quota_us). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/units.h"
#include "throttle.h"

#define PATH_SIZE	4096

/* Where a hierarchy is, and how it names the time. */
static const struct hierarchy {
	const char *controllers;
	const char *folder;
	const char *key;
	unsigned int per_us;
} hierarchies[] = {
	/* The unified one has no list of controllers. */
	{ "", "", "throttled_usec", 1 },
	{ "cpu,cpuacct", "/cpu,cpuacct", "throttled_time", 1000 },
	{ "cpuacct,cpu", "/cpuacct,cpu", "throttled_time", 1000 },
	{ "cpu", "/cpu", "throttled_time", 1000 },
};

/* The path in a hierarchy, from a line NUMBER:CONTROLLERS:PATH. */
static const struct hierarchy *take_line(char *line, char **path)
{
	char *controllers = strchr(line, ':'), *end;

	end = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!end)
		return NULL;
	*end = '\0';
	*path = end + 1;
	(*path)[strcspn(*path, "\n")] = '\0';
	for (size_t i = 0; i < COUNT(hierarchies); i++)
		if (!strcmp(hierarchies[i].controllers, controllers + 1))
			return &hierarchies[i];
	return NULL;
}

/* Add the time of a group; false if it tells none. */
static bool add_group(const char *root, const struct hierarchy *of,
		      const char *group, uint64_t *us)
{
	char path[2 * PATH_SIZE], line[128], name[32];
	uint64_t value;
	bool known = false;
	FILE *from;

	snprintf(path, sizeof(path), "%s%s%s/cpu.stat", root, of->folder,
		 group);
	from = fopen(path, "re");
	while (from && fgets(line, sizeof(line), from)) {
		if (sscanf(line, "%31s %" SCNu64, name, &value) != 2 ||
		    strcmp(name, of->key))
			continue;
		*us += value / of->per_us;
		known = true;
	}
	if (from)
		fclose(from);
	return known;
}

/* Every group but the root of the machine has a type. */
static bool is_root(const char *root)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/cgroup.type", root);
	if (!access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.controllers", root);
	return !access(path, F_OK);
}

/*
 * The group and its parents. The last of them, the root of what is seen, is the group
 * itself in a container.
 */
static bool add_groups(const char *root, const struct hierarchy *of, char *path,
		       uint64_t *us)
{
	bool known = false;
	char *end;

	for (; (end = strrchr(path, '/')) && end[1]; *end = '\0')
		known |= add_group(root, of, path, us);
	return known | add_group(root, of, "", us);
}

/**
 * throttle_read_at() - time that quotas throttled a process's groups
 * @root: where the hierarchies of cgroups are
 * @groups: file of the process's groups, as /proc/self/cgroup
 * @us: microseconds, summed over CPUs, and over its group and the parents
 *
 * Return: false if no group that is seen tells.
 */
bool throttle_read_at(const char *root, const char *groups, uint64_t *us)
{
	FILE *from = fopen(groups, "re");
	char line[PATH_SIZE], *path;
	bool known = false, legacy = false, unified = false;

	*us = 0;
	while (from && fgets(line, sizeof(line), from)) {
		const struct hierarchy *of = take_line(line, &path);

		if (!of)
			continue;
		if (of->controllers[0])
			legacy = true;
		else
			unified = true;
		known |= add_groups(root, of, path, us);
	}
	if (from)
		fclose(from);
	/* On the root of the machine there is no quota. */
	return known || (unified && !legacy && is_root(root));
}

/**
 * throttle_read() - time that quotas throttled this process's groups
 * @us: microseconds, summed over CPUs, and over its group and the parents
 *
 * Return: false if no group that is seen tells.
 */
bool throttle_read(uint64_t *us)
{
	return throttle_read_at("/sys/fs/cgroup", "/proc/self/cgroup", us);
}

/**
 * throttle_share() - share of the time that quotas kept threads off their CPUs
 * @us: throttled time between two readings, summed over CPUs
 * @window_ns: time between the readings
 * @cpus: CPUs that the threads run on
 *
 * Other processes of the group may have been throttled on other CPUs.
 *
 * Return: 0 to 1.
 */
double throttle_share(uint64_t us, uint64_t window_ns, unsigned int cpus)
{
	const double share = window_ns && cpus ?
			     us * 1e3 / ((double)window_ns * cpus) : 0;

	return share < 1 ? share : 1;
}
