// SPDX-License-Identifier: GPL-2.0
/* options: keyword arguments, described by a table. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

/* Longest keyword for guesses. */
#define KEYWORD_MAX	32

/**
 * options_has() - whether an entry applies to the command of a table
 * @table: the options
 * @i: index of the entry
 *
 * Return: true if the entry is for the command of the table.
 */
bool options_has(const struct options_table *table, size_t i)
{
	const struct options_entry *entry = &table->entry[i];

	return !entry->commands || entry->commands & table->command;
}

/**
 * options_next() - the next entry of a command
 * @table: the options
 * @i: index to start at
 *
 * Return: its index, or the number of entries if there is none.
 */
size_t options_next(const struct options_table *table, size_t i)
{
	while (i < table->count && !options_has(table, i))
		i++;
	return i;
}

/**
 * options_has_choice() - whether a choice applies to the command of a table
 * @table: the options
 * @choice: the choice
 *
 * Return: true if it does.
 */
bool options_has_choice(const struct options_table *table,
			const struct options_choice *choice)
{
	return !choice->commands || choice->commands & table->command;
}

/**
 * options_in() - whether an entry is in a set
 * @given: set
 * @i: index of the entry
 *
 * Return: true if it is.
 */
bool options_in(const struct options_set *given, size_t i)
{
	return given->bits[i / 64] >> i % 64 & 1;
}

/**
 * options_argument() - placeholder of a value
 * @table: the options
 * @entry: one of them
 *
 * Return: choices as "a|b|c", the name of the value, or an empty string.
 */
struct options_argument options_argument(const struct options_table *table,
					 const struct options_entry *entry)
{
	const struct options_choice *choice = entry->choices;
	struct options_argument name = { "" };
	size_t length = 0;

	if (entry->argument)
		snprintf(name.text, sizeof(name.text), "%s", entry->argument);
	if (entry->argument || !choice)
		return name;
	for (; choice->word; choice++) {
		if (!options_has_choice(table, choice))
			continue;
		length += snprintf(name.text + length,
				   sizeof(name.text) - length, "%s%s",
				   length ? "|" : "", choice->word);
		assert(length < sizeof(name.text));
	}
	return name;
}

/**
 * options_takes_value() - whether a keyword has a value
 * @entry: the keyword
 *
 * Return: true if a value follows it.
 */
bool options_takes_value(const struct options_entry *entry)
{
	return entry->argument || entry->choices;
}

/* The second word of a keyword of two words, or NULL. */
static const char *second_word(const struct options_entry *entry)
{
	const char *blank = entry->keyword ? strchr(entry->keyword, ' ') : NULL;

	return blank ? blank + 1 : NULL;
}

/**
 * options_begins() - whether a word is a keyword, or the first word of it
 * @keyword: the keyword
 * @word: the word
 *
 * Return: true if it is.
 */
bool options_begins(const char *keyword, const char *word)
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

/**
 * options_find() - find the entry for a word in the place of a keyword
 * @table: the options
 * @word: the word
 *
 * Return: the entry of the keyword, the entry that takes other words, or NULL.
 */
const struct options_entry *options_find(const struct options_table *table,
					 const char *word)
{
	const struct options_entry *positional = NULL;

	for (size_t i = options_next(table, 0); i < table->count;
	     i = options_next(table, i + 1)) {
		const struct options_entry *entry = &table->entry[i];

		if (!entry->keyword)
			positional = entry;
		else if (options_begins(entry->keyword, word))
			return entry;
	}
	return positional;
}

/* The entry already given that writes the field of @entry, or NULL. */
static const struct options_entry *find_rival(const struct options_table *table,
					      const struct options_set *given,
					      size_t target)
{
	for (size_t i = 0; i < table->count; i++)
		if (options_in(given, i) && table->entry[i].target == target)
			return &table->entry[i];
	return NULL;
}

static const char *entry_name(const struct options_entry *entry)
{
	return entry->keyword ? entry->keyword : entry->argument;
}

