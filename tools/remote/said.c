// SPDX-License-Identifier: GPL-2.0
/* said: turn what ssh says into a sentence with what to do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../engines/child_output.h"
#include "far.h"
#include "said.h"

/* Exit status of a shell that does not find the command. */
#define NOT_FOUND	127
/* Longest line that is repeated. */
#define LINE_SIZE	160

/* What ssh says, in whatever line, and what to do. */
static const struct {
	const char *says;
	const char *before, *after;
} remedies[] = {
	{ "HOST IDENTIFICATION HAS CHANGED",
	  "find out why the key of that host has changed, then 'ssh-keygen -R ", "'" },
	{ "Permission denied",
	  "make 'ssh ", "' work without a question first" },
	{ "verification failed",
	  "make 'ssh ", "' work without a question first" },
	{ "not resolve", "give a name that 'ssh ", "' reaches" },
	{ "connect to host", "make 'ssh ", "' reach it first" },
};

/**
 * said_clean() - keep words of another host from controlling the terminal
 * @text: the words; control characters, C1 too, become blanks
 */
void said_clean(char *text)
{
	unsigned char before = 0;

	for (unsigned char *at = (unsigned char *)text; *at; at++) {
		/* C1 is U+0080 to U+009F. */
		const bool c1 = before == 0xc2 && *at >= 0x80 && *at < 0xa0;

		before = *at;
		if (c1)
			at[-1] = ' ';
		if (c1 || *at < ' ' || *at == 0x7f)
			*at = ' ';
	}
}

/* The last line, without what ktput-ctl or ssh put before it. */
static void last_line(char *text, char *line)
{
	static const char *const prefixes[] = { "ktput-ctl: ", "ssh: " };
	char *at = text + strlen(text);

	while (at > text && strchr("\r\n.", at[-1]))
		*--at = '\0';
	while (at > text && at[-1] != '\n')
		at--;
	for (size_t i = 0; i < COUNT(prefixes); i++)
		if (!strncmp(at, prefixes[i], strlen(prefixes[i])))
			at += strlen(prefixes[i]);
	snprintf(line, LINE_SIZE, "%s", at);
	said_clean(line);
}

static void refuse_first(const struct said *said, const char *text,
			 const char *line, struct units_error *err)
{
	const size_t count = COUNT(remedies);
	size_t i = 0;

	while (i < count && !strstr(text, remedies[i].says))
		i++;
	if (i < count)
		units_refuse(err, "%s: %s: %s%s%s", said->host, line,
			     remedies[i].before, said->host,
			     remedies[i].after);
	else if (strstr(line, FAR_COMMAND))
		units_refuse(err, "%s: an earlier ktput-ctl is there: install version "
			     KTPUT_VERSION " on both hosts", said->host);
	else
		units_refuse(err, "%s: %s", said->host, line[0] ? line :
			     said->status < 0 ?
			     "no answer within 30 s: does 'ssh' reach it?" :
			     "ssh ended without a word");
}

/**
 * said_refuse() - say why there is no connection, or no longer one
 * @said: what there is to know
 * @err: set to a sentence
 */
void said_refuse(const struct said *said, struct units_error *err)
{
	char *text = child_output_text(said->fd);
	char line[LINE_SIZE] = "";

	if (text)
		last_line(text, line);
	if (said->status == NOT_FOUND)
		units_refuse(err, "%s: ktput-ctl is not in the search path there: install "
			     KTPUT_VERSION, said->host);
	else if (said->connected)
		units_refuse(err, "%s: the connection broke%s%s: there is no result",
			     said->host, line[0] ? ": " : "", line);
	else
		refuse_first(said, text ? text : "", line, err);
	free(text);
}
