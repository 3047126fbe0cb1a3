/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paragraph: a wrapped sentence with a heading.
 */
#ifndef KTPUT_CTL_PARAGRAPH_H
#define KTPUT_CTL_PARAGRAPH_H

#include "output.h"

/* Column of the values in a report, and the remainder of 80 columns. */
#define PARAGRAPH_INDENT	17
#define PARAGRAPH_WIDTH		(80 - PARAGRAPH_INDENT)

void paragraph_at(struct output *out, int indent, const char *heading,
		  const char *sentence);
void paragraph_command(struct output *out, int indent, const char *command);
void paragraph_print(struct output *out, const char *heading,
		     const char *sentence);

#endif