static size_t least_of(size_t one, size_t other)
{
	return one < other ? one : other;
}

/* Typing errors between two words: letters too many, missing, wrong or swapped. */
static size_t distance(const char *one, const char *other)
{
	const size_t height = strlen(one), width = strlen(other);
	size_t away[KEYWORD_MAX + 1][KEYWORD_MAX + 1];

	if (width > KEYWORD_MAX || height > KEYWORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= height; i++)
		for (size_t j = 0; j <= width; j++) {
			away[i][j] = i + j;
			if (!i || !j)
				continue;
			away[i][j] = least_of(least_of(away[i - 1][j], away[i][j - 1]) + 1,
					      away[i - 1][j - 1] +
					      (one[i - 1] != other[j - 1]));
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2] &&
			    one[i - 2] == other[j - 1])
				away[i][j] = least_of(away[i][j],
						      away[i - 2][j - 2] + 1);
		}
	return away[height][width];
}

/**
 * options_guess() - take a word for what a user meant, if it is more similar
 * @typed: what the user typed
 * @word: the word
 * @meant: the most similar one so far, NULL at first; replaced if @word is more so
 *
 * One or two typing errors are allowed, but not an unrelated word.
 */
void options_guess(const char *typed, const char *word, const char **meant)
{
	const size_t most = *meant ? distance(typed, *meant) :
				     strlen(typed) < 5 ? 2 : 3;

	if (distance(typed, word) < most)
		*meant = word;
}

/**
 * options_guess_keyword() - likewise, among the keywords of a command
 * @table: the options
 * @typed: what the user typed
 * @meant: the most similar word so far
 */
void options_guess_keyword(const struct options_table *table, const char *typed,
			   const char **meant)
{
	for (size_t i = options_next(table, 0); i < table->count;
	     i = options_next(table, i + 1))
		if (table->entry[i].keyword)
			options_guess(typed, table->entry[i].keyword, meant);
}

/* Whether @brief is @word, or @word and @next with a blank between them. */
static bool is_brief(const char *brief, const char *word, const char *next)
{
	const size_t length = strlen(word);

	return !strcmp(brief, word) ||
	       (next && !strncmp(brief, word, length) && brief[length] == ' ' &&
		!strcmp(brief + length + 1, next));
}

/**
 * options_done_by() - find what does here what an option of another tool does there
 * @habit: the options of other tools
 * @word: the option, perhaps with =VALUE
 * @next: the word behind it, or NULL
 *
 * Return: words, or NULL.
 */
const char *options_done_by(const struct options_habit *habit, const char *word,
			    const char *next)
{
	const size_t length = strcspn(word, "=");

	for (; habit && habit->here; habit++)
		if ((habit->brief && is_brief(habit->brief, word, next)) ||
		    (habit->whole && strlen(habit->whole) == length &&
		     !strncmp(habit->whole, word, length)))
			return habit->here;
	return NULL;
}

/* Who has a habit has it in all words: answer as many as the sentence holds. */
static bool refuse_habits(const struct options_table *table, int count,
			  char *const *words, struct units_error *err)
{
	char known[sizeof(err->text) - sizeof("unknown words; here ")] = "";
	const char *only = NULL;
	size_t length = 0;
	int found = 0;

	for (int i = 0; i < count; i++) {
		const char *next = i + 1 < count ? words[i + 1] : NULL;
		const char *here = options_done_by(table->habits, words[i], next);
		int added;

		if (!here && !i)
			return false;
		if (!here)
			continue;
		added = snprintf(known + length, sizeof(known) - length,
				 "%s'%s' is '%s'", found ? ", " : "", words[i], here);
		if (added < 0 || length + added >= sizeof(known)) {
			known[length] = '\0';
			break;
		}
		length += added;
		only = found++ ? NULL : here;
	}
	if (only)
		units_refuse(err, "unknown word '%s'; here that is '%s'", words[0],
			     only);
	else
		units_refuse(err, "unknown words; here %s", known);
	return found;
}

