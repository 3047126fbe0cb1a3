/* SPDX-License-Identifier: GPL-2.0 */
/*
 * options_help: documentation generated from a table of keywords.
 *
 * For a user it is a grammar and a line for each keyword, for a program a list of
 * objects. The manual pages are generated from the list.
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
