/* SPDX-License-Identifier: GPL-2.0 */
/* ssh: how commands of another host are run, and what is said when they are not. */
#ifndef KTPUT_REMOTE_SSH_H
#define KTPUT_REMOTE_SSH_H

#include <json-c/json.h>
#include <stdbool.h>

#include "../base/units.h"

/* Words of ssh and of what stands in for it, with NULL. */
#define SSH_WORDS	10

/**
 * struct ssh_words - a command that has the shell of another host run a line
 * @word: its words, and NULL
 * @shell: what stands in for ssh, if anything does
 */
struct ssh_words {
	char *word[SSH_WORDS];
	char shell[256];
};

void ssh_words(struct ssh_words *words, const char *host, const char *line);
int ssh_document(const char *host, char *const *command,
		 struct json_object **document, struct units_error *err);

/**
 * struct said - the last words of a connection
 * @host: the host for ssh
 * @fd: file that ssh and ktput-ctl there wrote their messages to
 * @status: exit status of ssh, negative if it has not ended
 * @connected: ktput-ctl there had answered before
 */
struct said {
	const char *host;
	int fd;
	int status;
	bool connected;
};

void said_clean(char *text);
void said_refuse(const struct said *said, struct units_error *err);

#endif
