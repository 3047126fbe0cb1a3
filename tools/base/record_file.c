// SPDX-License-Identifier: GPL-2.0
/* record_file: a file with one record per line. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"
#include "record_file.h"
#include "spool.h"

static int refuse(const struct record_file *file, int error,
		  struct units_error *err)
{
	const char *advice = error == ENOSPC || error == EDQUOT ?
			     "; free space there, or record to another place" : "";

	return units_refuse(err, "cannot write the record '%s': %s%s", file->path,
			    strerror(error), advice);
}

/* Mode 0666 less the umask, as usual; mkstemp() sets 0600. */
static void set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	/* Ignore errors: the file system may not support modes. */
	(void)fchmod(fd, 0666 & ~mask);
}

static char *directory_of(const char *target)
{
	char *copy = output_must(strdup(target));
	char *directory = output_must(strdup(dirname(copy)));

	free(copy);
	return directory;
}

/* Where the last line begins. */
static off_t last_line(int fd, off_t size)
{
	char part[4096];

	while (size) {
		const off_t from = size > (off_t)sizeof(part) ?
				   size - (off_t)sizeof(part) : 0;
		const ssize_t length = pread(fd, part, size - from, from);
		const char *found;

		if (length <= 0)
			return size;
		found = memrchr(part, '\n', length);
		if (found)
			return from + (found - part) + 1;
		size = from;
	}
	return 0;
}

/* Whether the file ends in the middle of a document. */
static bool ends_cut(int fd, off_t size)
{
	const off_t from = last_line(fd, size);
	struct json_object *last;
	bool cut = true;
	char *line;

	if (from == size)
		return false;
	line = calloc(1, size - from + 1);
	if (line && pread(fd, line, size - from, from) == size - from &&
	    strlen(line) == (size_t)(size - from)) {
		last = json_tokener_parse(line);
		cut = !last && strspn(line, " \t\r") < strlen(line);
		json_object_put(last);
	}
	free(line);
	return cut;
}

static bool is_cut(const char *target, off_t size)
{
	const int fd = open(target, O_RDONLY | O_CLOEXEC);
	bool cut;

	/* What cannot be read can be written nevertheless. */
	if (fd < 0)
		return false;
	cut = ends_cut(fd, size);
	close(fd);
	return cut;
}

/* Keep anything but a regular file open; check that a regular file is writable. */
static int check_target(struct record_file *file)
{
	struct stat found;
	int fd;

	if (stat(file->target, &found))
		return errno == ENOENT ? access(file->directory, W_OK | X_OK) : -1;
	fd = open(file->target, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (S_ISREG(found.st_mode) && !file->replace)
		file->cut = is_cut(file->target, found.st_size);
	if (!S_ISREG(found.st_mode)) {
		file->fd = fd;
		return 0;
	}
	close(fd);
	return file->replace ? access(file->directory, W_OK | X_OK) : 0;
}

/**
 * record_file_open() - open a file of records
 * @file: the file
 * @path: its name
 * @replace: the first record replaces an existing file
 * @err: why it cannot be written
 *
 * An existing file is unchanged until the first record is written.
 */
int record_file_open(struct record_file *file, const char *path, bool replace,
		     struct units_error *err)
{
	int error;

	*file = (struct record_file) {
		.path = path, .replace = replace, .fd = -1,
	};
	file->target = realpath(path, NULL);
	if (!file->target && errno == ENOENT)
		file->target = strdup(path);
	if (file->target)
		file->directory = directory_of(file->target);
	if (file->target && !check_target(file))
		return 0;
	error = errno;
	free(file->directory);
	free(file->target);
	return refuse(file, error, err);
}

/* Return: 0 or errno. */
static int write_line(int fd, const char *before, struct json_object *record)
{
	const int flags = JSON_C_TO_STRING_PLAIN |
			  JSON_C_TO_STRING_NOSLASHESCAPE;
	const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *to = own < 0 ? NULL : fdopen(own, "w");
	int error = 0;

	if (!to)
		return errno;
	if (fputs(before, to) < 0 || spool_print(record, flags, to) ||
	    fputc('\n', to) < 0)
		error = errno;
	if (fclose(to) && !error)
		error = errno;
	return error;
}

/* Append the whole line or nothing. Return: 0 or errno. */
static int append_line(int fd, struct json_object *record)
{
	struct stat found;
	char last = '\n';
	int error;

	/* Other runs may append to the same file. Go on if it cannot be
	 * locked.
	 */
	(void)flock(fd, LOCK_EX);
	if (fstat(fd, &found))
		return errno;
	/* Do not append to an unterminated line. */
	if (found.st_size && pread(fd, &last, 1, found.st_size - 1) != 1)
		return errno;
	error = write_line(fd, last == '\n' ? "" : "\n", record);
	if (error && ftruncate(fd, found.st_size))
		return errno;
	return error;
}

/* Replace the file atomically. Return: 0 or errno. */
static int replace_by_line(const char *target, char *temporary,
			   struct json_object *record)
{
	const int fd = mkostemp(temporary, O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	set_mode(fd);
	error = write_line(fd, "", record);
	if (close(fd) && !error)
		error = errno;
	if (!error && rename(temporary, target))
		error = errno;
	if (error)
		unlink(temporary);
	return error;
}

static int append_to_target(const char *target, struct json_object *record)
{
	const int fd = open(target, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC,
			    0666);
	int error;

	if (fd < 0)
		return errno;
	error = append_line(fd, record);
	if (close(fd) && !error)
		error = errno;
	return error;
}

/*
 * A signal, such as SIGKILL, may interrupt a write. So a separate process in its
 * own session writes the line: it completes even if this program is killed or its
 * terminal closed.
 */
static int write_apart(const struct record_file *file, char *temporary,
		       struct json_object *record)
{
	const pid_t writer = fork();
	sigset_t all;
	int status;

	if (writer < 0)
		return errno;
	if (!writer) {
		setsid();
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		_exit(file->replace ?
		      replace_by_line(file->target, temporary, record) :
		      append_to_target(file->target, record));
	}
	while (waitpid(writer, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

/**
 * record_file_add() - write a record, on one line
 * @file: open file
 * @record: the record
 *
 * After a failed write, further records are ignored; record_file_close() reports
 * the error.
 */
void record_file_add(struct record_file *file, struct json_object *record)
{
	char *temporary;

	if (file->error)
		return;
	if (file->fd >= 0) {
		file->error = write_line(file->fd, "", record);
		return;
	}
	if (asprintf(&temporary, "%s.XXXXXX", file->target) < 0) {
		file->error = ENOMEM;
		return;
	}
	file->error = write_apart(file, temporary, record);
	free(temporary);
	file->replace = false;
}

/**
 * record_file_close() - close a file of records
 * @file: open file
 * @err: why a record could not be written
 */
int record_file_close(struct record_file *file, struct units_error *err)
{
	if (file->fd >= 0 && close(file->fd) && !file->error)
		file->error = errno;
	free(file->directory);
	free(file->target);
	return file->error ? refuse(file, file->error, err) : 0;
}
