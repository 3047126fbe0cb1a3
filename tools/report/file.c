// SPDX-License-Identifier: GPL-2.0
/* file: write what a command makes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "file.h"

/**
 * file_write() - write a whole file
 * @name: its name, or NULL for the standard output
 * @data: what goes into it
 * @size: bytes
 * @err: why it cannot be written
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int file_write(const char *name, const char *data, size_t size,
	       struct units_error *err)
{
	int error = 0;
	FILE *to;

	errno = 0;
	to = name ? fopen(name, "we") : stdout;
	if (!to || fwrite(data, 1, size, to) != size || fflush(to))
		error = errno ? errno : EIO;
	if (to && name && fclose(to) && !error)
		error = errno;
	if (!error)
		return 0;
	units_refuse(err, "%.90s: cannot be written: %s",
		     name ? name : "stdout", strerror(error));
	return -1;
}
