// SPDX-License-Identifier: GPL-2.0
/* complete: complete a command line. */
#include <dirent.h>
#include <getopt.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "../host/cpus.h"
#include "../host/netns.h"
#include "commands.h"

#define NAMESPACES	"/run/netns"
#define CONGESTION	"/proc/sys/net/ipv4/tcp_available_congestion_control"
#define SINK		"sink-"

/*
 * A completion request: the partial word, the command, the configuration from its
 * complete words, and a second configuration to try a candidate.
 */
struct question {
	const struct command_program *program;
	const char *partial;
	FILE *to;
	const struct command *command;
	struct options_set given;
	void *config;
	void *trial;
};

/* Offer the first @length letters of @word if they start with the partial word. */
static void offer_part(const struct question *question, const char *word,
		       size_t length, const char *help)
{
	const size_t typed = strlen(question->partial);

	if (typed > length || strncmp(word, question->partial, typed))
		return;
	fprintf(question->to, "%.*s%s%s\n", (int)length, word, help ? "\t" : "",
		help ? help : "");
}

static void offer(const struct question *question, const char *word,
		  const char *help)
{
	offer_part(question, word, strlen(word), help);
}

/* The namespace given for the end whose device is completed, or NULL. */
static const char *namespace_of(const struct question *question,
				const struct options_entry *entry)
{
	const struct options_table *table = question->command->options;
	const bool sink = entry->keyword &&
			  !strncmp(entry->keyword, SINK, strlen(SINK));

	for (size_t i = 0; i < table->count; i++) {
		const struct options_entry *other = &table->entry[i];

		if (options_in(&question->given, i) &&
		    other->values == OPTIONS_NAMESPACES &&
		    sink == !strncmp(other->keyword, SINK, strlen(SINK)))
			return *(const char **)((char *)question->config +
						other->target);
	}
	return NULL;
}

static void offer_devices(const struct question *question,
			  const struct options_entry *entry)
{
	struct if_nameindex *devices;
	struct units_error ignored;
	struct netns_visit visit;

	if (netns_enter(&visit, namespace_of(question, entry), &ignored))
		return;
	devices = if_nameindex();
	netns_leave(&visit);
	for (size_t i = 0; devices && devices[i].if_index; i++)
		offer(question, devices[i].if_name, NULL);
	if_freenameindex(devices);
}

static void offer_namespaces(const struct question *question)
{
	DIR *names = opendir(NAMESPACES);
	struct dirent *name;

	while (names && (name = readdir(names)))
		if (name->d_name[0] != '.')
			offer(question, name->d_name, NULL);
	if (names)
		closedir(names);
}

static void offer_congestion(const struct question *question)
{
	FILE *from = fopen(CONGESTION, "re");
	char name[64];

	while (from && fscanf(from, "%63s", name) == 1)
		offer(question, name, NULL);
	if (from)
		fclose(from);
}

/* Complete the partial list: 0,2- becomes 0,2-3. */
static void offer_cpus(const struct question *question)
{
	const char *typed = question->partial;
	size_t length = strlen(typed);
	struct units_error ignored;
	struct units_cpus cpus;

	while (length && typed[length - 1] != ',' && typed[length - 1] != '-')
		length--;
	if (!length)
		offer(question, "all", NULL);
	if (cpus_online(&cpus, &ignored))
		return;
	UNITS_EACH_CPU(cpu, &cpus) {
		char word[256];

		snprintf(word, sizeof(word), "%.*s%u", (int)length, typed, cpu);
		offer(question, word, NULL);
	}
}

static bool applies(const struct question *question,
		    const struct options_entry *entry, const char *word)
{
	const struct command *command = question->command;
	const struct options_table *table = command->options;
	struct options_set given = question->given;
	struct units_error ignored;

	if (!table->applies)
		return true;
	options_add(&given, entry - table->entry);
	memcpy(question->trial, question->config, command->config_size);
	return (!word ||
		!entry->parse(word, entry,
			      (char *)question->trial + entry->target,
			      &ignored)) &&
	       table->applies(table, &given, question->trial);
}

static bool choice_applies(const struct question *question,
			   const struct options_entry *entry,
			   const struct options_choice *choice)
{
	return options_has_choice(question->command->options, choice) &&
	       applies(question, entry, choice->word);
}

static void offer_values(const struct question *question,
			 const struct options_entry *entry)
{
	for (const struct options_choice *choice = entry->choices;
	     choice && choice->word; choice++)
		if (choice_applies(question, entry, choice))
			offer(question, choice->word, choice->help);
	if (entry->parse == options_switch) {
		offer(question, "on", NULL);
		offer(question, "off", NULL);
	}
	switch (entry->values) {
	case OPTIONS_FILES:
		fputs(COMPLETE_FILES "\n", question->to);
		break;
	case OPTIONS_DEVICES:
		offer_devices(question, entry);
		break;
	case OPTIONS_NAMESPACES:
		offer_namespaces(question);
		break;
	case OPTIONS_CONGESTION:
		offer_congestion(question);
		break;
	case OPTIONS_CPUS:
		offer_cpus(question);
		break;
	default:
		break;
	}
}

