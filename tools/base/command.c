// SPDX-License-Identifier: GPL-2.0
/* command: a program whose first word selects a command. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "options.h"

/* Option letters. Options end at the first word that is not an option. */
#define LETTERS	"jpsVh"

const struct option command_options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "pretty", no_argument, NULL, 'p' },
	{ "statistics", no_argument, NULL, 's' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* One invocation of a program. */
struct call {
	const struct command_program *program;
	struct command_context context;
};

static void print_usage(const struct command_program *program, FILE *to)
{
	fprintf(to, "Usage: %s [ -j ] [ -p ] [ -s ] COMMAND [ KEYWORD VALUE ]...\n"
		"       %s -V | -h | help | help COMMAND | help KEYWORD | COMMAND help\n"
		"Options:\n"
		"  -j, --json        results and errors as JSON\n"
		"  -p, --pretty      JSON with line breaks, implies -j\n"
		"  -s, --statistics  %s\n"
		"  -V, --version     print the version\n"
		"  -h, --help        print this text\n"
		"Commands:\n", program->name, program->name,
		program->statistics);
	for (size_t i = 0; i < program->count; i++)
		fprintf(to, "  %-*s %s\n", program->name_width,
			program->command[i]->name,
			program->command[i]->summary);
	if (!program->others)
		return;
	fprintf(to, "%s:\n", program->others);
	for (const struct command_other *other = program->other; other->name;
	     other++)
		fprintf(to, "  %-*s %s\n", program->name_width, other->name,
			other->summary);
}

static void print_command_usage(const struct command_program *program,
				const struct command *command, FILE *to)
{
	char name[64];

	snprintf(name, sizeof(name), "%s %s", program->name, command->name);
	options_usage(command->options, name, to);
	if (command->notes)
		fprintf(to, "%s\n", command->notes);
}

/* Number of words that the command's name takes, 0 if they do not match. */
static int match(const char *name, int count, char *const *words)
{
	for (int i = 0; i < count; i++) {
		size_t length = strlen(words[i]);

		if (strncmp(name, words[i], length))
			return 0;
		if (!name[length])
			return i + 1;
		if (name[length] != ' ')
			return 0;
		name += length + 1;
	}
	return 0;
}

/**
 * command_find() - find the command whose name matches the most words
 * @program: the program
 * @count: number of words
 * @words: the words
 * @used: number of words in its name
 *
 * Return: the command, or NULL.
 */
const struct command *command_find(const struct command_program *program,
				   int count, char *const *words, int *used)
{
	const struct command *found = NULL;

	*used = 0;
	for (size_t i = 0; i < program->count; i++) {
		int matched = match(program->command[i]->name, count, words);

		if (matched > *used) {
			*used = matched;
			found = program->command[i];
		}
	}
	return found;
}

/* Only a hint: the full usage would scroll the error off most terminals. */
static void print_hint(const struct command_program *program,
		       const struct command *command)
{
	fprintf(stderr, "Try '%s%s%s help'.\n", program->name,
		command ? " " : "", command ? command->name : "");
}

/* With JSON diagnostics, print the error and nothing else. */
static int refuse(const struct call *call, const struct command *command,
		  const char *sentence)
{
	struct output *out = call->context.out;

	output_error(out, "%s", sentence);
	if (output_is_text(out))
		print_hint(call->program, command);
	return COMMAND_USAGE;
}

static int refuse_nothing(const struct call *call)
{
	struct output *out = call->context.out;
	/* What a server is started with elsewhere is an option here. */
	const char *server = call->context.statistics ?
		options_done_by(call->program->habits, "--server", NULL) : NULL;

	if (server)
		output_error(out, "no command is given; a server is '%s'", server);
	else
		output_error(out, "no command is given");
	if (output_is_text(out))
		print_usage(call->program, stderr);
	return COMMAND_USAGE;
}

/* An unknown command may belong to another program. To explain, a keyword will do. */
static int run_other(const struct call *call, char *const *words, bool explain)
{
	const struct command_program *program = call->program;
	const struct command_other *other = program->other;
	const char *meant = NULL;
	struct units_error err;
	int ret = -1;

	if (program->run_other)
		ret = program->run_other(&call->context, words);
	if (ret >= 0)
		return ret;
	for (size_t i = 0; i < program->count; i++) {
		options_guess(words[0], program->command[i]->name, &meant);
		if (explain)
			options_guess_keyword(program->command[i]->options,
					      words[0], &meant);
	}
	for (; other && other->name; other++)
		options_guess(words[0], other->name, &meant);
	units_refuse(&err, meant ? "unknown %s '%s'; did you mean '%s'?" :
		     "unknown %s '%s'", explain ? "command or keyword" :
		     "command", words[0], meant);
	return refuse(call, NULL, err.text);
}

static void list_command(const struct command *command, const char *keyword,
			 struct output *out)
{
	output_object_begin(out, NULL);
	output_data_string(out, "command", command->name);
	output_data_string(out, "summary", command->summary);
	options_list(command->options, keyword, out);
	output_object_end(out);
}

static int explain_command(const struct call *call,
			   const struct command *command)
{
	struct output *out = call->context.out;

	if (output_is_text(out)) {
		print_command_usage(call->program, command, stdout);
		return COMMAND_DONE;
	}
	output_array_begin(out, "commands");
	list_command(command, NULL, out);
	output_array_end(out);
	return COMMAND_DONE;
}

/* Explain a keyword for each command that has it; all keywords if NULL. */
static int explain_keyword(const struct call *call, const char *keyword)
{
	const struct command_program *program = call->program;
	struct output *out = call->context.out;

	output_array_begin(out, "commands");
	for (size_t i = 0; i < program->count; i++) {
		const struct command *command = program->command[i];

		if (keyword && !options_explains(command->options, keyword))
			continue;
		if (output_is_json(out)) {
			list_command(command, keyword, out);
			continue;
		}
		printf("%s %s:\n", program->name, command->name);
		options_help(command->options, keyword, stdout);
	}
	output_array_end(out);
	return COMMAND_DONE;
}

static bool is_keyword(const struct command_program *program, const char *word)
{
	for (size_t i = 0; i < program->count; i++)
		if (options_explains(program->command[i]->options, word))
			return true;
	return false;
}

static bool is_other(const struct command_program *program, const char *word)
{
	const struct command_other *other = program->other;

	while (other && other->name && strcmp(other->name, word))
		other++;
	return other && other->name;
}

/* As text, for commands of other programs too: they begin slowly, and come last. */
static bool explain_other(const struct call *call, const char *keyword)
{
	const struct command_program *program = call->program;

	if (!program->explain_other || output_is_json(call->context.out) ||
	    is_other(program, keyword))
		return false;
	fflush(stdout);
	return program->explain_other(keyword);
}

static int run_help(const struct call *call, int count, char *const *words)
{
	const struct command *command;
	bool known;
	int used;

	if (!count && output_is_text(call->context.out)) {
		print_usage(call->program, stdout);
		return COMMAND_DONE;
	}
	if (!count)
		return explain_keyword(call, NULL);
	command = command_find(call->program, count, words, &used);
	if (command)
		return explain_command(call, command);
	known = is_keyword(call->program, words[0]);
	if (known)
		explain_keyword(call, words[0]);
	if (explain_other(call, words[0]) || known)
		return COMMAND_DONE;
	return run_other(call, (char *const[]){ words[0], "help", NULL }, true);
}

static int run_parsed(struct call *call, const struct command *command,
		      int count, char *const *words, void *config)
{
	struct command_context *context = &call->context;
	struct units_error err;

	switch (options_parse(command->options, count, words, config,
			      &context->given, &err)) {
	case OPTIONS_HELP:
		return explain_command(call, command);
	case OPTIONS_REFUSED:
		return refuse(call, command, err.text);
	default:
		break;
	}
	if (command->check && command->check(context, config, &err))
		return refuse(call, command, err.text);
	return command->run(context, config);
}

static int run_command(struct call *call)
{
	struct command_context *context = &call->context;
	char *const *words = context->words;
	int count = context->word_count;
	const struct command *command;
	void *config;
	int used, ret;

	if (!count)
		return refuse_nothing(call);
	if (!strcmp(words[0], "help"))
		return run_help(call, count - 1, words + 1);
	/* For shell completion, so not in the usage. */
	if (call->program->complete && !strcmp(words[0], "complete")) {
		call->program->complete(call->program, count - 1, words + 1, stdout);
		return COMMAND_DONE;
	}
	command = command_find(call->program, count, words, &used);
	if (!command)
		return run_other(call, words, false);
	config = calloc(1, command->config_size);
	if (!config) {
		output_error(context->out, "out of memory");
		return COMMAND_FAILED;
	}
	if (command->defaults)
		memcpy(config, command->defaults, command->config_size);
	context->options = command->options;
	ret = run_parsed(call, command, count - used, words + used, config);
	free(config);
	return ret;
}

/* Explain the error that getopt_long() just returned. */
static void explain_option(const struct command_program *program,
			   char *const *argv, struct units_error *err)
{
	const char brief[] = { '-', (char)optopt, '\0' };
	const bool own = optopt && strchr(LETTERS, optopt);
	const char *word = optopt && !own ? brief : argv[optind - 1];
	const char *here = own ? NULL : options_done_by(program->habits, word, NULL);

	if (here)
		units_refuse(err, "unknown option '%s'; here that is '%s', behind a command",
			     word, here);
	else
		units_refuse(err, "unknown option '%s'", word);
}

static int print_version(const struct command_program *program)
{
	printf("%s " KTPUT_VERSION "\n", program->name);
	return COMMAND_DONE;
}

/*
 * If a standard stream is closed, the next open() would reuse its descriptor and
 * receive results. Occupy it with a descriptor that, as before, can neither be read
 * nor written.
 */
static int occupy_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY :
							   O_RDONLY) < 0)
			return -1;
	}
	return 0;
}

