// SPDX-License-Identifier: GPL-2.0
/* json: access members that may be absent or of another type. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

/* Maximum length of a key in records. */
#define KEY_MAX	64
/* Exceeds every counter, and its square is still finite. */
#define NUMBER_MAX	1e20

/**
 * json_at() - find a member
 * @from: root of the path, or NULL
 * @path: keys separated by dots
 *
 * Return: the member, owned by @from, or NULL.
 */
struct json_object *json_at(struct json_object *from, const char *path)
{
	while (*path) {
		size_t length = strcspn(path, ".");
		char key[KEY_MAX];

		if (length >= sizeof(key) ||
		    !json_object_is_type(from, json_type_object))
			return NULL;
		snprintf(key, sizeof(key), "%.*s", (int)length, path);
		if (!json_object_object_get_ex(from, key, &from))
			return NULL;
		path += length + (path[length] == '.');
	}
	return from;
}

/**
 * json_array() - find an array member
 * @from: root of the path, or NULL
 * @path: keys separated by dots
 *
 * Return: the array, or NULL.
 */
struct json_object *json_array(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);

	return json_object_is_type(found, json_type_array) ? found : NULL;
}

/**
 * json_length() - number of elements
 * @array: result of json_array(), or NULL
 *
 * Return: number of elements, 0 without an array.
 */
size_t json_length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

/**
 * json_element() - one element
 * @array: result of json_array()
 * @index: below json_length()
 *
 * Return: the element.
 */
struct json_object *json_element(struct json_object *array, size_t index)
{
	return json_object_array_get_idx(array, index);
}

/**
 * json_text() - read a string member
 * @from: root of the path, or NULL
 * @path: keys separated by dots
 *
 * Return: the string, or NULL.
 */
const char *json_text(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);

	return json_object_is_type(found, json_type_string) ?
	       json_object_get_string(found) : NULL;
}

/**
 * json_number() - read a numeric member
 * @from: root of the path, or NULL
 * @path: keys separated by dots
 *
 * Return: the number, or NAN if it is absent or out of range.
 */
double json_number(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);
	double number;

	if (!json_object_is_type(found, json_type_int) &&
	    !json_object_is_type(found, json_type_double))
		return NAN;
	number = json_object_get_double(found);
	return fabs(number) <= NUMBER_MAX ? number : NAN;
}

/**
 * json_u64() - read an unsigned integer member
 * @from: root of the path, or NULL
 * @path: keys separated by dots
 *
 * Return: the number, or 0 if it is absent or negative.
 */
uint64_t json_u64(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);

	return json_object_is_type(found, json_type_int) ?
	       json_object_get_uint64(found) : 0;
}

/**
 * json_i64() - read a signed integer member
 * @from: root of the path, or NULL
 * @path: keys separated by dots
 *
 * Return: the number, or 0 if it is absent.
 */
int64_t json_i64(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);

	return json_object_is_type(found, json_type_int) ?
	       json_object_get_int64(found) : 0;
}

/**
 * json_is() - whether a member is true
 * @from: root of the path, or NULL
 * @path: keys separated by dots
 *
 * Return: true if it is present and true.
 */
bool json_is(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);

	return json_object_is_type(found, json_type_boolean) &&
	       json_object_get_boolean(found);
}
