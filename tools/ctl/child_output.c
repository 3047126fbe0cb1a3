// SPDX-License-Identifier: GPL-2.0
/* child_output: what a child has printed to a file. */
#include <sys/mman.h>
#include <sys/stat.h>

#include "child_output.h"

/* What a run may print; with -s, of a second of traffic, it is some 20 KiB. */
#define OUTPUT_MAX	(64 << 20)

/**
 * child_output_json() - the first document in a file
 * @fd: the file
 *
 * Return: the document, to be put, or NULL.
 */
struct json_object *child_output_json(int fd)
{
	struct json_tokener *tokener;
	struct json_object *document;
	struct stat stat;
	char *text;

	if (fstat(fd, &stat) || !stat.st_size || stat.st_size > OUTPUT_MAX)
		return NULL;
	text = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return NULL;
	tokener = json_tokener_new();
	document = tokener ? json_tokener_parse_ex(tokener, text,
						   stat.st_size) : NULL;
	if (tokener)
		json_tokener_free(tokener);
	munmap(text, stat.st_size);
	return document;
}
