/* SPDX-License-Identifier: GPL-2.0 */
/* files: a directory for files that stand for those of the kernel. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char files_root[64];

/* Write a file below the files_root, and the folders on its way. */
static inline void files_put(const char *name, const char *text)
{
	char path[256];
	FILE *to;

	for (const char *slash = strchr(name, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		snprintf(path, sizeof(path), "%s/%.*s", files_root,
			 (int)(slash - name), name);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s/%s", files_root, name);
	to = fopen(path, "w");
	fputs(text, to);
	fclose(to);
}

static inline void files_begin(void)
{
	snprintf(files_root, sizeof(files_root), "/tmp/ktput_files.XXXXXX");
	if (!mkdtemp(files_root))
		TEST_FAIL("no directory %s", files_root);
}

static inline void files_end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", files_root);
	if (system(command))
		TEST_FAIL("cannot remove %s", files_root);
}

#endif
