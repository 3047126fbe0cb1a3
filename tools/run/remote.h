/* SPDX-License-Identifier: GPL-2.0 */
/*
 * remote: a command line for this program on another host.
 *
 * It is run by ssh, or by what the variable KTPUT_SSH of the environment says: a
 * shell command that is given the host and, as one word, the command line.
 */
#ifndef KTPUT_CTL_REMOTE_H
#define KTPUT_CTL_REMOTE_H

#include <stddef.h>

#include "../base/units.h"

#define REMOTE_WORDS_MAX	80

/**
 * struct remote_line - a command line
 * @word: words, ended by NULL
 * @text: what the far end's shell is given, for free()
 * @shell: what the near end's shell is given, for free()
 */
struct remote_line {
	char *word[REMOTE_WORDS_MAX];
	char *text;
	char *shell;
};

int remote_line_make(struct remote_line *line, const char *host,
		     const char *const *words, struct units_error *err);
void remote_line_free(struct remote_line *line);
void remote_explain(const char *host, int status, int diagnostics,
		    struct units_error *why);
int remote_check(const char *host, struct units_error *err);

#endif
