/* SPDX-License-Identifier: GPL-2.0 */
/* What plugins of QEMU share: a table, and reports in FILE.0, FILE.1 and so on. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static const char *plugin_out;

/* Open the next report; NULL after an error, which is shown. */
static FILE *plugin_report(void)
{
	static unsigned int reports;
	char name[4096];
	FILE *file;

	snprintf(name, sizeof(name), "%s.%u", plugin_out, reports++);
	file = fopen(name, "w");
	if (!file)
		perror(name);
	return file;
}

/* Take the argument out=FILE, and make a table; NULL if either is not there. */
static void *plugin_table(int argc, char **argv, size_t count, size_t size)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return NULL;
	plugin_out = strdup(argv[0] + 4);
	return plugin_out ? calloc(count, size) : NULL;
}

#endif /* PLUGIN_H */
