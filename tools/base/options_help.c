// SPDX-License-Identifier: GPL-2.0
/* options_help: documentation generated from a table of keywords. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

#define LINE_WIDTH	79
#define HELP_COLUMN	24
/* Transports, or ends: of one kind no more are named where something has a meaning. */
#define PLACES_MAX	2

/* Description of an entry in one line. */
struct description {
	char text[600];
};

/* Parsers of numbers with bounds, and how to print the bounds. */
static const struct {
	int (*parse)(const char *word, const struct options_entry *entry,
		     void *target, struct units_error *err);
	struct units_text (*show)(uint64_t number);
} numbers[] = {
	{ options_count, NULL },
	{ options_size, units_show_size },
	{ options_time, units_show_time },
};

/* True if a number has bounds other than those of its type. */
static bool find_bounds(const struct options_entry *entry, uint64_t *min,
			uint64_t *max)
{
	*min = entry->min;
	*max = entry->max;
	return *max && *max != UINT32_MAX && *max < INT64_MAX;
}

static struct units_text show_bound(const struct options_entry *entry,
				    uint64_t number)
{
	struct units_text text = { "" };

	for (size_t i = 0; i < COUNT(numbers); i++)
		if (numbers[i].parse == entry->parse && numbers[i].show)
			return numbers[i].show(number);
	snprintf(text.text, sizeof(text.text), "%" PRIu64, number);
	return text;
}

/* "help, 1 to 64 (default: 1)" */
static struct description describe(const struct options_entry *entry)
{
	struct description all;
	uint64_t min, max;
	size_t length;

	length = snprintf(all.text, sizeof(all.text), "%s", entry->help);
	if (find_bounds(entry, &min, &max))
		length += snprintf(all.text + length,
				   sizeof(all.text) - length, ", %s to %s",
				   show_bound(entry, min).text,
				   show_bound(entry, max).text);
	if (entry->otherwise)
		length += snprintf(all.text + length,
				   sizeof(all.text) - length, " (default: %s)",
				   entry->otherwise);
	assert(length < sizeof(all.text));
	return all;
}

static int print_entry(const struct options_table *table,
		       const struct options_entry *entry, FILE *to)
{
	return fprintf(to, "%s%s%s", entry->keyword ? entry->keyword : "",
		       entry->keyword && options_takes_value(entry) ? " " : "",
		       options_argument(table, entry).text);
}

