/* SPDX-License-Identifier: GPL-2.0 */
/*
 * complete: complete a command line.
 *
 * A shell runs "PROGRAM complete WORD...". The last word is partial and may be
 * empty. Each candidate is a line: the word, a tab and its description. If file
 * names may follow, the line is COMPLETE_FILES: the shell completes and quotes them.
 */
#ifndef KTPUT_TOOLS_COMPLETE_H
#define KTPUT_TOOLS_COMPLETE_H

#include <stdio.h>

#include "../base/command.h"

#define COMPLETE_FILES	":files"

void complete(const struct command_program *program, int count,
	      char *const *words, FILE *to);

#endif
