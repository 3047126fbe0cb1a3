/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_times: times and packets of each CPU from /proc.
 *
 * /proc/stat has ticks of user space (usually 10 ms) for tasks, for softirqs and
 * interrupts, and for the hypervisor. Idle time is measured. The rest is sampled by
 * the timer and has a sampling error. /proc/net/softnet_stat counts each packet that
 * a CPU received, for all devices and network namespaces.
 */
#ifndef KTPUT_TOOLS_CPU_TIMES_H
#define KTPUT_TOOLS_CPU_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client_snapshot;

/**
 * struct cpu_times - times of a CPU since boot
 * @known: the times are known
 * @task_ns: time in tasks of any kind
 * @irq_ns: time in softirqs and interrupts
 * @steal_ns: time that the hypervisor ran something else
 * @packets_known: the packets are known
 * @packets: packets that the CPU received
 */
struct cpu_times {
	bool known;
	uint64_t task_ns;
	uint64_t irq_ns;
	uint64_t steal_ns;
	bool packets_known;
	uint32_t packets;
};

void cpu_times_read(struct cpu_times *times, size_t count);
void cpu_times_parse_stat(const char *line, uint64_t tick_ns,
			  struct cpu_times *times, size_t count);
void cpu_times_parse_softnet(const char *line, size_t number,
			     struct cpu_times *times, size_t count);
struct cpu_times cpu_times_difference(const struct cpu_times *later,
				      const struct cpu_times *earlier);
void cpu_times_fill(struct client_snapshot *snapshot);

#endif
