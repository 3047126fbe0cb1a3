/* SPDX-License-Identifier: GPL-2.0 */
/* outcome: run the built ktput-ctl, and keep its output and exit status. */
#ifndef KTPUT_SELFTESTS_OUTCOME_H
#define KTPUT_SELFTESTS_OUTCOME_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The outcome of a run of the tool. */
struct outcome {
	int status;
	char out[16384];
	char err[16384];
};

static inline void slurp(FILE *from, char *text, size_t size)
{
	rewind(from);
	text[fread(text, 1, size - 1, from)] = '\0';
	fclose(from);
}

static inline const char *tool(void)
{
	const char *path = getenv("KTPUT_CTL");

	return path ? path : "ktput-ctl";
}

static inline struct outcome run_words(const char *program, char *const *words)
{
	struct outcome outcome = { .status = -1 };
	FILE *out = tmpfile(), *err = tmpfile();
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		execvp(program, words);
		_exit(127);
	}
	if (waitpid(child, &status, 0) == child && WIFEXITED(status))
		outcome.status = WEXITSTATUS(status);
	slurp(out, outcome.out, sizeof(outcome.out));
	slurp(err, outcome.err, sizeof(outcome.err));
	return outcome;
}

/* Run the tool with the blank-separated words of @line. */
static inline struct outcome run(const char *line)
{
	char buffer[256], *words[32];
	int count = 0;
	char *save;

	snprintf(buffer, sizeof(buffer), "%s", line);
	words[count++] = "ktput-ctl";
	for (char *word = strtok_r(buffer, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		words[count++] = word;
	words[count] = NULL;
	return run_words(tool(), words);
}

/* Run a shell that knows the tool, in an empty directory of its own. */
static inline struct outcome run_shell(const char *script)
{
	char directory[] = "/tmp/test_ctl.XXXXXX", *text;
	struct outcome outcome = { .status = -1 };

	if (!mkdtemp(directory) ||
	    asprintf(&text, "ktput_ctl=$(realpath \"$(command -v %s)\");"
		     "cd %s; trap 'rm -r %s' EXIT; %s", tool(), directory,
		     directory, script) < 0)
		return outcome;
	outcome = run_words("sh", (char *[]){ "sh", "-c", text, NULL });
	free(text);
	return outcome;
}

#endif /* KTPUT_SELFTESTS_OUTCOME_H */
