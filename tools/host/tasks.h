/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tasks: find the processes that ran longest in an interval, from /proc.
 */
#ifndef KTPUT_TOOLS_TASKS_H
#define KTPUT_TOOLS_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TASK_COMM_LEN of the kernel, with room for names of kernel threads. */
#define TASKS_NAME_SIZE	32

/**
 * struct task - a process
 * @pid: process ID
 * @name: name of its program, printable characters only
 * @ticks: CPU time of all its threads, ticks of user space
 * @cpu: CPU that its first thread ran on last
 */
struct task {
	int pid;
	char name[TASKS_NAME_SIZE];
	uint64_t ticks;
	unsigned int cpu;
};

/**
 * struct tasks - all processes at one instant
 * @list: ordered by process ID
 * @count: number of processes
 */
struct tasks {
	struct task *list;
	size_t count;
};

void tasks_clean(char *name);
bool tasks_parse(const char *line, struct task *task);
uint64_t tasks_ns(const struct task *task);
void tasks_set_ns(struct task *task, uint64_t ns);
void tasks_read(struct tasks *tasks);
void tasks_free(struct tasks *tasks);
bool tasks_read_times(const char *path, uint64_t *run_ns, uint64_t *delay_ns);
bool tasks_read_delay(const char *path, uint64_t *ns);
bool tasks_delay_ns(const struct tasks *tasks, const char *name, uint64_t *ns);
bool tasks_longest(const struct tasks *before, const struct tasks *after,
		   unsigned int cpu, int self, struct task *longest);

#endif
