/* SPDX-License-Identifier: GPL-2.0 */
/*
 * options_help: what a table of keywords tells of itself.
 *
 * To a user it is a grammar and a line for each keyword, to a program a list of
 * objects. The manual is made from the latter.
 */
#ifndef KTPUT_TOOLS_OPTIONS_HELP_H
#define KTPUT_TOOLS_OPTIONS_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"
#include "output.h"

bool options_explains(const struct options_table *table, const char *keyword);
void options_help(const struct options_table *table, const char *keyword,
		  FILE *to);
void options_usage(const struct options_table *table, const char *command,
		   FILE *to);
void options_list(const struct options_table *table, const char *keyword,
		  struct output *out);

#endif