/* Values that are typed without their keyword: characters, one of which must be there. */
static const struct {
	const char *keyword, *of, *one;
} bare_value[] = {
	{ "run", "0123456789", "0123456789" },
	{ "to", "0123456789abcdefABCDEF.:", ".:" },
	{ "on", "0123456789abcdefABCDEF.:", ".:" },
};

static const char *keyword_of_bare(const struct options_table *table, const char *word)
{
	for (size_t i = 0; i < COUNT(bare_value); i++)
		if (!word[strspn(word, bare_value[i].of)] &&
		    strpbrk(word, bare_value[i].one) &&
		    options_find(table, bare_value[i].keyword))
			return bare_value[i].keyword;
	return NULL;
}

static void refuse_unknown(const struct options_table *table, int count,
			   char *const *words, struct units_error *err)
{
	const char *word = words[0], *meant = NULL, *bare;

	if (refuse_habits(table, count, words, err))
		return;
	bare = keyword_of_bare(table, word);
	options_guess_keyword(table, strncmp(word, "--", 2) ? word : word + 2, &meant);
	if (bare)
		units_refuse(err, "unknown word '%s'; did you mean '%s %s'?",
			     word, bare, word);
	else if (meant)
		units_refuse(err, "unknown word '%s'; did you mean '%s'?",
			     word, meant);
	else if (*word == '-')
		units_refuse(err,
			     "unknown word '%s'; keywords have no hyphen before them, and options, as -j, precede the command",
			     word);
	else
		units_refuse(err, "unknown word '%s'", word);
}

/**
 * options_next_of_field() - the next entry, if it writes the same field
 * @table: the options
 * @i: index of an entry
 *
 * Return: its index, or the number of entries if there is none.
 */
size_t options_next_of_field(const struct options_table *table, size_t i)
{
	const size_t next = options_next(table, i + 1);

	return next < table->count &&
	       table->entry[i].target == table->entry[next].target ?
	       next : table->count;
}

/* "'a', 'b' or 'c' is missing": the entries of one field, starting with @first. */
static void refuse_missing(const struct options_table *table, size_t first,
			   struct units_error *err)
{
	char names[sizeof(err->text)] = "";
	size_t i = first, length = 0;

	for (; i < table->count && length < sizeof(names);
	     i = options_next_of_field(table, i))
		length += snprintf(names + length, sizeof(names) - length,
				   "%s'%s'", i == first ? "" :
				   options_next_of_field(table, i) == table->count ?
				   " or " : ", ",
				   entry_name(&table->entry[i]));
	units_refuse(err, "%s is missing", names);
}

static int check_required(const struct options_table *table,
			  const struct options_set *given,
			  struct units_error *err)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct options_entry *entry = &table->entry[i];

		if (!entry->required ||
		    options_given(table, *given, entry->target))
			continue;
		refuse_missing(table, i, err);
		return -1;
	}
	return 0;
}

/**
 * options_add() - add an entry to a set
 * @given: set
 * @i: index of the entry
 */
void options_add(struct options_set *given, size_t i)
{
	given->bits[i / 64] |= 1ULL << i % 64;
}

/**
 * options_find_choice() - find the choice for a word
 * @entry: an entry with choices
 * @word: the word
 *
 * Return: the choice, for any command, or NULL.
 */
const struct options_choice *
options_find_choice(const struct options_entry *entry, const char *word)
{
	const struct options_choice *choice = entry->choices;

	while (choice->word && strcmp(choice->word, word))
		choice++;
	return choice->word ? choice : NULL;
}

/* Whether the choices of an entry permit a word as value. */
static bool known_choice(const struct options_table *table,
			 const struct options_entry *entry, const char *word)
{
	const struct options_choice *choice;

	if (!entry->choices)
		return true;
	choice = options_find_choice(entry, word);
	return choice && options_has_choice(table, choice);
}