/* Whether an entry may follow the words given so far. */
static bool is_open(const struct question *question,
		    const struct options_entry *entry)
{
	const struct options_table *table = question->command->options;

	for (size_t i = 0; i < table->count; i++)
		if (options_in(&question->given, i) &&
		    table->entry[i].target == entry->target)
			return false;
	if (!entry->choices)
		return applies(question, entry,
			       options_takes_value(entry) ? NULL : "");
	for (const struct options_choice *choice = entry->choices; choice->word;
	     choice++)
		if (choice_applies(question, entry, choice))
			return true;
	return false;
}

static void offer_keywords(const struct question *question)
{
	const struct options_table *table = question->command->options;

	for (size_t i = options_next(table, 0); i < table->count;
	     i = options_next(table, i + 1)) {
		const struct options_entry *entry = &table->entry[i];

		if (!is_open(question, entry))
			continue;
		if (entry->keyword)
			offer_part(question, entry->keyword,
				   strcspn(entry->keyword, " "), entry->help);
		else
			offer_values(question, entry);
	}
}

/*
 * Offer what may follow the complete words: the value of a keyword, the second word
 * of a keyword, or a keyword.
 */
static void answer(const struct question *question, int count,
		   char *const *words)
{
	for (int i = 0; i < count; i++) {
		const struct options_entry *entry =
			options_find(question->command->options, words[i]);
		const char *blank;

		/* Nothing follows an unknown word or the words of another program. */
		if (!entry || entry->rest)
			return;
		if (!entry->keyword)
			continue;
		blank = strchr(entry->keyword, ' ');
		if (blank && ++i == count) {
			offer(question, blank + 1, entry->help);
			return;
		}
		if (options_takes_value(entry) && ++i == count) {
			offer_values(question, entry);
			return;
		}
	}
	offer_keywords(question);
}

/* Offer the next word of a command's name: "atm" follows "wire". */
static void offer_names(const struct question *question, int count,
			char *const *words)
{
	const struct command_program *program = question->program;
	const char *last = NULL;

	for (size_t i = 0; i < program->count; i++) {
		const char *name = program->command[i]->name;
		size_t length;
		int at;

		for (at = 0; at < count; at++) {
			length = strlen(words[at]);
			if (strncmp(name, words[at], length) ||
			    name[length] != ' ')
				break;
			name += length + 1;
		}
		length = strcspn(name, " ");
		if (at < count || (last && !strncmp(name, last, length) &&
				   strcspn(last, " ") == length))
			continue;
		offer_part(question, name, length,
			   name[length] ? NULL : program->command[i]->summary);
		last = name;
	}
}

static void offer_others(const struct question *question)
{
	for (const struct command_other *other = question->program->other;
	     other && other->name; other++)
		offer(question, other->name, other->summary);
}

/* Offer the topics of help. The shell drops duplicates. */
static void offer_helped(const struct question *question)
{
	const struct command_program *program = question->program;

	offer_names(question, 0, NULL);
	offer_others(question);
	for (size_t i = 0; i < program->count; i++) {
		const struct options_table *table = program->command[i]->options;

		for (size_t j = options_next(table, 0); j < table->count;
		     j = options_next(table, j + 1))
			if (table->entry[j].keyword)
				offer_part(question, table->entry[j].keyword,
					   strcspn(table->entry[j].keyword, " "),
					   table->entry[j].help);
	}
}

static void offer_options(const struct question *question)
{
	for (const struct option *option = command_options; option->name;
	     option++) {
		char word[32];

		snprintf(word, sizeof(word), "--%s", option->name);
		offer(question, word, NULL);
		snprintf(word, sizeof(word), "-%c", option->val);
		offer(question, word, NULL);
	}
}

static void answer_command(struct question *question, int count,
			   char *const *words)
{
	const struct command *command = question->command;
	struct units_error ignored;

	question->config = calloc(1, command->config_size);
	question->trial = calloc(1, command->config_size);
	if (question->config && question->trial) {
		if (command->defaults)
			memcpy(question->config, command->defaults,
			       command->config_size);
		options_parse(command->options, count, words, question->config,
			      &question->given, &ignored);
		answer(question, count, words);
	}
	free(question->config);
	free(question->trial);
}

/**
 * complete() - print the candidates for the last word
 * @program: the program
 * @count: number of words
 * @words: the typed words; the last one is partial
 * @to: the stream
 */
void complete(const struct command_program *program, int count,
	      char *const *words, FILE *to)
{
	struct question question = { .program = program, .to = to };
	int used;

	if (!count)
		return;
	question.partial = words[--count];
	while (count && words[0][0] == '-') {
		words++;
		count--;
	}
	if (!count && question.partial[0] == '-') {
		offer_options(&question);
		return;
	}
	if (count == 1 && !strcmp(words[0], "help")) {
		offer_helped(&question);
		return;
	}
	offer_names(&question, count, words);
	question.command = command_find(program, count, words, &used);
	if (!question.command) {
		if (count)
			laboratory_complete(count + 1, words);
		else
			offer_others(&question);
		if (!count)
			offer(&question, "help", "what commands and keywords are");
		return;
	}
	if (count == used)
		offer(&question, "help", "what the command and its keywords are");
	answer_command(&question, count - used, words + used);
}
