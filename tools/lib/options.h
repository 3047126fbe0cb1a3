/* SPDX-License-Identifier: GPL-2.0 */
/*
 * options: keyword arguments, described by a table.
 *
 * One table per command parses the words, prints the usage and refuses what is
 * unknown, given twice or without its value. Entries that write the same field
 * exclude each other: "tcp" and "udp" are two entries for one field.
 */
#ifndef KTPUT_TOOLS_OPTIONS_H
#define KTPUT_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "units.h"

/* One bit per entry in the set of those given. */
#define OPTIONS_MAX	64
/* Words of one field that may be given several times. */
#define OPTIONS_WORDS_MAX	256

/**
 * struct options_entry - one keyword
 * @keyword: the word, or NULL: a word that is no keyword is the value; two with
 *	a blank between them have to be given both
 * @argument: name of the value in the usage, or NULL: the keyword is all
 * @parse: store @word in @target, or refuse it with a sentence
 * @target: offset of the field in the command's configuration
 * @min: least value, for the parsers that have bounds
 * @max: greatest value
 * @value: what options_set() stores
 * @choices: words of options_choice(), ended by NULL; it stores the index
 * @required: the command cannot do without
 * @many: may be given several times; @parse adds to the field
 * @rest: all words that follow are the value; the field is a char *const *,
 *	ended by NULL, and @parse is not called
 * @help: what it is, its unit and its default
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
	const char *const *choices;
	bool required;
	bool many;
	bool rest;
	const char *help;
};

/**
 * struct options_words - words in the order given
 * @count: how many
 * @word: the words
 */
struct options_words {
	size_t count;
	const char *word[OPTIONS_WORDS_MAX];
};

/**
 * struct options_table - the options of one command
 * @entry: in the order of the usage
 * @count: at most OPTIONS_MAX
 */
struct options_table {
	const struct options_entry *entry;
	size_t count;
};

/**
 * enum options_outcome - what became of the words
 * @OPTIONS_DONE: all are stored
 * @OPTIONS_REFUSED: the sentence says which is wrong
 * @OPTIONS_HELP: "help" stood where a keyword may stand
 */
enum options_outcome {
	OPTIONS_DONE,
	OPTIONS_REFUSED,
	OPTIONS_HELP,
};

enum options_outcome options_parse(const struct options_table *table,
				   int count, char *const *words, void *config,
				   uint64_t *given, struct units_error *err);
bool options_given(const struct options_table *table, uint64_t given,
		   size_t target);
void options_usage(const struct options_table *table, const char *command,
		   FILE *to);

/* Parsers and the field each writes. */
int options_set(const char *word, const struct options_entry *entry,
		void *target, struct units_error *err); /* unsigned int */
int options_choice(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err); /* unsigned int */
int options_switch(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err); /* bool */
int options_word(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err); /* const char * */
int options_words(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err); /* options_words */
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
int options_span(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err); /* units_span */
int options_cpus(const char *word, const struct options_entry *entry,
		 void *target, struct units_error *err); /* units_cpus */

#endif
