// SPDX-License-Identifier: GPL-2.0
/* paragraph: a wrapped sentence with a heading. */
#include <string.h>

#include "paragraph.h"

/* Each line but the last ends in @more. */
static void fold(struct output *out, int indent, const char *heading,
		 const char *sentence, const char *more)
{
	const size_t width = PARAGRAPH_INDENT + PARAGRAPH_WIDTH - indent -
			     strlen(more);
	size_t length;

	do {
		length = strlen(sentence);
		if (length > width) {
			for (length = width; length && sentence[length] != ' ';)
				length--;
			if (!length)
				length = strcspn(sentence, " ");
		}
		output_text(out, "%-*s%.*s%s\n", indent, heading, (int)length,
			    sentence, sentence[length] ? more : "");
		heading = "";
		sentence += length;
		sentence += strspn(sentence, " ");
	} while (*sentence);
}

/**
 * paragraph_at() - print a sentence beside a column of headings, in text only
 * @out: the output
 * @indent: where the sentence begins
 * @heading: text before the first line
 * @sentence: words separated by single blanks
 */
void paragraph_at(struct output *out, int indent, const char *heading,
		  const char *sentence)
{
	fold(out, indent, heading, sentence, "");
}

/**
 * paragraph_command() - print a command that a shell takes as it stands, in text only
 * @out: the output
 * @indent: where it begins
 * @command: words separated by single blanks, none of them quoted
 */
void paragraph_command(struct output *out, int indent, const char *command)
{
	fold(out, indent, "", command, " \\");
}

/**
 * paragraph_print() - print a sentence at the usual column, in text only
 * @out: the output
 * @heading: text before the first line
 * @sentence: words separated by single blanks
 */
void paragraph_print(struct output *out, const char *heading,
		     const char *sentence)
{
	paragraph_at(out, PARAGRAPH_INDENT, heading, sentence);
}
