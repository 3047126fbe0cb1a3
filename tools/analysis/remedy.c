// SPDX-License-Identifier: GPL-2.0
/* remedy: what may help, as a sentence and as rows that a program applies. */
#include <stdio.h>
#include <string.h>

#include "remedy.h"

/**
 * remedy_text() - join remedies to a sentence
 * @remedies: array that is ended by one without a text
 * @text: filled in
 * @size: of @text; REMEDY_TEXT is enough
 *
 * Return: @text.
 */
const char *remedy_text(const struct remedy *remedies, char *text, size_t size)
{
	text[0] = '\0';
	for (const struct remedy *one = remedies; one->what; one++) {
		const size_t length = strlen(text);

		snprintf(text + length, size - length, "%s%s",
			 one == remedies ? "" : one[1].what ? ", " : ", or ",
			 one->what);
	}
	return text;
}

/**
 * remedy_end() - name of who changes something
 * @end: who it is
 *
 * Return: a word.
 */
const char *remedy_end(enum remedy_end end)
{
	static const char *const words[] = {
		[REMEDY_SOURCE] = "source", [REMEDY_SINK] = "sink",
		[REMEDY_BOTH] = "both", [REMEDY_PATH] = "path",
		[REMEDY_DEMAND] = "demand",
	};

	return words[end];
}
