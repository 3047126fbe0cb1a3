// SPDX-License-Identifier: GPL-2.0
/* options_value: parsers of values. */
#include <string.h>

#include "options.h"

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
