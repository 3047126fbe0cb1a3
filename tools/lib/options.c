// SPDX-License-Identifier: GPL-2.0
/* options: keyword arguments, described by a table. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

#define LINE_WIDTH	79
#define HELP_COLUMN	24

/* The rest of a keyword of two words, or NULL. */
static const char *second_word(const struct options_entry *entry)
{
	const char *blank = entry->keyword ? strchr(entry->keyword, ' ') : NULL;

	return blank ? blank + 1 : NULL;
}

static bool begins_with(const char *keyword, const char *word)
{
	size_t length = strlen(word);

	return strcspn(keyword, " ") == length &&
	       !strncmp(keyword, word, length);
}

static bool asks_for_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "--help") ||
	       !strcmp(word, "-h");
}

static const struct options_entry *find_entry(const struct options_table *table,
					      const char *word)
{
	const struct options_entry *positional = NULL;

	for (size_t i = 0; i < table->count; i++) {
		const struct options_entry *entry = &table->entry[i];

		if (!entry->keyword)
			positional = entry;
		else if (begins_with(entry->keyword, word))
			return entry;
	}
	return positional;
}

/* The entry already given that writes the field of @entry, or NULL. */
static const struct options_entry *find_rival(const struct options_table *table,
					      uint64_t given, size_t target)
{
	for (size_t i = 0; i < table->count; i++)
		if (given >> i & 1 && table->entry[i].target == target)
			return &table->entry[i];
	return NULL;
}

static const char *entry_name(const struct options_entry *entry)
{
	return entry->keyword ? entry->keyword : entry->argument;
}

static void refuse_unknown(const char *word, struct units_error *err)
{
	if (*word == '-')
		units_refuse(err, "unknown word '%s'; options precede the command",
			     word);
	else
		units_refuse(err, "unknown word '%s'", word);
}

static bool same_field(const struct options_table *table, size_t i, size_t j)
{
	return i < table->count && j < table->count &&
	       table->entry[i].target == table->entry[j].target;
}

/* "'a', 'b' or 'c' is missing": the entries of one field, from @first on. */
static void refuse_missing(const struct options_table *table, size_t first,
			   struct units_error *err)
{
	char names[sizeof(err->text)] = "";
	size_t last = first, length = 0;

	while (same_field(table, last, last + 1))
		last++;
	for (size_t i = first; i <= last && length < sizeof(names); i++)
		length += snprintf(names + length, sizeof(names) - length,
				   "%s'%s'", i == first ? "" :
				   i == last ? " or " : ", ",
				   entry_name(&table->entry[i]));
	units_refuse(err, "%s is missing", names);
}

static int check_required(const struct options_table *table, uint64_t given,
			  struct units_error *err)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct options_entry *entry = &table->entry[i];

		if (!entry->required ||
		    options_given(table, given, entry->target))
			continue;
		refuse_missing(table, i, err);
		return -1;
	}
	return 0;
}

/**
 * options_parse() - store the words in the command's configuration
 * @table: the options
 * @count: number of words
 * @words: the words; ended by NULL where an entry takes the rest of them
 * @config: the configuration, with its defaults; partly written on refusal
 * @given: set of the entries that the words named, for options_given()
 * @err: why they are refused
 *
 * Return: what became of the words.
 */
enum options_outcome options_parse(const struct options_table *table,
				   int count, char *const *words, void *config,
				   uint64_t *given, struct units_error *err)
{
	assert(table->count <= OPTIONS_MAX);
	*given = 0;
	for (int i = 0; i < count; i++) {
		const struct options_entry *entry, *rival;
		const char *word = words[i];
		struct units_error why;

		entry = find_entry(table, word);
		if (asks_for_help(word) && (!entry || !entry->keyword))
			return OPTIONS_HELP;
		if (!entry) {
			refuse_unknown(word, err);
			return OPTIONS_REFUSED;
		}
		rival = find_rival(table, *given, entry->target);
		if (rival == entry && !entry->many) {
			units_refuse(err, "'%s' is given twice",
				     entry_name(entry));
			return OPTIONS_REFUSED;
		}
		if (rival && rival != entry) {
			units_refuse(err, "'%s' contradicts '%s'",
				     entry_name(entry), entry_name(rival));
			return OPTIONS_REFUSED;
		}
		if (second_word(entry) &&
		    (++i == count || strcmp(words[i], second_word(entry)))) {
			units_refuse(err, "'%s' stands for nothing without '%s'",
				     word, second_word(entry));
			return OPTIONS_REFUSED;
		}
		if (entry->keyword && entry->argument && ++i == count) {
			units_refuse(err, "'%s' lacks its value, %s",
				     entry->keyword, entry->argument);
			return OPTIONS_REFUSED;
		}
		if (entry->rest) {
			*(char *const **)((char *)config + entry->target) =
				words + i;
			*given |= 1ULL << (entry - table->entry);
			break;
		}
		if (entry->parse(words[i], entry,
				 (char *)config + entry->target, &why)) {
			units_refuse(err, "%s: %s", entry_name(entry),
				     why.text);
			return OPTIONS_REFUSED;
		}
		*given |= 1ULL << (entry - table->entry);
	}
	return check_required(table, *given, err) ? OPTIONS_REFUSED :
						    OPTIONS_DONE;
}

/**
 * options_given() - whether the words named a field
 * @table: the options
 * @given: the set that options_parse() left
 * @target: offset of the field
 *
 * Return: true when one of the field's entries was given.
 */
bool options_given(const struct options_table *table, uint64_t given,
		   size_t target)
{
	return find_rival(table, given, target);
}

