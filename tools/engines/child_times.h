/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child_times: how long another program ran, and was delayed.
 *
 * Of all its threads, from /proc/PID/task. What a thread had that has ended before the
 * process is kept from the look before.
 */
#ifndef KTPUT_TOOLS_CHILD_TIMES_H
#define KTPUT_TOOLS_CHILD_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct child_times - CPU time of a process
 * @known: the kernel tells
 * @run_ns: time that its threads ran
 * @delay_ns: time that they were ready to run and did not (run delay)
 */
struct child_times {
	bool known;
	uint64_t run_ns;
	uint64_t delay_ns;
};

void child_times_look(struct child_times *times, pid_t pid);

#endif
