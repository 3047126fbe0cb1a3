// SPDX-License-Identifier: GPL-2.0
/* spool: elements of a JSON array that are kept as text, outside of memory. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <json-c/printbuf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "output.h"
#include "spool.h"
#include "units.h"

/* The form in which elements are kept, one on each line. */
#define KEPT	(JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

/* What is printed leaves memory in parts of this size. */
#define PART_BYTES	65536

/* Spaces that a pretty document has per level. */
#define INDENT	2

/*
 * @directory: where a file is wanted, or NULL
 * @place: where it is, or was refused last
 * @fd: the file, or -1
 * @text: the last elements
 * @length: their bytes
 * @size: allocated bytes
 */
struct spool {
	char *directory;
	const char *place;
	int fd;
	char *text;
	size_t length;
	size_t size;
};

/* Where the document goes that is being printed; NULL if it is made in memory. */
static FILE *printed_to;

/* Its elements go before it, each as the member @apart of an object on a line. */
static const char *apart;

static int open_unnamed(const char *directory)
{
	int fd = open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	char *name;

	/* Not each file system can do without a name. */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	if (asprintf(&name, "%s/ktput.XXXXXX", directory) < 0)
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

/* TMPDIR is the user's word. /tmp may be memory, so it is the last. */
static int open_file(struct spool *spool)
{
	const char *const places[] = {
		getenv("TMPDIR"), spool->directory, "/var/tmp", "/tmp",
	};

	for (size_t i = 0; i < COUNT(places) && spool->fd < 0; i++) {
		if (!places[i] || !*places[i])
			continue;
		spool->place = places[i];
		spool->fd = open_unnamed(places[i]);
	}
	return spool->fd < 0 ? -1 : 0;
}

static int write_text(struct spool *spool)
{
	size_t done = 0;

	while (done < spool->length) {
		const ssize_t written = write(spool->fd, spool->text + done,
					      spool->length - done);

		if (written < 0 && errno != EINTR)
			return -1;
		done += written > 0 ? written : 0;
	}
	spool->length = 0;
	return 0;
}

static void keep_text(struct spool *spool, const char *text, size_t length)
{
	if (spool->length + length + 1 > spool->size) {
		spool->size = spool->length + length + 1 + SPOOL_MEMORY / 4;
		spool->text = output_must(realloc(spool->text, spool->size));
	}
	memcpy(spool->text + spool->length, text, length);
	spool->length += length;
	spool->text[spool->length++] = '\n';
}

/* All elements, one on each line, in the order in which they were added. */
static FILE *read_all(struct spool *spool)
{
	FILE *from;
	int fd;

	if (spool->fd < 0)
		return fmemopen(spool->text, spool->length, "r");
	fd = fcntl(spool->fd, F_DUPFD_CLOEXEC, 0);
	from = fd < 0 ? NULL : fdopen(fd, "r");
	if (from)
		rewind(from);
	else if (fd >= 0)
		close(fd);
	return from;
}

static int print_text(struct printbuf *to, const char *text, size_t length)
{
	if (printbuf_memappend(to, text, length) < 0)
		return -1;
	if (!printed_to || printbuf_length(to) < PART_BYTES)
		return 0;
	if (fwrite(to->buf, 1, printbuf_length(to), printed_to) !=
	    (size_t)printbuf_length(to))
		return -1;
	printbuf_reset(to);
	return 0;
}

/* Begin a line, as json-c does. */
static int print_indent(struct printbuf *to, int level)
{
	return print_text(to, "\n", 1) ||
	       printbuf_memset(to, -1, ' ', level * INDENT) < 0 ? -1 : 0;
}

/* An element in another form than that in which it is kept. */
static int print_otherwise(struct printbuf *to, const char *line, int level,
			   int flags)
{
	struct json_object *element = json_tokener_parse(line);
	const char *text = json_object_to_json_string_ext(element, flags);
	int ret = element ? 0 : -1;

	while (!ret && *text) {
		const size_t length = strcspn(text, "\n");

		ret = print_text(to, text, length);
		text += length;
		if (ret || !*text)
			continue;
		ret = print_indent(to, level);
		text++;
	}
	json_object_put(element);
	return ret;
}

static int print_element(struct printbuf *to, const char *line, size_t length,
			 int level, int flags)
{
	if (apart)
		return fprintf(printed_to, "{\"%s\":%s}\n", apart, line) < 0 ? -1 : 0;
	if (flags == KEPT)
		return print_text(to, line, length);
	return print_otherwise(to, line, level, flags);
}

/* json-c calls this for the element that stands for all. */
static int print(struct json_object *object, struct printbuf *to, int level,
		 int flags)
{
	FILE *from = read_all(json_object_get_userdata(object));
	const bool pretty = flags & JSON_C_TO_STRING_PRETTY;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int ret = from ? 0 : -1;

	for (bool first = true; !ret; first = false) {
		length = getline(&line, &size, from);
		if (length <= 0)
			break;
		line[--length] = '\0';
		if (!first && !apart)
			ret = print_text(to, ",", 1);
		if (!ret && !first && pretty)
			ret = print_indent(to, level);
		if (!ret)
			ret = print_element(to, line, length, level, flags);
	}
	if (from && ferror(from))
		ret = -1;
	free(line);
	if (from)
		fclose(from);
	return ret;
}

static void delete(struct json_object *object, void *data)
{
	struct spool *spool = data;

	(void)object;
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->text);
	free(spool->directory);
	free(spool);
}

