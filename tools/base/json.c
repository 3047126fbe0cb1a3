// SPDX-License-Identifier: GPL-2.0
/* json: access members that may be absent or of another type. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "units.h"

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

/* U+FFFD replaces each byte that is not part of a character. */
#define REPLACEMENT	"\xef\xbf\xbd"

/*
 * RFC 3629, section 4: the bounds of the second byte exclude overlong forms,
 * surrogates, and code points above U+10FFFF. All other bytes are 80 to BF.
 */
static const struct {
	unsigned char first, last;
	unsigned char length;
	unsigned char second_low, second_high;
} forms[] = {
	{ 0x01, 0x7f, 1, 0x00, 0xff },
	{ 0xc2, 0xdf, 2, 0x80, 0xbf },
	{ 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf },
	{ 0xed, 0xed, 3, 0x80, 0x9f },
	{ 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf },
	{ 0xf1, 0xf3, 4, 0x80, 0xbf },
	{ 0xf4, 0xf4, 4, 0x80, 0x8f },
};

/**
 * utf8_length() - length of a character in bytes
 * @text: first byte of the character; the text ends with NUL
 *
 * Return: 1 to 4, or 0 at invalid bytes or at the end.
 */
size_t utf8_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	for (size_t i = 0; i < COUNT(forms); i++) {
		if (at[0] < forms[i].first || at[0] > forms[i].last)
			continue;
		if (at[1] < forms[i].second_low || at[1] > forms[i].second_high)
			return 0;
		/* Also stops at NUL. */
		for (size_t j = 2; j < forms[i].length; j++)
			if ((at[j] & 0xc0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

/**
 * utf8_copy() - convert text to UTF-8
 * @text: any bytes, ended by NUL
 *
 * Return: a copy, for free(), with U+FFFD in place of each byte that is not part
 * of a character; or NULL with errno.
 */
char *utf8_copy(const char *text)
{
	char *copy = malloc(strlen(text) * strlen(REPLACEMENT) + 1);
	char *to = copy;

	if (!copy)
		return NULL;
	while (*text) {
		const size_t length = utf8_length(text);

		if (length)
			to = mempcpy(to, text, length);
		else
			to = stpcpy(to, REPLACEMENT);
		text += length ? length : 1;
	}
	*to = '\0';
	return copy;
}
