/* SPDX-License-Identifier: GPL-2.0 */
/*
 * command: a program whose first word selects a command.
 *
 * command_main() finds the command, copies its defaults, parses its words by
 * the option table, prints its help and turns refusals into exit statuses. The
 * command itself sees a finished configuration.
 */
#ifndef KTPUT_TOOLS_COMMAND_H
#define KTPUT_TOOLS_COMMAND_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"
#include "output.h"
#include "units.h"

/* Exit statuses. */
#define COMMAND_DONE	0
#define COMMAND_FAILED	1
#define COMMAND_USAGE	2

/**
 * struct command_context - context of a command
 * @out: output of results and diagnostics
 * @statistics: the user asked for more (-s)
 * @options: the command's table
 * @given: the options that were given, for options_given()
 * @words: the words of the command line, starting with the command
 * @word_count: number of words
 */
struct command_context {
	struct output *out;
	bool statistics;
	const struct options_table *options;
	struct options_set given;
	char *const *words;
	int word_count;
};

/**
 * struct command - one command of a program
 * @name: one word, or two separated by a blank
 * @summary: one line for the list of commands
 * @notes: closing lines of the command's help, or NULL
 * @options: its keywords
 * @defaults: the configuration before any keyword, or NULL for all zero
 * @config_size: size of the configuration in bytes
 * @check: refuse combinations as usage errors, or NULL
 * @run: run the command; returns COMMAND_DONE, or COMMAND_FAILED after output_error()
 */
struct command {
	const char *name;
	const char *summary;
	const char *notes;
	const struct options_table *options;
	const void *defaults;
	size_t config_size;
	int (*check)(const struct command_context *context, const void *config,
		     struct units_error *err);
	int (*run)(const struct command_context *context, const void *config);
};

/**
 * struct command_other - a command of another program
 * @name: the word
 * @summary: one line for the list of commands
 */
struct command_other {
	const char *name;
	const char *summary;
};

/**
 * struct command_program - a program and its commands
 * @name: of the program
 * @statistics: what -s adds, for the usage
 * @command: the commands, in the order of the usage
 * @count: number of commands
 * @name_width: columns of the commands' names in the usage
 * @habits: what people type who come from other tools, ended by one without @here;
 *	or NULL
 * @complete: print candidates for the last of @words, which is incomplete
 * @others: heading of the commands of other programs, or NULL
 * @other: commands of other programs in the usage, ended by one without a name
 * @run_other: run a command of another program with its words; "help" as the first
 *	word asks for its usage. Returns its exit status, or -1 if there is no such
 *	command. May be NULL
 * @explain_other: explain a keyword, as text, for each command of another program that
 *	has it. Returns true if one has. May be NULL
 */
struct command_program {
	const char *name;
	const char *statistics;
	const struct command *const *command;
	size_t count;
	int name_width;
	const struct options_habit *habits;
	void (*complete)(const struct command_program *program, int count,
			 char *const *words, FILE *to);
	const char *others;
	const struct command_other *other;
	int (*run_other)(const struct command_context *context,
			 char *const *words);
	bool (*explain_other)(const char *keyword);
};

/* Options before the command, ended by one without a name. */
extern const struct option command_options[];

const struct command *command_find(const struct command_program *program,
				   int count, char *const *words, int *used);
int command_main(const struct command_program *program, int argc, char **argv);

#endif
