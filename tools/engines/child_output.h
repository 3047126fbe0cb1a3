/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child_output: files with the output of a child.
 */
#ifndef KTPUT_CTL_CHILD_OUTPUT_H
#define KTPUT_CTL_CHILD_OUTPUT_H

#include <json-c/json.h>
#include <stddef.h>

#include "../base/units.h"

/**
 * enum child_file - output streams of a child
 * @CHILD_RESULTS: its standard output
 * @CHILD_DIAGNOSTICS: its standard error
 * @CHILD_FILES: number of files
 */
enum child_file {
	CHILD_RESULTS,
	CHILD_DIAGNOSTICS,
	CHILD_FILES,
};

int child_output_open(int files[CHILD_FILES], struct units_error *err);
void child_output_close(const int files[CHILD_FILES]);
struct json_object *child_output_json(int fd);
char *child_output_text(int fd);

#endif
