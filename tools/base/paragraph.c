// SPDX-License-Identifier: GPL-2.0
/* paragraph: a wrapped sentence with a heading. */
#include <string.h>

#include "paragraph.h"

/**
 * paragraph_print() - print a sentence, in text only
 * @out: the output
 * @heading: text before the first line
 * @sentence: words separated by single blanks
 */
void paragraph_print(struct output *out, const char *heading,
		     const char *sentence)
{
	size_t length;

	do {
		length = strlen(sentence);
		if (length > PARAGRAPH_WIDTH) {
			for (length = PARAGRAPH_WIDTH; length && sentence[length] != ' ';)
				length--;
			if (!length)
				length = strcspn(sentence, " ");
		}
		output_text(out, "%-*s%.*s\n", PARAGRAPH_INDENT, heading, (int)length,
			    sentence);
		heading = "";
		sentence += length;
		sentence += strspn(sentence, " ");
	} while (*sentence);
}
