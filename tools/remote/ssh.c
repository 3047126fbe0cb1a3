// SPDX-License-Identifier: GPL-2.0
/* ssh: how commands of another host are run, and what is said when they are not. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../engines/child.h"
#include "far.h"
#include "ssh.h"

/* A shell command to use instead of ssh; its arguments are the host and a line. */
#define SSH_VARIABLE	"KTPUT_SSH"
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

/**
 * ssh_words() - how to have the shell of another host run a line
 * @words: filled in
 * @host: name of the host, as ssh takes it
 * @line: the line
 */
void ssh_words(struct ssh_words *words, const char *host, const char *line)
{
	const char *command = getenv(SSH_VARIABLE);
	const char *const ssh[SSH_WORDS] = {
		"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10",
		"--", host, line,
	};
	const char *const instead[SSH_WORDS] = {
		"/bin/sh", "-c", words->shell, SSH_VARIABLE, host, line,
	};

	snprintf(words->shell, sizeof(words->shell), "%s \"$@\"",
		 command ? command : "");
	/* execvp() does not change the words. */
	memcpy(words->word, command && command[0] ? instead : ssh,
	       sizeof(words->word));
}

/* The line of a shell that runs ktput-ctl with these words, whatever they are. */
static char *make_line(char *const *command)
{
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return NULL;
	fputs("exec ktput-ctl -j", line);
	for (; *command; command++) {
		fputs(" '", line);
		for (const char *at = *command; *at; at++)
			fprintf(line, *at == '\'' ? "'\\''" : "%c", *at);
		putc('\'', line);
	}
	fclose(line);
	return text;
}

static int run_there(struct said *said, const char *line, int output,
		     struct units_error *err)
{
	const int files[] = { open("/dev/null", O_RDONLY | O_CLOEXEC), output, said->fd };
	struct ssh_words words;
	struct child child;
	int ret;

	ssh_words(&words, said->host, line);
	ret = child_start_with(&child, words.word, files, err);
	close(files[0]);
	if (!ret)
		said->status = child_wait(&child);
	child_close(&child);
	return ret;
}

/**
 * ssh_document() - run a command of ktput-ctl on another host, with -j
 * @host: name of the host, as ssh takes it
 * @command: words of the command, and NULL
 * @document: set to what it prints, to be put with json_object_put()
 * @err: why there is none
 *
 * Return: its exit status, or -1 with a message in @err.
 */
int ssh_document(const char *host, char *const *command,
		 struct json_object **document, struct units_error *err)
{
	const int output = memfd_create("output", MFD_CLOEXEC);
	struct said said = {
		.host = host, .fd = memfd_create("said", MFD_CLOEXEC), .status = -1,
	};
	char *line = make_line(command);
	int ret = -1;

	*document = NULL;
	if (output < 0 || said.fd < 0 || !line) {
		units_refuse(err, "memory: %s", strerror(errno));
	} else if (!run_there(&said, line, output, err)) {
		*document = child_output_json(output);
		/* A refusal. */
		if (!*document)
			*document = child_output_json(said.fd);
		if (*document)
			ret = said.status;
		else
			said_refuse(&said, err);
	}
	free(line);
	if (output >= 0)
		close(output);
	if (said.fd >= 0)
		close(said.fd);
	return ret;
}
