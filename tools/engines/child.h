/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child: run a command line in the background.
 *
 * The child has its own process group, so that an interrupt from the terminal is
 * passed on once. It ends with this program.
 */
#ifndef KTPUT_CTL_CHILD_H
#define KTPUT_CTL_CHILD_H

#include <sys/types.h>

#include "../base/units.h"

/**
 * struct child - a process
 * @pid: its number, 0 for none
 * @fd: becomes readable when it ends
 */
struct child {
	pid_t pid;
	int fd;
};

int child_start(struct child *child, char *const *words, const int *outputs,
		struct units_error *err);
int child_start_with(struct child *child, char *const *words,
		     const int files[3], struct units_error *err);
void child_signal(const struct child *child, int signal);
int child_wait(struct child *child);
void child_close(struct child *child);

#endif