/**
 * command_main() - main function of a program
 * @program: the program
 * @argc: as for main()
 * @argv: as for main()
 *
 * Return: the exit status.
 */
int command_main(const struct command_program *program, int argc, char **argv)
{
	struct call call = { .program = program };
	enum output_form form = OUTPUT_TEXT;
	bool bad = false, help = false, version = false;
	struct units_error err;
	int letter, ret;

	if (occupy_standard_streams()) {
		perror("/dev/null");
		return COMMAND_FAILED;
	}
	/* Errors are printed here, in the selected form. */
	opterr = 0;
	while ((letter = getopt_long(argc, argv, "+" LETTERS, command_options,
				     NULL)) != -1) {
		switch (letter) {
		case 'j':
			if (form == OUTPUT_TEXT)
				form = OUTPUT_JSON;
			break;
		case 'p':
			form = OUTPUT_JSON_PRETTY;
			break;
		case 's':
			call.context.statistics = true;
			break;
		case 'V':
			version = true;
			break;
		case 'h':
			help = true;
			break;
		default:
			if (!bad)
				explain_option(program, argv, &err);
			bad = true;
		}
	}

	call.context.out = output_new(stdout, stderr, form, program->name);
	call.context.words = argv + optind;
	call.context.word_count = argc - optind;
	if (bad)
		ret = refuse(&call, NULL, err.text);
	else if (version)
		ret = print_version(program);
	else if (help)
		ret = run_help(&call, argc - optind, argv + optind);
	else
		ret = run_command(&call);
	if (output_free(call.context.out)) {
		fprintf(stderr, "%s: cannot write the results: %s\n",
			program->name, strerror(errno));
		return COMMAND_FAILED;
	}
	return ret;
}
