/* SPDX-License-Identifier: GPL-2.0 */
/*
 * settings: what a run was made with, as keys and values.
 *
 * Configuration of both ends, route and environment. What is drawn anew for
 * each run, such as a port that was free, is none of it.
 */
#ifndef KTPUT_REPORT_SETTINGS_H
#define KTPUT_REPORT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "record.h"

/**
 * struct setting - one key
 * @key: path in the record
 * @value: as it is printed
 * @number: the value, or NAN where it is no number
 * @varies: runs that it was compared with do not all have it with one value
 */
struct setting {
	char *key;
	char *value;
	double number;
	bool varies;
};

/**
 * struct settings - of one run, in the order of the record
 * @count: how many
 * @setting: the keys
 */
struct settings {
	size_t count;
	struct setting *setting;
};

void settings_get(const struct record *record, struct settings *settings);
const struct setting *settings_find(const struct settings *settings,
				    const char *key);
void settings_free(struct settings *settings);
struct settings *settings_get_all(const struct records *records);
void settings_free_all(struct settings *all, size_t count);

const char *settings_name(const struct setting *setting);
bool settings_is_environment(const struct setting *setting);
bool settings_same(const struct settings *a, const struct settings *b,
		   const char *key);
double settings_number(const struct settings *settings, const char *name);

void settings_label(const struct settings *settings, const char *except,
		    char *label, size_t size);

#endif
