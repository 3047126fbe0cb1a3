// SPDX-License-Identifier: GPL-2.0
/* signature: whether this kernel loads unsigned modules. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "signature.h"

/* First line of a file, or an empty string. */
static void read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (!file)
		return;
	if (!fgets(line, size, file))
		line[0] = '\0';
	fclose(file);
}

/**
 * signature_asked_by() - find what makes this kernel require signed modules
 * @enforce: SIGNATURE_ENFORCE
 * @lockdown: SIGNATURE_LOCKDOWN; readable by root alone
 *
 * Return: its name, or NULL if neither file names anything
 */
const char *signature_asked_by(const char *enforce, const char *lockdown)
{
	char line[64];

	read_line(enforce, line, sizeof(line));
	if (line[0] == 'Y')
		return "module.sig_enforce";
	read_line(lockdown, line, sizeof(line));
	if (strstr(line, "[integrity]") || strstr(line, "[confidentiality]"))
		return "lockdown";
	return NULL;
}
