// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl: control of the ktput module and what can be said without it. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define PROGRAM	"ktput-ctl"
#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const struct command *const commands[] = {
	&command_start,
	&command_pingpong,
	&command_sink,
	&command_stop,
	&command_show,
	&command_monitor,
	&command_ladder,
	&command_profile,
	&command_info,
	&command_wire,
	&command_wire_atm,
	&command_wire_pci,
	&command_wire_pcie,
	&command_wire_window,
};

static const struct option global_options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "pretty", no_argument, NULL, 'p' },
	{ "statistics", no_argument, NULL, 's' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static void print_usage(FILE *to)
{
	fputs("Usage: " PROGRAM
	      " [ -j ] [ -p ] [ -s ] COMMAND [ KEYWORD VALUE ]...\n"
	      "       " PROGRAM " -V | help | help COMMAND | COMMAND help\n"
	      "Options:\n"
	      "  -j, --json        results and errors as JSON\n"
	      "  -p, --pretty      JSON with line breaks, implies -j\n"
	      "  -s, --statistics  more detail\n"
	      "  -V, --version     print the version\n"
	      "Commands:\n", to);
	for (size_t i = 0; i < COUNT(commands); i++)
		fprintf(to, "  %-12s %s\n", commands[i]->name,
			commands[i]->summary);
}

static void print_command_usage(const struct command *command, FILE *to)
{
	char name[64];

	snprintf(name, sizeof(name), PROGRAM " %s", command->name);
	options_usage(command->options, name, to);
	if (command->notes)
		fprintf(to, "%s\n", command->notes);
}

/* How many of the words are the command's name, 0 where they are not. */
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

/* The command whose name is most of the words, and how many those are. */
static const struct command *find_command(int count, char *const *words,
					  int *used)
{
	const struct command *found = NULL;

	*used = 0;
	for (size_t i = 0; i < COUNT(commands); i++) {
		int matched = match(commands[i]->name, count, words);

		if (matched > *used) {
			*used = matched;
			found = commands[i];
		}
	}
	return found;
}

/* A JSON reader of the diagnostics gets the error and nothing around it. */
static int refuse(struct output *out, const struct command *command,
		  const char *sentence)
{
	output_error(out, "%s", sentence);
	if (!output_is_text(out))
		return COMMAND_USAGE;
	if (command)
		print_command_usage(command, stderr);
	else
		print_usage(stderr);
	return COMMAND_USAGE;
}

static int refuse_word(struct output *out, const char *word)
{
	struct units_error err;

	units_refuse(&err, "unknown command '%s'", word);
	return refuse(out, NULL, err.text);
}

static int run_help(struct output *out, int count, char *const *words)
{
	const struct command *command;
	int used;

	if (!count) {
		print_usage(stdout);
		return COMMAND_DONE;
	}
	command = find_command(count, words, &used);
	if (!command)
		return refuse_word(out, words[0]);
	print_command_usage(command, stdout);
	return COMMAND_DONE;
}

static int run_command(struct command_context *context, int count,
		       char *const *words)
{
	const struct command *command;
	struct units_error err;
	int used, ret;
	void *config;

	if (!count)
		return refuse(context->out, NULL, "no command is given");
	if (!strcmp(words[0], "help"))
		return run_help(context->out, count - 1, words + 1);
	command = find_command(count, words, &used);
	if (!command)
		return refuse_word(context->out, words[0]);

	config = calloc(1, command->config_size);
	if (!config) {
		output_error(context->out, "out of memory");
		return COMMAND_FAILED;
	}
	if (command->defaults)
		memcpy(config, command->defaults, command->config_size);
	context->options = command->options;
	switch (options_parse(command->options, count - used, words + used,
			      config, &context->given, &err)) {
	case OPTIONS_HELP:
		print_command_usage(command, stdout);
		ret = COMMAND_DONE;
		break;
	case OPTIONS_REFUSED:
		ret = refuse(context->out, command, err.text);
		break;
	default:
		if (command->check && command->check(context, config, &err))
			ret = refuse(context->out, command, err.text);
		else
			ret = command->run(context, config);
	}
	free(config);
	return ret;
}

int main(int argc, char **argv)
{
	struct command_context context = { 0 };
	enum output_form form = OUTPUT_TEXT;
	bool bad = false, help = false;
	struct output *out;
	int letter, ret;

	while ((letter = getopt_long(argc, argv, "+jpsVh", global_options,
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
			context.statistics = true;
			break;
		case 'V':
			puts(PROGRAM " " KTPUT_VERSION);
			return COMMAND_DONE;
		case 'h':
			help = true;
			break;
		default:
			bad = true;
		}
	}
	if (bad) {
		print_usage(stderr);
		return COMMAND_USAGE;
	}

	out = output_new(stdout, stderr, form, PROGRAM);
	context.out = out;
	context.words = argv + optind;
	context.word_count = argc - optind;
	if (help)
		ret = run_help(out, argc - optind, argv + optind);
	else
		ret = run_command(&context, argc - optind, argv + optind);
	if (output_free(out)) {
		fprintf(stderr, PROGRAM ": cannot write the results: %s\n",
			strerror(errno));
		return COMMAND_FAILED;
	}
	return ret;
}
