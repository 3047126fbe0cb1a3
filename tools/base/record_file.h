/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_file: a file with one record per line.
 *
 * Records are appended, or the first one replaces the existing file. A record is
 * written completely or not at all, even if the program is killed meanwhile. If the
 * file is not a regular one, but a pipe or a device, records are written directly.
 */
#ifndef KTPUT_TOOLS_RECORD_FILE_H
#define KTPUT_TOOLS_RECORD_FILE_H

#include <stdbool.h>

#include "units.h"

struct json_object;

/**
 * struct record_file - a file of records
 * @path: name given by the user
 * @target: file to write, with links resolved
 * @directory: where @target is
 * @replace: the next record replaces the existing file
 * @fd: descriptor of anything but a regular file, or -1
 * @cut: its last line is no whole document, as after a power failure; records begin
 *	on a new line
 * @error: errno of the first failed write, or 0
 */
struct record_file {
	const char *path;
	char *target;
	char *directory;
	bool replace;
	int fd;
	bool cut;
	int error;
};

int record_file_open(struct record_file *file, const char *path, bool replace,
		     struct units_error *err);
void record_file_add(struct record_file *file, struct json_object *record);
int record_file_close(struct record_file *file, struct units_error *err);

#endif
