/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child_output: a file with the output of a child.
 */
#ifndef KTPUT_CTL_CHILD_OUTPUT_H
#define KTPUT_CTL_CHILD_OUTPUT_H

#include <json-c/json.h>
#include <stddef.h>

struct json_object *child_output_json(int fd);
char *child_output_text(int fd);

#endif
