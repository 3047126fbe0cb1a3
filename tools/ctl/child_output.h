/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child_output: what a child has printed to a file.
 */
#ifndef KTPUT_CTL_CHILD_OUTPUT_H
#define KTPUT_CTL_CHILD_OUTPUT_H

#include <json-c/json.h>

struct json_object *child_output_json(int fd);

#endif
