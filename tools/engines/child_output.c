// SPDX-License-Identifier: GPL-2.0
/* child_output: files with the output of a child. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "child_output.h"

/* Maximum output of a run; with -s one second of traffic takes some 20 KiB. */
#define OUTPUT_MAX	(64 << 20)

/* Map the contents, NULL if they are empty or too large. */
static const char *map(int fd, size_t *size)
{
	struct stat stat;
	void *text;

	if (fstat(fd, &stat) || !stat.st_size || stat.st_size > OUTPUT_MAX)
		return NULL;
	*size = stat.st_size;
	text = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	return text == MAP_FAILED ? NULL : text;
}

/**
 * child_output_json() - read the first JSON document of a file
 * @fd: the file
 *
 * Return: the document, to be put with json_object_put(), or NULL.
 */
struct json_object *child_output_json(int fd)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *document = NULL;
	const char *text;
	size_t size;

	if (!tokener)
		return NULL;
	text = map(fd, &size);
	if (text) {
		document = json_tokener_parse_ex(tokener, text, size);
		munmap((void *)text, size);
	}
	json_tokener_free(tokener);
	return document;
}

/**
 * child_output_text() - read a whole file
 * @fd: the file
 *
 * Return: the text, for free(), or NULL if the file is empty.
 */
char *child_output_text(int fd)
{
	const char *text;
	char *copy;
	size_t size;

	text = map(fd, &size);
	if (!text)
		return NULL;
	copy = strndup(text, size);
	munmap((void *)text, size);
	return copy;
}
