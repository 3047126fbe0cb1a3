/* SPDX-License-Identifier: GPL-2.0 */
/*
 * json: access members that may be absent or of another type.
 *
 * A path consists of keys separated by dots. A member of another type is treated
 * as absent.
 */
#ifndef KTPUT_TOOLS_JSON_H
#define KTPUT_TOOLS_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object *json_at(struct json_object *from, const char *path);
struct json_object *json_array(struct json_object *from, const char *path);
size_t json_length(struct json_object *array);
struct json_object *json_element(struct json_object *array, size_t index);
const char *json_text(struct json_object *from, const char *path);
double json_number(struct json_object *from, const char *path);
uint64_t json_u64(struct json_object *from, const char *path);
int64_t json_i64(struct json_object *from, const char *path);
bool json_is(struct json_object *from, const char *path);

size_t utf8_length(const char *text);
char *utf8_copy(const char *text);

#endif