/* "[ tcp | udp ]": the entries of one field, starting with @i. */
static size_t print_group(const struct options_table *table, size_t i,
			  char *text, size_t size)
{
	FILE *to = fmemopen(text, size, "w");
	bool required = table->entry[i].required;

	assert(to);
	fputs(required ? "" : "[ ", to);
	for (;;) {
		print_entry(table, &table->entry[i], to);
		if (options_next_of_field(table, i) == table->count)
			break;
		fputs(" | ", to);
		i = options_next_of_field(table, i);
	}
	fputs(required ? "" : " ]", to);
	fclose(to);
	return options_next(table, i + 1);
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

/* Continues on the next line at @indent, after a "|", if the text is too long. */
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

/* What stands behind @length columns of a line, in the column of help. */
static void print_beside(int length, const char *help, FILE *to)
{
	if (length + 2 > HELP_COLUMN)
		fprintf(to, "\n%*s", HELP_COLUMN, "");
	else
		fprintf(to, "%*s", HELP_COLUMN - length, "");
	print_help(help, to);
}

/* Whether the command of a table has a place. */
static bool has_place(const struct options_table *table,
		      const struct options_place *place)
{
	return !place->commands || place->commands & table->command;
}

/* Whether two places are of one kind: transports, sources or sinks. */
static bool is_alike(const struct options_place *one,
		     const struct options_place *other)
{
	return !strchr(one->words, ' ') == !strchr(other->words, ' ') &&
	       options_begins(one->words, "sink-layer") ==
	       options_begins(other->words, "sink-layer");
}

/*
 * Whether it is worth saying that something has a meaning in a place: not if it has
 * one in all places of that kind, or in many.
 */
static bool is_told(const struct options_table *table,
		    const struct options_place *place, unsigned int where)
{
	const struct options_place *one;
	unsigned int all = 0, count = 0;

	for (one = table->places; one->words; one++) {
		if (!has_place(table, one) || !is_alike(one, place))
			continue;
		all++;
		count += !!(one->place & where);
	}
	return place->place & where && has_place(table, place) &&
	       count < all && count <= PLACES_MAX;
}

/* "udp, layer socket": what is worth saying of where something has a meaning. */
static struct description tell_places(const struct options_table *table,
				      unsigned int where)
{
	const struct options_place *place = table->places;
	struct description all = { "" };
	size_t length = 0;

	for (; where && place && place->words; place++)
		if (is_told(table, place, where))
			length += snprintf(all.text + length,
					   sizeof(all.text) - length, "%s%s",
					   length ? ", " : "", place->words);
	return all;
}

/* "help (udp, layer socket)" */
static struct description describe_choice(const struct options_table *table,
					  const struct options_choice *choice)
{
	const struct description places = tell_places(table, choice->where);
	struct description all;

	snprintf(all.text, sizeof(all.text), *places.text ? "%s (%s)" : "%s",
		 choice->help, places.text);
	return all;
}

/* Whether a command has a choice, with help. */
static bool is_explained(const struct options_table *table,
			 const struct options_choice *choice)
{
	return choice->help && options_has_choice(table, choice);
}

/* A line for each choice that has help, or for that of one word. */
static void print_choices(const struct options_table *table,
			  const struct options_entry *entry, const char *word,
			  FILE *to)
{
	for (const struct options_choice *choice = entry->choices;
	     choice && choice->word; choice++) {
		int length;

		if (!is_explained(table, choice) ||
		    (word && strcmp(word, choice->word)))
			continue;
		length = word ? fprintf(to, "  %s %s", entry->keyword, word) :
				fprintf(to, "    %s", choice->word);
		print_beside(length, describe_choice(table, choice).text, to);
	}
}

static void print_keyword(const struct options_table *table,
			  const struct options_entry *entry, FILE *to)
{
	int length = fprintf(to, "  ");

	length += print_entry(table, entry, to);
	print_beside(length, describe(entry).text, to);
	print_choices(table, entry, NULL, to);
}

/* Heading of an entry: its own, or that of a previous one. */
static const char *heading_of(const struct options_table *table, size_t i)
{
	while (i && !table->entry[i].group)
		i--;
	return table->entry[i].group;
}

/**
 * options_usage() - print the grammar of a command and a line for each option
 * @table: the options
 * @command: program and command, as typed
 * @to: the stream
 */
void options_usage(const struct options_table *table, const char *command,
		   FILE *to)
{
	int indent = strlen("Usage: ") + strlen(command);
	const char *group = NULL;
	int column = indent;
	size_t i = options_next(table, 0);

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
	for (i = options_next(table, 0); i < table->count;
	     i = options_next(table, i + 1)) {
		const char *heading = heading_of(table, i);

		if (heading && heading != group)
			fprintf(to, "%s\n", heading);
		group = heading;
		print_keyword(table, &table->entry[i], to);
	}
}

/* Whether a word is among those of a list that blanks separate. */
static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	while (list && strncmp(list, word, length + 1) &&
	       (strncmp(list, word, length) || list[length] != ' ')) {
		list = strchr(list, ' ');
		list = list ? list + 1 : NULL;
	}
	return list;
}

static bool is(const struct options_entry *entry, const char *keyword)
{
	return (entry->keyword && options_begins(entry->keyword, keyword)) ||
	       has_word(entry->words, keyword);
}

/* Whether the entry has the choice, with help. */
static bool may_be(const struct options_table *table,
		   const struct options_entry *entry, const char *word)
{
	const struct options_choice *choice =
		entry->choices ? options_find_choice(entry, word) : NULL;

	return choice && is_explained(table, choice);
}

/* Whether a word is of the entry: its keyword, or a choice of its value. */
static bool is_about(const struct options_table *table,
		     const struct options_entry *entry, const char *word)
{
	return is(entry, word) || may_be(table, entry, word);
}

/**
 * options_explains() - whether a command has a keyword
 * @table: the options
 * @keyword: the keyword, or the first word of it, or a choice of its value
 *
 * Return: true if it has.
 */
bool options_explains(const struct options_table *table, const char *keyword)
{
	for (size_t i = options_next(table, 0); i < table->count;
	     i = options_next(table, i + 1))
		if (is_about(table, &table->entry[i], keyword))
			return true;
	return false;
}

