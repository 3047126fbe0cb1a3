// SPDX-License-Identifier: GPL-2.0
/* remote: a command line for this program on another host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../engines/child.h"
#include "../engines/child_output.h"
#include "remote.h"

#define PROGRAM		"ktput-ctl"
#define VARIABLE	"KTPUT_SSH"

/* Status of a shell that does not find what it is to run. */
#define NOT_FOUND	127

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* A connection that is dead is noticed within a quarter of a minute. */
static const char *const ssh[] = {
	"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10",
	"-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "--",
};

/* As one word for a shell: a quote ends what is quoted, and is quoted itself. */
static void quote(FILE *to, const char *word)
{
	fputs(" '", to);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", to);
		else
			fputc(*word, to);
	fputc('\'', to);
}

static char *far_text(const char *const *words)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs("exec " PROGRAM, to);
	for (; *words; words++)
		quote(to, *words);
	return fclose(to) ? NULL : text;
}

static int out_of_memory(struct units_error *err)
{
	units_refuse(err, "out of memory");
	return -1;
}

/* The words of a local run, for this program. */
static int make_near(struct remote_line *line, const char *const *words,
		     struct units_error *err)
{
	size_t count = 0;

	line->word[count++] = "/proc/self/exe";
	for (; *words; words++) {
		if (count == REMOTE_WORDS_MAX - 1) {
			units_refuse(err, "too many words for a run");
			return -1;
		}
		line->word[count++] = (char *)*words;
	}
	return 0;
}

/**
 * remote_line_make() - a command line that runs this program
 * @line: filled in; for remote_line_free()
 * @host: where, as ssh takes it, or NULL for here
 * @words: what follows the name of the program, ended by NULL; they stay
 * @err: why that cannot be
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int remote_line_make(struct remote_line *line, const char *host,
		     const char *const *words, struct units_error *err)
{
	const char *instead = getenv(VARIABLE);
	size_t count = 0;

	*line = (struct remote_line){ 0 };
	if (!host)
		return make_near(line, words, err);
	line->text = far_text(words);
	if (!line->text)
		return out_of_memory(err);
	if (instead && *instead) {
		if (asprintf(&line->shell, "%s \"$@\"", instead) < 0) {
			line->shell = NULL;
			return out_of_memory(err);
		}
		line->word[count++] = "/bin/sh";
		line->word[count++] = "-c";
		line->word[count++] = line->shell;
		line->word[count++] = VARIABLE;
	} else {
		for (; count < COUNT(ssh); count++)
			line->word[count] = (char *)ssh[count];
	}
	line->word[count++] = (char *)host;
	line->word[count++] = line->text;
	return 0;
}

/**
 * remote_line_free() - let go of a command line
 * @line: command line, or zeroes
 */
void remote_line_free(struct remote_line *line)
{
	free(line->text);
	free(line->shell);
}

/**
 * remote_explain() - say why a command line has no result
 * @host: where it was run, or NULL for here
 * @status: its exit status
 * @diagnostics: file of what it said to its standard error
 * @why: filled in
 */
void remote_explain(const char *host, int status, int diagnostics,
		    struct units_error *why)
{
	char line[256];

	if (host && status == NOT_FOUND)
		snprintf(line, sizeof(line),
			 PROGRAM " is not in the search path there");
	else if (child_output_complaint(diagnostics, line, sizeof(line)))
		snprintf(line, sizeof(line), "it printed no result");
	units_refuse(why, "%s%s%s", host ? host : "", host ? ": " : "", line);
}

static int compare(const char *host, int results, struct units_error *err)
{
	static const char own[] = PROGRAM " " KTPUT_VERSION;
	char said[64];

	if (child_output_line(results, said, sizeof(said)))
		said[0] = '\0';
	if (!strcmp(said, own))
		return 0;
	units_refuse(err, "%s: '%s' is there, this is '%s'", host, said, own);
	return -1;
}

/* What this program prints there is in @files, unless it fails. */
static int ask(const char *host, const char *const *words, const int *files,
	       struct units_error *err)
{
	struct remote_line line;
	struct child child;
	int ret, status;

	ret = remote_line_make(&line, host, words, err);
	if (!ret)
		ret = child_start(&child, line.word, files, err);
	if (!ret) {
		child_await(&child);
		status = child_wait(&child);
		child_close(&child);
		if (status)
			remote_explain(host, status, files[1], err);
		ret = status ? -1 : 0;
	}
	remote_line_free(&line);
	return ret;
}

/**
 * remote_check() - whether this version of this program, and the module, are there
 * @host: where, as ssh takes it
 * @err: why not
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int remote_check(const char *host, struct units_error *err)
{
	static const char *const version[] = { "--version", NULL };
	static const char *const info[] = { "-j", "info", NULL };
	int files[CHILD_FILES];
	int ret;

	if (child_output_open(files, err))
		return -1;
	ret = ask(host, version, files, err);
	if (!ret)
		ret = compare(host, files[0], err);
	child_output_close(files);
	if (ret || child_output_open(files, err))
		return -1;
	ret = ask(host, info, files, err);
	child_output_close(files);
	return ret;
}
