// SPDX-License-Identifier: GPL-2.0
/* record_file: a file of records, a line for each. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record_file.h"

static int refuse(const struct record_file *file, int error,
		  struct units_error *err)
{
	units_refuse(err, "cannot write the record '%s': %s", file->path,
		     strerror(error));
	return -1;
}

/* A file of mode 0666 less the mask, as others make one; mkstemp() has 0600. */
static void set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	/* A file system without modes has no others to set. */
	(void)fchmod(fd, 0666 & ~mask);
}

static int open_temporary(struct record_file *file)
{
	if (asprintf(&file->temporary, "%s.XXXXXX", file->target) < 0) {
		file->temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd >= 0)
		set_mode(file->fd);
	return file->fd;
}

static int open_target(struct record_file *file)
{
	struct stat found;

	/* Whoever may not write what is there may not replace it either. */
	if (!stat(file->target, &found) && S_ISREG(found.st_mode) &&
	    access(file->target, W_OK))
		return -1;
	if (!stat(file->target, &found) && !S_ISREG(found.st_mode))
		file->fd = open(file->target, O_WRONLY | O_CLOEXEC);
	else
		open_temporary(file);
	return file->fd;
}

/**
 * record_file_open() - begin a file of records
 * @file: the file
 * @path: its name
 * @err: why it cannot be written
 *
 * What has that name stays until the first record is whole.
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int record_file_open(struct record_file *file, const char *path,
		     struct units_error *err)
{
	int error;

	*file = (struct record_file) { .path = path, .fd = -1 };
	file->target = realpath(path, NULL);
	if (!file->target && errno == ENOENT)
		file->target = strdup(path);
	if (file->target && open_target(file) >= 0)
		return 0;
	error = errno;
	free(file->temporary);
	free(file->target);
	return refuse(file, error, err);
}

/* All of it in one call where that can be, so that no part of it stays. */
static int write_line(int fd, const char *line)
{
	struct iovec parts[] = {
		{ .iov_base = (void *)line, .iov_len = strlen(line) },
		{ .iov_base = "\n", .iov_len = 1 },
	};
	struct iovec *part = parts;
	size_t left = 2;

	while (left) {
		ssize_t written = writev(fd, part, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		while (left && (size_t)written >= part->iov_len) {
			written -= part->iov_len;
			part++;
			left--;
		}
		if (left) {
			part->iov_base = (char *)part->iov_base + written;
			part->iov_len -= written;
		}
	}
	return 0;
}

/* Takes the place of what was there. */
static int publish(struct record_file *file)
{
	if (!file->temporary)
		return 0;
	if (rename(file->temporary, file->target))
		return -1;
	free(file->temporary);
	file->temporary = NULL;
	return 0;
}

/**
 * record_file_add() - write a record
 * @file: open file
 * @record: the record, on one line
 *
 * After one that could not be written there are no more; record_file_close()
 * tells why.
 */
void record_file_add(struct record_file *file, const char *record)
{
	off_t length;

	if (file->error)
		return;
	if (write_line(file->fd, record) || publish(file)) {
		file->error = errno;
		/* A pipe has nothing to cut. */
		if (ftruncate(file->fd, file->length))
			file->length = 0;
		return;
	}
	length = lseek(file->fd, 0, SEEK_CUR);
	if (length > 0)
		file->length = length;
}

/**
 * record_file_add_json() - add a document as a record
 * @file: file
 * @document: document
 */
void record_file_add_json(struct record_file *file,
			  struct json_object *document)
{
	const int flags = JSON_C_TO_STRING_PLAIN |
			  JSON_C_TO_STRING_NOSLASHESCAPE;

	record_file_add(file, json_object_to_json_string_ext(document, flags));
}

/**
 * record_file_close() - end a file of records
 * @file: open file
 * @err: why a record could not be written
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int record_file_close(struct record_file *file, struct units_error *err)
{
	if (close(file->fd) && !file->error)
		file->error = errno;
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->target);
	return file->error ? refuse(file, file->error, err) : 0;
}
