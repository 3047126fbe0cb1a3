/* SPDX-License-Identifier: GPL-2.0 */
/*
 * settings: what a run was made with, as keys and values.
 *
 * Configuration of both ends, route and environment. What is drawn anew for
 * each run, such as a port that was free, is none of it.
 */
#ifndef KTPUT_REPORT_SETTINGS_H
#define KTPUT_REPORT_SETTINGS_H

#include <stddef.h>

#include "record.h"

/**
 * struct setting - one key
 * @key: path in the record
 * @value: as it is printed
 */
struct setting {
	char *key;
	char *value;
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
void settings_free(struct settings *settings);

#endif
