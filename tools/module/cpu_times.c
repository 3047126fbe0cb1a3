// SPDX-License-Identifier: GPL-2.0
/* cpu_times: times and packets of each CPU from /proc. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "cpu_times.h"

#define STAT		"/proc/stat"
#define SOFTNET		"/proc/net/softnet_stat"

/**
 * cpu_times_parse_stat() - parse a line of /proc/stat
 * @line: the line, of a CPU or any other
 * @tick_ns: length of a tick of user space
 * @times: destination, indexed by CPU number
 * @count: number of elements
 */
void cpu_times_parse_stat(const char *line, uint64_t tick_ns,
			  struct cpu_times *times, size_t count)
{
	uint64_t user, nice, system, irq, softirq, steal;
	size_t cpu;

	/* The line for all CPUs has no number. */
	if (strncmp(line, "cpu", 3) || line[3] == ' ' ||
	    sscanf(line, "cpu%zu %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %*s %*s %" SCNu64 " %" SCNu64 " %" SCNu64, &cpu, &user,
		   &nice, &system, &irq, &softirq, &steal) != 7 ||
	    cpu >= count)
		return;
	times[cpu].known = true;
	times[cpu].task_ns = (user + nice + system) * tick_ns;
	times[cpu].irq_ns = (irq + softirq) * tick_ns;
	times[cpu].steal_ns = steal * tick_ns;
}

/**
 * cpu_times_parse_softnet() - parse a line of /proc/net/softnet_stat
 * @line: the line; its first column counts packets, its 13th is the CPU
 * @number: line number, from 0; the CPU in kernels without that column
 * @times: destination, indexed by CPU number
 * @count: number of elements
 */
void cpu_times_parse_softnet(const char *line, size_t number,
			     struct cpu_times *times, size_t count)
{
	uint32_t packets, cpu;
	int found = sscanf(line, "%" SCNx32 " %*x %*x %*x %*x %*x %*x %*x %*x "
			   "%*x %*x %*x %" SCNx32, &packets, &cpu);

	if (found < 1)
		return;
	if (found < 2)
		cpu = number;
	if (cpu >= count)
		return;
	times[cpu].packets_known = true;
	times[cpu].packets = packets;
}

/**
 * cpu_times_read() - read the times of all CPUs since boot
 * @times: indexed by CPU number; unknown for CPUs that are offline
 * @count: number of elements
 */
void cpu_times_read(struct cpu_times *times, size_t count)
{
	const uint64_t tick_ns = 1000000000ULL / sysconf(_SC_CLK_TCK);
	FILE *from = fopen(STAT, "re");
	size_t number = 0;
	char line[4096];

	memset(times, 0, count * sizeof(*times));
	/* The lines of CPUs come first; later lines may be long. */
	while (from && fgets(line, sizeof(line), from) &&
	       !strncmp(line, "cpu", 3))
		cpu_times_parse_stat(line, tick_ns, times, count);
	if (from)
		fclose(from);
	from = fopen(SOFTNET, "re");
	while (from && fgets(line, sizeof(line), from))
		cpu_times_parse_softnet(line, number++, times, count);
	if (from)
		fclose(from);
}

static uint64_t grown(uint64_t later, uint64_t earlier)
{
	/* Steal and iowait may decrease slightly. */
	return later > earlier ? later - earlier : 0;
}

/**
 * cpu_times_difference() - difference of two readings
 * @later: later reading
 * @earlier: earlier reading
 *
 * Return: the difference; known are values known in both.
 */
struct cpu_times cpu_times_difference(const struct cpu_times *later,
				      const struct cpu_times *earlier)
{
	return (struct cpu_times) {
		.known = later->known && earlier->known,
		.task_ns = grown(later->task_ns, earlier->task_ns),
		.irq_ns = grown(later->irq_ns, earlier->irq_ns),
		.steal_ns = grown(later->steal_ns, earlier->steal_ns),
		.packets_known = later->packets_known && earlier->packets_known,
		.packets = later->packets - earlier->packets,
	};
}

/**
 * cpu_times_fill() - add the times of each CPU to a snapshot
 * @snapshot: snapshot that was just taken
 */
void cpu_times_fill(struct client_snapshot *snapshot)
{
	struct cpu_times *times;
	size_t count = 0;

	for (size_t i = 0; i < snapshot->cpu_count; i++)
		if (snapshot->cpus[i].id >= count)
			count = snapshot->cpus[i].id + 1;
	times = calloc(count + 1, sizeof(*times));
	if (!times)
		return;
	cpu_times_read(times, count);
	for (size_t i = 0; i < snapshot->cpu_count; i++)
		snapshot->cpus[i].times = times[snapshot->cpus[i].id];
	free(times);
}
