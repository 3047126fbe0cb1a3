/* SPDX-License-Identifier: GPL-2.0 */
/*
 * options: keyword arguments, described by a table.
 *
 * One table per command parses the words, prints the usage and refuses unknown
 * keywords, duplicates and missing values. Entries that write the same field
 * exclude each other: "tcp" and "udp" are two entries for one field.
 */
#ifndef KTPUT_TOOLS_OPTIONS_H
#define KTPUT_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "output.h"
#include "units.h"

/* Maximum number of entries in a table: each has a bit in struct options_set. */
#define OPTIONS_MAX	128

/**
 * struct options_choice - a permitted word of a value
 * @word: the word; NULL ends an array of choices
 * @value: what options_choice() stores for it
 * @commands: commands that have it, as in struct options_entry
 * @where: where it is meaningful, likewise
 * @help: what it is, or NULL where the word says it
 */
struct options_choice {
	const char *word;
	unsigned int value;
	unsigned int commands;
	unsigned int where;
	const char *help;
};

/**
 * enum options_values - source of candidates for a value
 * @OPTIONS_ANY: none
 * @OPTIONS_FILES: files
 * @OPTIONS_DEVICES: network devices
 * @OPTIONS_NAMESPACES: network namespaces by name
 * @OPTIONS_CONGESTION: TCP congestion controls
 * @OPTIONS_CPUS: lists of CPUs
 */
enum options_values {
	OPTIONS_ANY,
	OPTIONS_FILES,
	OPTIONS_DEVICES,
	OPTIONS_NAMESPACES,
	OPTIONS_CONGESTION,
	OPTIONS_CPUS,
};

/**
 * struct options_argument - placeholder of a value in a usage
 * @text: choices, or a name
 */
struct options_argument {
	char text[200];
};

/**
 * struct options_place - where a keyword may be meaningful
 * @place: a bit of @where of struct options_entry
 * @words: the words to type there
 * @commands: commands that have it, 0 for all
 */
struct options_place {
	unsigned int place;
	const char *words;
	unsigned int commands;
};

/**
 * struct options_set - entries of a table
 * @bits: bit i % 64 of word i / 64 is set for entry i
 */
struct options_set {
	uint64_t bits[OPTIONS_MAX / 64];
};

/**
 * struct options_entry - one keyword
 * @keyword: the keyword, of one word or two separated by a blank; NULL for an entry
 *	that takes words that are not keywords as values
 * @argument: name of the value in the usage; NULL for a keyword without a
 *	value, and if @choices name it
 * @parse: store @word in @target, or refuse it with a message
 * @target: offset of the field in the command's configuration
 * @min: minimum, for parsers with bounds
 * @max: maximum
 * @value: what options_set() stores
 * @choices: words of options_choice(), or NULL
 * @required: the command requires it
 * @rest: all words that follow are the value; the field is a char *const *,
 *	ended by NULL, and @parse is not called
 * @commands: commands that have the keyword, one bit each as in struct
 *	options_table; 0 for all
 * @where: where the keyword is meaningful; for the command's own check
 * @attribute: number of the attribute for the field, 0 for none; for the command's
 *	own loops
 * @ends: which ends have that attribute, likewise
 * @divisor: units of the field per unit of the attribute, 0 for 1
 * @made: attributes that the command derives from the field by other means, ended
 *	by 0, or NULL; for the translation of refusals
 * @made_of: which ends have those
 * @group: heading of its help, NULL for that of the previous entry
 * @help: what it is, and its unit
 * @otherwise: its default, or NULL
 * @instead: the keyword that does it with the other transport, or NULL
 * @words: names that a value may have, separated by blanks, which help explains as it
 *	does keywords; or NULL
 * @values: what a shell may offer as value
 * @changes: how a program that looks for a better value may change it, or NULL: words of
 *	"more", "less", "none" (without it), "other" (one of the choices or values), "on",
 *	"apart" and "together" (CPUs of both ends)
 */
struct options_entry {
	const char *keyword;
	const char *argument;
	int (*parse)(const char *word, const struct options_entry *entry,
		     void *target, struct units_error *err);
	size_t target;
	uint64_t min;
	uint64_t max;
	unsigned int value;
	const struct options_choice *choices;
	bool required;
	bool rest;
	unsigned int commands;
	unsigned int where;
	int attribute;
	unsigned int ends;
	unsigned int divisor;
	const int *made;
	unsigned int made_of;
	const char *group;
	const char *help;
	const char *otherwise;
	const char *instead;
	const char *words;
	enum options_values values;
	const char *changes;
};

