/* SPDX-License-Identifier: GPL-2.0 */
/*
 * complete: the words that may follow those that are typed.
 *
 * A shell asks for them by "PROGRAM complete WORD...". The last word is the one
 * under way, perhaps an empty one. Each candidate is a line: the word, and after a
 * tab what it is. Where files may follow, that line is COMPLETE_FILES: the shell
 * knows better how their names are quoted.
 */
#ifndef KTPUT_TOOLS_COMPLETE_H
#define KTPUT_TOOLS_COMPLETE_H

#include <stdio.h>

#include "../base/command.h"

#define COMPLETE_FILES	":files"

void complete(const struct command_program *program, int count,
	      char *const *words, FILE *to);

#endif
