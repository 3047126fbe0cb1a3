/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bidir: a run in the other direction at the same time.
 *
 * It is made by a process of its own: with a connection of its own to the other host,
 * as 'reverse' would be, or between two network namespaces of this host. The sources
 * start together. Its record is read from it at the end, and becomes part of that of
 * this process.
 */
#ifndef KTPUT_CTL_BIDIR_H
#define KTPUT_CTL_BIDIR_H

#include <json-c/json.h>

#include "../run/session.h"
#include "repeat.h"

/**
 * struct bidir - the run in the other direction
 * @pid: number of the process, 0 for none
 * @fd: socket to it
 */
struct bidir {
	pid_t pid;
	int fd;
};

bool bidir_is_other(const struct run_options *options);
int bidir_begin(struct bidir *bidir, const struct command_context *context,
		const struct run_options *options, repeat_run run,
		struct units_error *err);
int bidir_end(struct bidir *bidir, struct session *session,
	      struct units_error *err);
void bidir_explain(struct bidir *bidir, struct units_error *err);
void bidir_close(struct bidir *bidir);

#endif
