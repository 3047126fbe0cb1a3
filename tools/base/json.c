// SPDX-License-Identifier: GPL-2.0
/* json: members of a document that may be absent or of another type. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

/* No key of a record is longer. */
#define KEY_MAX	64
/* More than any counter, and its square is a number too. */
#define NUMBER_MAX	1e20

/**
 * json_at() - a member
 * @from: where the path begins, or NULL
 * @path: keys with dots between them
 *
 * Return: the member, which @from owns, or NULL.
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
 * json_array() - a member that is an array
 * @from: where the path begins, or NULL
 * @path: keys with dots between them
 *
 * Return: the array, or NULL.
 */
struct json_object *json_array(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);

	return json_object_is_type(found, json_type_array) ? found : NULL;
}

/**
 * json_length() - how many elements
 * @array: what json_array() found, or NULL
 *
 * Return: elements, 0 where there is no array.
 */
size_t json_length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

/**
 * json_element() - one element
 * @array: what json_array() found
 * @index: below json_length()
 *
 * Return: the element.
 */
struct json_object *json_element(struct json_object *array, size_t index)
{
	return json_object_array_get_idx(array, index);
}

/**
 * json_text() - a member that is a string
 * @from: where the path begins, or NULL
 * @path: keys with dots between them
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
 * json_number() - a member that is a number
 * @from: where the path begins, or NULL
 * @path: keys with dots between them
 *
 * Return: the number, or NAN where there is none, or none that anything has.
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
 * json_u64() - a member that is a whole number
 * @from: where the path begins, or NULL
 * @path: keys with dots between them
 *
 * Return: the number, or 0 where there is none, or a negative one.
 */
uint64_t json_u64(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);

	return json_object_is_type(found, json_type_int) ?
	       json_object_get_uint64(found) : 0;
}

/**
 * json_i64() - a member that is a whole number, or a negative one
 * @from: where the path begins, or NULL
 * @path: keys with dots between them
 *
 * Return: the number, or 0 where there is none.
 */
int64_t json_i64(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);

	return json_object_is_type(found, json_type_int) ?
	       json_object_get_int64(found) : 0;
}

/**
 * json_is() - a member that is true
 * @from: where the path begins, or NULL
 * @path: keys with dots between them
 *
 * Return: true where it is there and true.
 */
bool json_is(struct json_object *from, const char *path)
{
	struct json_object *found = json_at(from, path);

	return json_object_is_type(found, json_type_boolean) &&
	       json_object_get_boolean(found);
}