/**
 * options_help() - explain a keyword of a command
 * @table: the options
 * @keyword: the keyword, or the first word of it, or a choice of its value
 * @to: the stream
 */
void options_help(const struct options_table *table, const char *keyword,
		  FILE *to)
{
	for (size_t i = options_next(table, 0); i < table->count;
	     i = options_next(table, i + 1))
		if (is(&table->entry[i], keyword))
			print_keyword(table, &table->entry[i], to);
		else if (may_be(table, &table->entry[i], keyword))
			print_choices(table, &table->entry[i], keyword, to);
}

/* All places for programs, and what is worth saying of them. */
static void list_places(const struct options_table *table, unsigned int where,
			struct output *out)
{
	const struct options_place *place = table->places;
	struct description told;

	if (!where || !place)
		return;
	output_array_begin(out, "for");
	for (; place->words; place++)
		if (place->place & where && has_place(table, place))
			output_data_string(out, NULL, place->words);
	output_array_end(out);
	told = tell_places(table, where);
	if (*told.text)
		output_data_string(out, "where", told.text);
}

static void list_choices(const struct options_table *table,
			 const struct options_entry *entry, struct output *out)
{
	output_array_begin(out, "choices");
	for (const struct options_choice *choice = entry->choices;
	     choice->word; choice++) {
		if (!options_has_choice(table, choice))
			continue;
		output_object_begin(out, NULL);
		output_data_string(out, "word", choice->word);
		if (choice->help)
			output_data_string(out, "help", choice->help);
		list_places(table, choice->where, out);
		output_object_end(out);
	}
	output_array_end(out);
}

/* Keywords that write the same field and exclude each other. */
static void list_rivals(const struct options_table *table, size_t i,
			struct output *out)
{
	bool found = false;

	for (size_t j = options_next(table, 0); j < table->count;
	     j = options_next(table, j + 1)) {
		if (j == i || !table->entry[j].keyword ||
		    table->entry[j].target != table->entry[i].target)
			continue;
		if (!found)
			output_array_begin(out, "excludes");
		output_data_string(out, NULL, table->entry[j].keyword);
		found = true;
	}
	if (found)
		output_array_end(out);
}

static void list_entry(const struct options_table *table, size_t i,
		       struct output *out)
{
	const struct options_entry *entry = &table->entry[i];
	static const char *const values[] = {
		[OPTIONS_FILES] = "files",
		[OPTIONS_DEVICES] = "devices",
		[OPTIONS_NAMESPACES] = "namespaces",
		[OPTIONS_CONGESTION] = "congestion",
		[OPTIONS_CPUS] = "cpus",
	};
	const char *heading = heading_of(table, i);
	uint64_t min, max;

	output_object_begin(out, NULL);
	if (entry->keyword)
		output_data_string(out, "keyword", entry->keyword);
	if (entry->argument)
		output_data_string(out, "argument", entry->argument);
	else if (entry->choices)
		list_choices(table, entry, out);
	if (entry->values)
		output_data_string(out, "values", values[entry->values]);
	list_rivals(table, i, out);
	if (heading)
		output_data_string(out, "group", heading);
	if (find_bounds(entry, &min, &max)) {
		output_data_string(out, "min", show_bound(entry, min).text);
		output_data_string(out, "max", show_bound(entry, max).text);
	}
	if (entry->otherwise)
		output_data_string(out, "default", entry->otherwise);
	if (entry->changes)
		output_data_string(out, "changes", entry->changes);
	list_places(table, entry->where, out);
	output_data_string(out, "help", entry->help);
	output_object_end(out);
}

/**
 * options_list() - print the keywords of a command as JSON
 * @table: the options
 * @keyword: only this keyword, the first word of it, or those that have it as a choice;
 *	NULL for all
 * @out: the output, inside of an object
 */
void options_list(const struct options_table *table, const char *keyword,
		  struct output *out)
{
	output_array_begin(out, "keywords");
	for (size_t i = options_next(table, 0); i < table->count;
	     i = options_next(table, i + 1))
		if (!keyword || is_about(table, &table->entry[i], keyword))
			list_entry(table, i, out);
	output_array_end(out);
}
