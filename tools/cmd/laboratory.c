// SPDX-License-Identifier: GPL-2.0
/* laboratory: run commands that are separate Python programs. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"

/* Environment variable that names the ktput-ctl for the Python program to run. */
#define VARIABLE	"KTPUT_CTL"

#define PACKAGES	"python3, python3-numpy, python3-scipy, python3-matplotlib and python3-jinja2"

/* -j or -p, -s, -- and NULL, in addition to the program's name and the words. */
#define WORDS_MORE	5

const struct command_other laboratory_commands[] = {
	{ "ladder", "send the same traffic at each layer; report what each layer costs" },
	{ "compare", "compare the ladder on other kernels or setups, in instructions" },
	{ "scenario", "repeat a published experiment, and compare with its figures" },
	{ "mesh", "every host to every other, pair by pair" },
	{ "ab", "run two command lines in turn; report the difference" },
	{ "improve", "try what may help a run, keep what does, and say what it gained" },
	{ "load", "round trips before, during and after a load, and what queued" },
	{ 0 },
};

static bool is_known(const char *word)
{
	for (const struct command_other *other = laboratory_commands;
	     other->name; other++)
		if (!strcmp(other->name, word))
			return true;
	return false;
}

/*
 * Find the program of a command: next to this program in a build tree, or in libexec
 * after make install.
 */
static int find(const char *self, const char *word, char *path, size_t size)
{
	static const char *const places[] = { "", "../libexec/ktput/" };
	const int folder = strrchr(self, '/') + 1 - self;

	for (size_t i = 0; i < COUNT(places); i++) {
		const int length = snprintf(path, size, "%.*s%sktput-%s",
					    folder, self, places[i], word);

		if (length > 0 && (size_t)length < size && !access(path, X_OK))
			return 0;
	}
	return -1;
}

static char **make_line(const struct command_context *context, char *path,
			char *const *words)
{
	const enum output_form form = output_form_of(context->out);
	size_t count = 0, length = 0;
	char **line;

	while (words[count])
		count++;
	line = calloc(count + WORDS_MORE, sizeof(*line));
	if (!line)
		return NULL;
	line[length++] = path;
	if (form != OUTPUT_TEXT)
		line[length++] = form == OUTPUT_JSON ? "-j" : "-p";
	if (context->statistics)
		line[length++] = "-s";
	/* The command refuses words that look like options. */
	line[length++] = "--";
	memcpy(line + length, words + 1, (count - 1) * sizeof(*line));
	return line;
}

/* The path of ktput-ctl and of the program of a command. */
static int find_both(const char *word, char *self, char *path)
{
	const ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);

	if (length < 0)
		return -1;
	self[length] = '\0';
	return strchr(self, '/') ? find(self, word, path, PATH_MAX) : -1;
}

/**
 * laboratory_complete() - let the program of a command print the candidates
 * @count: number of words
 * @words: the command, its words, and the last one, which is partial
 *
 * It prints them in the place of this program, and returns if there is none.
 */
void laboratory_complete(int count, char *const *words)
{
	char self[PATH_MAX], path[PATH_MAX];
	char **line = calloc(count + 2, sizeof(*line));

	if (line && is_known(words[0]) && !find_both(words[0], self, path) &&
	    !setenv(VARIABLE, self, 1)) {
		line[0] = path;
		line[1] = (char *)"complete";
		memcpy(line + 2, words + 1, (count - 1) * sizeof(*line));
		execv(path, line);
	}
	free(line);
}

/* Let a program explain a keyword on the standard output; true if it has it. */
static bool explain(char *path, const char *keyword)
{
	char *const line[] = { path, (char *)"explain", (char *)keyword, NULL };
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	/* What it lacks, such as a package, is said where it is run. */
	if (posix_spawn_file_actions_init(&actions))
		return false;
	if (!posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
					      O_WRONLY, 0) &&
	    !posix_spawn(&pid, path, &actions, NULL, line, environ))
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	posix_spawn_file_actions_destroy(&actions);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/**
 * laboratory_explain() - explain a keyword for each command that has it
 * @keyword: the keyword
 *
 * Return: true if one has it.
 */
bool laboratory_explain(const char *keyword)
{
	char self[PATH_MAX], path[PATH_MAX];
	bool any = false;

	for (const struct command_other *other = laboratory_commands;
	     other->name; other++)
		if (!find_both(other->name, self, path) &&
		    !setenv(VARIABLE, self, 1))
			any |= explain(path, keyword);
	return any;
}

/**
 * laboratory_run() - execute the program of a command
 * @context: context of ktput-ctl
 * @words: the command and its words, terminated by NULL
 *
 * As with git, the program of WORD is ktput-WORD.
 *
 * Return: -1 if there is no such command, COMMAND_FAILED after an error.
 */
int laboratory_run(const struct command_context *context, char *const *words)
{
	char self[PATH_MAX], path[PATH_MAX];
	char **line;

	if (strchr(words[0], '/') || !words[0][0])
		return -1;
	if (find_both(words[0], self, path)) {
		if (!is_known(words[0]))
			return -1;
		output_error(context->out,
			     "'%s' is a command of the laboratory, which is not installed: 'make install' of ktput does, and it takes "
			     PACKAGES, words[0]);
		return COMMAND_FAILED;
	}
	line = make_line(context, path, words);
	if (line && !setenv(VARIABLE, self, 1))
		execv(path, line);
	output_error(context->out, "'%s' cannot be run: %s; it takes " PACKAGES,
		     path, strerror(errno));
	free(line);
	return COMMAND_FAILED;
}