/**
 * spool_new() - make the element that stands for all of an array
 * @directory: where a file is made if TMPDIR is not set, or NULL
 *
 * Return: the element; json_object_put() of it, or of its array, removes the file.
 */
struct json_object *spool_new(const char *directory)
{
	struct json_object *object = output_must(json_object_new_object());
	struct spool *spool = output_must(calloc(1, sizeof(*spool)));

	spool->fd = -1;
	if (directory)
		spool->directory = output_must(strdup(directory));
	json_object_set_serializer(object, print, spool, delete);
	return object;
}

/**
 * spool_add() - add an element
 * @spool: what spool_new() made
 * @element: the element, which is not needed any more
 *
 * Return: 0, or -1 with errno if there is no room for it; then the spool is of no use.
 */
int spool_add(struct json_object *spool, struct json_object *element)
{
	struct spool *to = json_object_get_userdata(spool);
	const char *text = json_object_to_json_string_ext(element, KEPT);

	keep_text(to, output_must((void *)text), strlen(text));
	if (to->length <= SPOOL_MEMORY)
		return 0;
	if (to->fd < 0 && open_file(to))
		return -1;
	return write_text(to);
}

/**
 * spool_end() - keep what was added, before it is printed
 * @spool: what spool_new() made
 *
 * Return: 0, or -1 with errno as of spool_add().
 */
int spool_end(struct json_object *spool)
{
	struct spool *to = json_object_get_userdata(spool);

	return to->fd < 0 ? 0 : write_text(to);
}

/**
 * spool_place() - where the file of a spool is
 * @spool: what spool_new() made
 *
 * Return: the directory, or that which refused it.
 */
const char *spool_place(struct json_object *spool)
{
	const struct spool *of = json_object_get_userdata(spool);

	return of->place;
}

/**
 * spool_each() - look at the elements of an array
 * @array: the array, which may have a spool in place of all
 * @look: called for each of them
 * @data: passed to @look
 */
void spool_each(struct json_object *array,
		void (*look)(struct json_object *element, void *data), void *data)
{
	struct json_object *first = json_length(array) ?
				    json_element(array, 0) : NULL;
	/* What is read from text has none. */
	struct spool *spool = json_object_is_type(first, json_type_object) ?
			      json_object_get_userdata(first) : NULL;
	FILE *from = spool ? read_all(spool) : NULL;
	char *line = NULL;
	size_t size = 0;

	for (size_t i = 0; !spool && i < json_length(array); i++)
		look(json_element(array, i), data);
	while (from && getline(&line, &size, from) > 0) {
		struct json_object *element = json_tokener_parse(line);

		look(element, data);
		json_object_put(element);
	}
	free(line);
	if (from)
		fclose(from);
}

/**
 * spool_print_apart() - print the elements of spools, then their document without them
 * @document: the document
 * @key: what an element is called, in an object on a line of its own
 * @to: where they go
 *
 * Return: 0, or -1 with errno.
 */
int spool_print_apart(struct json_object *document, const char *key, FILE *to)
{
	int ret;

	apart = key;
	ret = spool_print(document, KEPT, to);
	apart = NULL;
	return ret;
}

/**
 * spool_print() - print a document that may have spools
 * @document: the document
 * @flags: its form, JSON_C_TO_STRING_...
 * @to: where it goes
 *
 * Return: 0, or -1 with errno.
 */
int spool_print(struct json_object *document, int flags, FILE *to)
{
	const char *text;
	size_t length;

	errno = 0;
	printed_to = to;
	text = json_object_to_json_string_length(document, flags, &length);
	printed_to = NULL;
	if (!text && !errno)
		errno = EIO;
	if (!text)
		return -1;
	return fwrite(text, 1, length, to) == length ? 0 : -1;
}
