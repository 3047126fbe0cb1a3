// SPDX-License-Identifier: GPL-2.0
/* child_output: what a child has printed to a file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/json.h"
#include "child_output.h"

/* What a run may print; with -s, of a second of traffic, it is some 20 KiB. */
#define OUTPUT_MAX	(64 << 20)

/* What is there, or NULL where that is nothing or too much. */
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
 * child_output_open() - files for what a child prints
 * @files: filled in; for child_output_close()
 * @err: why there are none
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int child_output_open(int files[CHILD_FILES], struct units_error *err)
{
	for (int i = 0; i < CHILD_FILES; i++) {
		files[i] = memfd_create("child", MFD_CLOEXEC);
		if (files[i] >= 0)
			continue;
		units_refuse(err, "memfd_create: %s", strerror(errno));
		while (i--)
			close(files[i]);
		return -1;
	}
	return 0;
}

/**
 * child_output_close() - let go of files
 * @files: what child_output_open() left
 */
void child_output_close(const int files[CHILD_FILES])
{
	for (int i = 0; i < CHILD_FILES; i++)
		close(files[i]);
}

/* The document that so many stand before. */
static struct json_object *parse(const char *text, size_t size,
				 unsigned int index)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *document = NULL;
	size_t at = 0;

	if (!tokener)
		return NULL;
	do {
		json_object_put(document);
		json_tokener_reset(tokener);
		document = at < size ? json_tokener_parse_ex(tokener, text + at,
							     size - at) : NULL;
		at += json_tokener_get_parse_end(tokener);
	} while (document && index--);
	json_tokener_free(tokener);
	return document;
}

/**
 * child_output_nth() - a document in a file
 * @fd: the file
 * @index: how many stand before it
 *
 * Return: the document, to be put, or NULL where it is not there, or not whole.
 */
struct json_object *child_output_nth(int fd, unsigned int index)
{
	struct json_object *document;
	const char *text;
	size_t size;

	text = map(fd, &size);
	if (!text)
		return NULL;
	document = parse(text, size, index);
	munmap((void *)text, size);
	return document;
}

/**
 * child_output_json() - the first document in a file
 * @fd: the file
 *
 * Return: the document, to be put, or NULL.
 */
struct json_object *child_output_json(int fd)
{
	return child_output_nth(fd, 0);
}

/**
 * child_output_text() - all that is in a file
 * @fd: the file
 *
 * Return: text for free(), or NULL where there is none.
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

/* The last line that is not empty. */
static size_t last_line(const char *text, size_t size, const char **line)
{
	size_t begin;

	while (size && text[size - 1] == '\n')
		size--;
	begin = size;
	while (begin && text[begin - 1] != '\n')
		begin--;
	*line = text + begin;
	return size - begin;
}

/**
 * child_output_line() - the last line in a file
 * @fd: the file
 * @line: filled in, cut where it is too long
 * @size: bytes of @line
 *
 * Return: 0, or -1 where there is none.
 */
int child_output_line(int fd, char *line, size_t size)
{
	const char *text, *last;
	size_t length, room;

	text = map(fd, &length);
	if (!text)
		return -1;
	room = last_line(text, length, &last);
	snprintf(line, size, "%.*s", (int)room, last);
	munmap((void *)text, length);
	return room ? 0 : -1;
}

/**
 * child_output_complaint() - what a program says went wrong
 * @fd: file of what it said to its standard error
 * @line: filled in, cut where it is too long
 * @size: bytes of @line
 *
 * The last line counts: as this program says it with -j, or else as it is.
 *
 * Return: 0, or -1 where there is none.
 */
int child_output_complaint(int fd, char *line, size_t size)
{
	struct json_object *document;
	const char *error;

	if (child_output_line(fd, line, size))
		return -1;
	document = json_tokener_parse(line);
	error = json_text(document, "error");
	if (error)
		snprintf(line, size, "%s", error);
	json_object_put(document);
	return 0;
}