/* "[ tcp | udp ]": the entries of one field, from @i on. */
static size_t print_group(const struct options_table *table, size_t i,
			  char *text, size_t size)
{
	FILE *to = fmemopen(text, size, "w");
	bool required = table->entry[i].required;

	assert(to);
	fputs(required ? "" : "[ ", to);
	for (;; i++) {
		const struct options_entry *entry = &table->entry[i];

		fprintf(to, "%s%s%s", entry->keyword ? entry->keyword : "",
			entry->keyword && entry->argument ? " " : "",
			entry->argument ? entry->argument : "");
		if (!same_field(table, i, i + 1))
			break;
		fputs(" | ", to);
	}
	fputs(required ? "" : " ]", to);
	fclose(to);
	return i + 1;
}

static void print_help(const char *help, FILE *to)
{
	size_t width = LINE_WIDTH - HELP_COLUMN;

	while (strlen(help) > width) {
		size_t length = width;

		while (length && help[length] != ' ')
			length--;
		if (!length)
			break;
		fprintf(to, "%.*s\n%*s", (int)length, help, HELP_COLUMN, "");
		help += length + 1;
	}
	fprintf(to, "%s\n", help);
}

/* What does not fit goes on, from @indent on, after one of its "|". */
static int print_folded(const char *text, int indent, FILE *to)
{
	size_t width = LINE_WIDTH - indent - 1;

	while (strlen(text) > width) {
		size_t length = width;

		while (length && text[length - 1] != '|')
			length--;
		if (!length)
			break;
		fprintf(to, " %.*s\n%*s", (int)length, text, indent, "");
		text += length + 1;
	}
	return indent + fprintf(to, " %s", text);
}

/**
 * options_usage() - print the grammar of a command and what each option is
 * @table: the options
 * @command: program and command, as typed
 * @to: the stream
 */
void options_usage(const struct options_table *table, const char *command,
		   FILE *to)
{
	int indent = strlen("Usage: ") + strlen(command);
	int column = indent;
	size_t i = 0;

	fprintf(to, "Usage: %s", command);
	while (i < table->count) {
		char text[LINE_WIDTH];

		i = print_group(table, i, text, sizeof(text));
		if (column + 1 + (int)strlen(text) <= LINE_WIDTH) {
			column += fprintf(to, " %s", text);
			continue;
		}
		if (column > indent)
			fprintf(to, "\n%*s", indent, "");
		column = print_folded(text, indent, to);
	}
	fputs("\n", to);
	for (i = 0; i < table->count; i++) {
		const struct options_entry *entry = &table->entry[i];
		int length;

		length = fprintf(to, "  %s%s%s",
				 entry->keyword ? entry->keyword : "",
				 entry->keyword && entry->argument ? " " : "",
				 entry->argument ? entry->argument : "");
		if (length + 2 > HELP_COLUMN)
			fprintf(to, "\n%*s", HELP_COLUMN, "");
		else
			fprintf(to, "%*s", HELP_COLUMN - length, "");
		print_help(entry->help, to);
	}
}

int options_set(const char *word, const struct options_entry *entry,
		void *target, struct units_error *err)
{
	(void)word;
	(void)err;
	*(unsigned int *)target = entry->value;
	return 0;
}

int options_choice(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err)
{
	for (unsigned int i = 0; entry->choices[i]; i++) {
		if (strcmp(entry->choices[i], word))
			continue;
		*(unsigned int *)target = i;
		return 0;
	}
	units_refuse(err, "'%s' is none of %s", word, entry->argument);
	return -1;
}

int options_switch(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err)
{
	bool on = !strcmp(word, "on");

	(void)entry;
	if (!on && strcmp(word, "off")) {
		units_refuse(err, "'%s' is neither on nor off", word);
		return -1;
	}
	*(bool *)target = on;
	return 0;
}

int options_word(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err)
{
	(void)entry;
	if (!*word) {
		units_refuse(err, "the word is empty");
		return -1;
	}
	*(const char **)target = word;
	return 0;
}

int options_words(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err)
{
	struct options_words *words = target;

	if (words->count == OPTIONS_WORDS_MAX) {
		units_refuse(err, "more than %d are given", OPTIONS_WORDS_MAX);
		return -1;
	}
	return options_word(word, entry, &words->word[words->count++], err);
}

int options_count(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err)
{
	return units_parse_count(word, entry->min, entry->max, target, err);
}

int options_size(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err)
{
	return units_parse_size(word, entry->min, entry->max, target, err);
}

int options_bitrate(const char *word, const struct options_entry *entry,
		    void *target, struct units_error *err)
{
	return units_parse_bitrate(word, entry->min, entry->max, target, err);
}

int options_time(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err)
{
	return units_parse_time(word, entry->min, entry->max, target, err);
}

int options_port(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err)
{
	(void)entry;
	return units_parse_port(word, target, err);
}

int options_percent(const char *word, const struct options_entry *entry,
		    void *target, struct units_error *err)
{
	(void)entry;
	return units_parse_percent(word, target, err);
}

int options_rate(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err)
{
	(void)entry;
	return units_parse_rate(word, target, err);
}

int options_sizes(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err)
{
	return units_parse_sizes(word, entry->min, entry->max, target, err);
}

int options_counts(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err)
{
	return units_parse_counts(word, entry->min, entry->max, target, err);
}

int options_span(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err)
{
	return units_parse_span(word, entry->min, entry->max, target, err);
}

int options_cpus(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err)
{
	(void)entry;
	return units_parse_cpus(word, target, err);
}
