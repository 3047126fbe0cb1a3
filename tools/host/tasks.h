/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tasks: which processes ran longest meanwhile, by /proc.
 */
#ifndef KTPUT_TOOLS_TASKS_H
#define KTPUT_TOOLS_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As the kernel has it (TASK_COMM_LEN), with room for names of kernel threads. */
#define TASKS_NAME_SIZE	32

/**
 * struct task - a process
 * @pid: number
 * @name: of its program, with no character that is not printable
 * @ticks: CPU time of all its threads, ticks of user space
 * @cpu: that its first thread ran on last
 */
struct task {
	int pid;
	char name[TASKS_NAME_SIZE];
	uint64_t ticks;
	unsigned int cpu;
};

/**
 * struct tasks - all processes at one instant
 * @list: in the order of their numbers
 * @count: how many
 */
struct tasks {
	struct task *list;
	size_t count;
};

bool tasks_parse(const char *line, struct task *task);
void tasks_read(struct tasks *tasks);
void tasks_free(struct tasks *tasks);
bool tasks_longest(const struct tasks *before, const struct tasks *after,
		   unsigned int cpu, int self, struct task *longest);

#endif