/**
 * struct options_habit - an option of another tool
 * @brief: as "-t", or with its value as "-t TCP_RR", or NULL; that with a value first
 * @whole: as "--time", or NULL
 * @here: what does it in this tool
 */
struct options_habit {
	const char *brief;
	const char *whole;
	const char *here;
};

/**
 * struct options_table - the options of one command
 * @entry: in the order of the usage
 * @count: at most OPTIONS_MAX
 * @command: bit of the command, which has the entries and choices whose
 *	@commands include it; 0 if the table is for one command
 * @places: meaning of the bits of @where, ended by one without words, or NULL
 * @habits: what people type who come from other tools, ended by one without @here;
 *	or NULL
 * @applies: whether words can follow that make all entries of a set meaningful,
 *	given the configuration so far, or NULL
 */
struct options_table {
	const struct options_entry *entry;
	size_t count;
	unsigned int command;
	const struct options_place *places;
	const struct options_habit *habits;
	bool (*applies)(const struct options_table *table,
			const struct options_set *given, const void *config);
};

/**
 * enum options_outcome - outcome of options_parse()
 * @OPTIONS_DONE: all words are stored
 * @OPTIONS_REFUSED: the message says which word is wrong
 * @OPTIONS_HELP: "help" was given in the place of a keyword
 */
enum options_outcome {
	OPTIONS_DONE,
	OPTIONS_REFUSED,
	OPTIONS_HELP,
};

enum options_outcome options_parse(const struct options_table *table,
				   int count, char *const *words, void *config,
				   struct options_set *given,
				   struct units_error *err);
const struct options_entry *options_find(const struct options_table *table,
					 const char *word);
void options_add(struct options_set *given, size_t i);
bool options_has(const struct options_table *table, size_t i);
bool options_named(const struct options_table *table,
		   struct options_set given, const char *keyword);
bool options_in(const struct options_set *given, size_t i);
bool options_given(const struct options_table *table,
		   struct options_set given, size_t target);
uint64_t options_number(const struct options_entry *entry,
			const void *config);
const char *options_done_by(const struct options_habit *habit, const char *word,
			    const char *next);
void options_guess(const char *typed, const char *word, const char **meant);
void options_guess_keyword(const struct options_table *table, const char *typed,
			   const char **meant);
size_t options_next(const struct options_table *table, size_t i);
size_t options_next_of_field(const struct options_table *table, size_t i);
bool options_has_choice(const struct options_table *table,
			const struct options_choice *choice);
const struct options_choice *
options_find_choice(const struct options_entry *entry, const char *word);
bool options_takes_value(const struct options_entry *entry);
bool options_begins(const char *keyword, const char *word);
struct options_argument options_argument(const struct options_table *table,
					 const struct options_entry *entry);

/* Parsers, each with the type of its field. */
int options_set(const char *word, const struct options_entry *entry,
		void *target, struct units_error *err); /* unsigned int */
int options_choice(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err); /* unsigned int */
int options_switch(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err); /* bool */
int options_word(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err); /* const char * */
int options_count(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err); /* uint64_t */
int options_size(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err); /* uint64_t */
int options_bitrate(const char *word, const struct options_entry *entry,
		    void *target, struct units_error *err); /* uint64_t */
int options_time(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err); /* uint64_t, ns */
int options_port(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err); /* uint64_t */
int options_percent(const char *word, const struct options_entry *entry,
		    void *target, struct units_error *err); /* double */
int options_rate(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err); /* units_rate */
int options_sizes(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err); /* units_list */
int options_counts(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err); /* units_list */
int options_cpus(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err); /* units_cpus */

/*
 * options_help: documentation generated from a table of keywords.
 *
 * For a user it is a grammar and a line for each keyword, for a program a list of
 * objects. The manual pages are generated from the list.
 */
bool options_explains(const struct options_table *table, const char *keyword);
void options_help(const struct options_table *table, const char *keyword,
		  FILE *to);
void options_usage(const struct options_table *table, const char *command,
		   FILE *to);
void options_list(const struct options_table *table, const char *keyword,
		  struct output *out);

#endif
