// SPDX-License-Identifier: GPL-2.0
/* cpus: assign CPUs to the ends. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cpus.h"

#define CPUS	"/sys/devices/system/cpu/"
#define STATISTICS	"/proc/stat"

/* Read a CPU list of the kernel, which may be empty. */
static int read_list(const char *path, struct units_cpus *cpus,
		     struct units_error *err)
{
	FILE *from = fopen(path, "r");
	char list[4096] = "";

	if (!from || !fgets(list, sizeof(list), from)) {
		units_refuse(err, "cannot read %s", path);
		if (from)
			fclose(from);
		return -1;
	}
	fclose(from);
	list[strcspn(list, "\n")] = '\0';
	if (list[0])
		return units_parse_cpus(list, cpus, err);
	memset(cpus, 0, sizeof(*cpus));
	return 0;
}

/**
 * cpus_online() - CPUs that are online
 * @cpus: the set
 * @err: why they are unknown
 */
int cpus_online(struct units_cpus *cpus, struct units_error *err)
{
	return read_list(CPUS "online", cpus, err);
}

/* CPUs that are online, but not in the affinity mask of this task. */
static void find_forbidden(struct units_cpus *cpus)
{
	const size_t size = CPU_ALLOC_SIZE(UNITS_CPU_MAX);
	cpu_set_t *allowed = CPU_ALLOC(UNITS_CPU_MAX);

	memset(cpus, 0, sizeof(*cpus));
	if (allowed && !sched_getaffinity(0, size, allowed))
		for (unsigned int cpu = 0; cpu < UNITS_CPU_MAX; cpu++)
			if (!CPU_ISSET_S(cpu, size, allowed))
				units_cpus_add(cpus, cpu);
	CPU_FREE(allowed);
}

/**
 * cpus_default() - CPUs of runs without an explicit CPU list
 * @cpus: the set: CPUs that are online and in the affinity mask of this task,
 *	without isolated ones unless all are isolated
 * @err: why they are unknown
 */
int cpus_default(struct units_cpus *cpus, struct units_error *err)
{
	static const char * const isolated[] = {
		CPUS "isolated", CPUS "nohz_full",
	};
	struct units_cpus others;
	struct units_error ignored;

	if (cpus_online(cpus, err))
		return -1;
	find_forbidden(&others);
	cpus_without(cpus, &others);
	/* Kernels without CPU isolation lack the file, or print "(null)". */
	for (size_t i = 0; i < COUNT(isolated); i++)
		if (!read_list(isolated[i], &others, &ignored))
			cpus_without(cpus, &others);
	return 0;
}

/**
 * cpus_idle() - idle time of CPUs since boot
 * @idle_ns: for each CPU nanoseconds, to a tick of user space (usually 10 ms),
 *	or CPUS_IDLE_UNKNOWN
 * @count: number of CPUs, starting with CPU 0
 * @err: why they are unknown
 */
int cpus_idle(uint64_t *idle_ns, size_t count, struct units_error *err)
{
	const uint64_t tick_ns = UNITS_NSEC_PER_SEC / sysconf(_SC_CLK_TCK);
	FILE *from = fopen(STATISTICS, "r");
	char line[4096];

	if (!from)
		return units_refuse(err, "cannot read " STATISTICS);
	for (size_t i = 0; i < count; i++)
		idle_ns[i] = CPUS_IDLE_UNKNOWN;
	while (fgets(line, sizeof(line), from)) {
		uint64_t ticks, waiting;
		size_t cpu;

		/* The line for all CPUs has no number. */
		if (line[strlen("cpu")] == ' ')
			continue;
		/* iowait is idle time. */
		if (sscanf(line, "cpu%zu %*u %*u %*u %" SCNu64 " %" SCNu64,
			   &cpu, &ticks, &waiting) == 3 && cpu < count)
			idle_ns[cpu] = (ticks + waiting) * tick_ns;
	}
	fclose(from);
	return 0;
}

/**
 * cpus_show() - print a set as a list such as 0-3,5
 * @cpus: the set
 * @list: destination
 * @size: size of @list
 *
 * Return: 0, or -1 if @list is too small.
 */
int cpus_show(const struct units_cpus *cpus, char *list, size_t size)
{
	size_t length = 0;

	*list = '\0';
	UNITS_EACH_CPU(cpu, cpus) {
		unsigned int last = cpu;

		while (last + 1 < UNITS_CPU_MAX &&
		       units_cpus_has(cpus, last + 1))
			last++;
		length += snprintf(list + length, size - length,
				   last > cpu ? "%s%u-%u" : "%s%u",
				   length ? "," : "", cpu, last);
		if (length >= size)
			return -1;
		cpu = last;
	}
	return 0;
}

/**
 * cpus_split() - divide CPUs between two ends, without overlap if possible
 * @cpus: available CPUs
 * @first: the lower half, or the only CPU
 * @second: the rest, or the only CPU
 */
void cpus_split(const struct units_cpus *cpus, struct units_cpus *first,
		struct units_cpus *second)
{
	unsigned int count = units_cpus_count(cpus), seen = 0;

	memset(first, 0, sizeof(*first));
	memset(second, 0, sizeof(*second));
	UNITS_EACH_CPU(cpu, cpus) {
		if (seen < (count + 1) / 2)
			units_cpus_add(first, cpu);
		if (seen >= (count + 1) / 2 || count == 1)
			units_cpus_add(second, cpu);
		seen++;
	}
}

/**
 * cpus_without() - remove CPUs from a set
 * @cpus: the set, unchanged if nothing would remain
 * @others: CPUs to remove
 *
 * Return: true if something remains.
 */
bool cpus_without(struct units_cpus *cpus, const struct units_cpus *others)
{
	struct units_cpus left = *cpus;

	for (size_t i = 0; i < COUNT(left.bits); i++)
		left.bits[i] &= ~others->bits[i];
	if (!units_cpus_count(&left))
		return false;
	*cpus = left;
	return true;
}
