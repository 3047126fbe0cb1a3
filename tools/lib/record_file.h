/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_file: a file of records, a line for each.
 *
 * It has another name until the first record is whole, and takes the place of
 * what was there then. A file that is none, a pipe or a device, is written to
 * as it is.
 */
#ifndef KTPUT_TOOLS_RECORD_FILE_H
#define KTPUT_TOOLS_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "units.h"

struct json_object;

/**
 * struct record_file - a file of records
 * @path: what the user calls it
 * @target: what it is to be, links followed
 * @temporary: its name until the first record is whole, or NULL
 * @fd: the file
 * @length: bytes of whole records, in a file that can be cut
 * @error: errno of the first record that could not be written, or 0
 */
struct record_file {
	const char *path;
	char *target;
	char *temporary;
	int fd;
	off_t length;
	int error;
};

int record_file_open(struct record_file *file, const char *path,
		     struct units_error *err);
void record_file_add(struct record_file *file, const char *record);
void record_file_add_json(struct record_file *file,
			  struct json_object *document);
int record_file_close(struct record_file *file, struct units_error *err);

#endif
