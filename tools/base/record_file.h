/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_file: a file of records, a line for each.
 *
 * Records go behind what is there, or the first one takes its place. A record is
 * there whole or not at all, also where the program is killed while it is being
 * written. What is no regular file, a pipe or a device, is written to as it is.
 */
#ifndef KTPUT_TOOLS_RECORD_FILE_H
#define KTPUT_TOOLS_RECORD_FILE_H

#include <stdbool.h>

#include "units.h"

struct json_object;

/**
 * struct record_file - a file of records
 * @path: what the user calls it
 * @target: what it is to be, links followed
 * @replace: the next record takes the place of what is there
 * @fd: what is no regular file, or -1
 * @error: errno of the first record that could not be written, or 0
 */
struct record_file {
	const char *path;
	char *target;
	bool replace;
	int fd;
	int error;
};

int record_file_open(struct record_file *file, const char *path, bool replace,
		     struct units_error *err);
void record_file_add(struct record_file *file, const char *record);
void record_file_add_json(struct record_file *file,
			  struct json_object *document);
int record_file_close(struct record_file *file, struct units_error *err);

#endif