/**
 * options_parse() - store the words in the command's configuration
 * @table: the options
 * @count: number of words
 * @words: the words; ended by NULL if an entry takes the remaining ones
 * @config: the configuration, with its defaults; partly written on refusal
 * @given: set of the entries that were given, for options_given()
 * @err: why the words are refused
 *
 * Return: outcome of the parsing.
 */
enum options_outcome options_parse(const struct options_table *table,
				   int count, char *const *words, void *config,
				   struct options_set *given,
				   struct units_error *err)
{
	assert(table->count <= OPTIONS_MAX);
	*given = (struct options_set) { 0 };
	for (int i = 0; i < count; i++) {
		const struct options_entry *entry, *rival;
		const char *word = words[i];
		struct units_error why;

		entry = options_find(table, word);
		if (asks_for_help(word) && (!entry || !entry->keyword))
			return OPTIONS_HELP;
		if (!entry) {
			refuse_unknown(table, count - i, words + i, err);
			return OPTIONS_REFUSED;
		}
		rival = find_rival(table, given, entry->target);
		if (rival == entry) {
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
			units_refuse(err, "'%s' must be followed by '%s'",
				     word, second_word(entry));
			return OPTIONS_REFUSED;
		}
		if (entry->keyword && options_takes_value(entry) && ++i == count) {
			units_refuse(err, "'%s' lacks its value, %s",
				     entry->keyword,
				     options_argument(table, entry).text);
			return OPTIONS_REFUSED;
		}
		if (entry->rest) {
			*(char *const **)((char *)config + entry->target) =
				words + i;
			options_add(given, entry - table->entry);
			break;
		}
		if (!known_choice(table, entry, words[i])) {
			units_refuse(err, "%s: '%s' is none of %s",
				     entry_name(entry), words[i],
				     options_argument(table, entry).text);
			return OPTIONS_REFUSED;
		}
		if (entry->parse(words[i], entry,
				 (char *)config + entry->target, &why)) {
			units_refuse(err, "%s: %s", entry_name(entry),
				     why.text);
			return OPTIONS_REFUSED;
		}
		options_add(given, entry - table->entry);
	}
	return check_required(table, given, err) ? OPTIONS_REFUSED :
						    OPTIONS_DONE;
}

/**
 * options_given() - whether a field was given
 * @table: the options
 * @given: result of options_parse()
 * @target: offset of the field
 *
 * Return: true if one of the field's entries was given.
 */
bool options_given(const struct options_table *table,
		   struct options_set given, size_t target)
{
	return find_rival(table, &given, target);
}

/**
 * options_named() - whether a keyword was given
 * @table: the options
 * @given: result of options_parse()
 * @keyword: the whole keyword
 *
 * Return: true if it was given.
 */
bool options_named(const struct options_table *table,
		   struct options_set given, const char *keyword)
{
	for (size_t i = 0; i < table->count; i++)
		if (options_in(&given, i) && table->entry[i].keyword &&
		    !strcmp(table->entry[i].keyword, keyword))
			return true;
	return false;
}

/**
 * options_number() - value of a numeric field
 * @entry: entry of a numeric field
 * @config: the configuration
 *
 * Return: the number, in the units of the field.
 */
uint64_t options_number(const struct options_entry *entry, const void *config)
{
	const void *field = (const char *)config + entry->target;

	return entry->parse == options_set || entry->parse == options_choice ?
	       *(const unsigned int *)field : *(const uint64_t *)field;
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
	(void)err;
	/* options_parse() has checked that the choice exists. */
	*(unsigned int *)target = options_find_choice(entry, word)->value;
	return 0;
}

int options_switch(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err)
{
	bool on = !strcmp(word, "on");

	(void)entry;
	if (!on && strcmp(word, "off"))
		return units_refuse(err, "'%s' is neither on nor off", word);
	*(bool *)target = on;
	return 0;
}

int options_word(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err)
{
	(void)entry;
	if (!*word)
		return units_refuse(err, "the word is empty");
	*(const char **)target = word;
	return 0;
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

int options_cpus(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err)
{
	(void)entry;
	return units_parse_cpus(word, target, err);
}
