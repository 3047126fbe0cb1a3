// SPDX-License-Identifier: GPL-2.0
/* settings: what a run was made with, as keys and values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/json.h"
#include "memory.h"
#include "settings.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Members whose leaves are settings, or which are one. */
static const char *const members[] = {
	"source.config", "source.xdp_mode", "sink.config", "sink.xdp_mode",
	"route", "module_version", "clock", "clock_hz", "environment",
};

/* Drawn anew for each run, or numbers that come and go with a device. */
static const char *const passing[] = {
	"source.config.cookie", "sink.config.cookie",
	"source.config.remote_port", "sink.config.local_port",
	"source.config.source_mac", "source.config.destination_mac",
	"source.config.device_index", "sink.config.device_index",
};

static bool is_passing(const char *key)
{
	for (size_t i = 0; i < COUNT(passing); i++)
		if (!strcmp(passing[i], key))
			return true;
	return false;
}

static void add(struct settings *settings, const char *key,
		struct json_object *value)
{
	bool number = json_object_is_type(value, json_type_int) ||
		      json_object_is_type(value, json_type_double);
	const char *text = json_object_is_type(value, json_type_string) ?
		json_object_get_string(value) :
		json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
					       JSON_C_TO_STRING_NOSLASHESCAPE);

	settings->setting = memory_grow(settings->setting, settings->count + 1,
					sizeof(*settings->setting));
	settings->setting[settings->count++] = (struct setting) {
		.key = memory_copy(key), .value = memory_copy(text),
		.number = number ? json_object_get_double(value) : NAN,
	};
}

static void flatten(struct settings *settings, const char *key,
		    struct json_object *value)
{
	struct json_object_iterator i, end;

	if (is_passing(key))
		return;
	if (!json_object_is_type(value, json_type_object)) {
		add(settings, key, value);
		return;
	}
	i = json_object_iter_begin(value);
	end = json_object_iter_end(value);
	for (; !json_object_iter_equal(&i, &end); json_object_iter_next(&i)) {
		char *path = memory_print("%s.%s", key,
					  json_object_iter_peek_name(&i));

		flatten(settings, path, json_object_iter_peek_value(&i));
		free(path);
	}
}

/**
 * settings_get() - the settings of a run
 * @record: the run
 * @settings: where they go; settings_free() releases them
 */
void settings_get(const struct record *record, struct settings *settings)
{
	*settings = (struct settings) { 0 };
	for (size_t i = 0; i < COUNT(members); i++) {
		struct json_object *member = json_at(record->root, members[i]);

		if (member)
			flatten(settings, members[i], member);
	}
}

void settings_free(struct settings *settings)
{
	for (size_t i = 0; i < settings->count; i++) {
		free(settings->setting[i].key);
		free(settings->setting[i].value);
	}
	free(settings->setting);
	*settings = (struct settings) { 0 };
}

/* Runs have much the same settings in the same order: looked for at @near first. */
static struct setting *find(const struct settings *settings, const char *key,
			    size_t near)
{
	for (size_t i = 0; i < settings->count; i++) {
		struct setting *setting =
			&settings->setting[(near + i) % settings->count];

		if (!strcmp(setting->key, key))
			return setting;
	}
	return NULL;
}

/**
 * settings_find() - the setting of a path
 * @settings: of a run
 * @key: whole path
 *
 * Return: the setting, or NULL.
 */
const struct setting *settings_find(const struct settings *settings,
				    const char *key)
{
	return find(settings, key, 0);
}

/* Of the first run, against another one; what only that has varies, too. */
static void compare(const struct settings *first, const struct settings *other)
{
	for (size_t i = 0; i < first->count; i++) {
		struct setting *setting = &first->setting[i];
		const struct setting *same;

		if (setting->varies)
			continue;
		same = find(other, setting->key, i);
		setting->varies = !same || strcmp(same->value, setting->value);
	}
}

static void copy_varies(const struct settings *first, struct settings *other)
{
	for (size_t i = 0; i < other->count; i++) {
		const struct setting *of_first =
			find(first, other->setting[i].key, i);

		other->setting[i].varies = !of_first || of_first->varies;
	}
}

/**
 * settings_get_all() - the settings of runs, compared with each other
 * @records: the runs
 *
 * Return: those of each run; settings_free_all() releases them.
 */
struct settings *settings_get_all(const struct records *records)
{
	size_t count = records->count;
	struct settings *all = memory_must(calloc(count + 1, sizeof(*all)));

	for (size_t i = 0; i < count; i++)
		settings_get(&records->record[i], &all[i]);
	for (size_t i = 1; i < count; i++)
		compare(&all[0], &all[i]);
	for (size_t i = 1; i < count; i++)
		copy_varies(&all[0], &all[i]);
	return all;
}

void settings_free_all(struct settings *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		settings_free(&all[i]);
	free(all);
}

/**
 * settings_name() - the last word of a path
 * @setting: the setting
 *
 * Return: the word.
 */
const char *settings_name(const struct setting *setting)
{
	const char *dot = strrchr(setting->key, '.');

	return dot ? dot + 1 : setting->key;
}

bool settings_is_environment(const struct setting *setting)
{
	return !strncmp(setting->key, "environment.", strlen("environment."));
}

/**
 * settings_same() - whether two runs agree in a setting
 * @a: settings of one run
 * @b: settings of another
 * @key: whole path
 *
 * Return: true where both have it with the same value, or neither has it.
 */
bool settings_same(const struct settings *a, const struct settings *b,
		   const char *key)
{
	const struct setting *in_a = settings_find(a, key);
	const struct setting *in_b = settings_find(b, key);

	if (!in_a || !in_b)
		return in_a == in_b;
	return !strcmp(in_a->value, in_b->value);
}

static bool is_named(const struct setting *setting, const char *name)
{
	return !strcmp(setting->key, name) ||
	       !strcmp(settings_name(setting), name);
}

/**
 * settings_number() - the number that a setting is
 * @settings: of a run
 * @name: whole path or its last word; the first that there is counts, and the
 *	source comes before the sink
 *
 * Return: the number, or NAN.
 */
double settings_number(const struct settings *settings, const char *name)
{
	for (size_t i = 0; i < settings->count; i++)
		if (is_named(&settings->setting[i], name) &&
		    !isnan(settings->setting[i].number))
			return settings->setting[i].number;
	return NAN;
}

/* Whether a setting before @index has its name and its value: both ends do. */
static bool is_said(const struct settings *settings, size_t index)
{
	const struct setting *setting = &settings->setting[index];

	for (size_t i = 0; i < index; i++)
		if (!strcmp(settings_name(&settings->setting[i]),
			    settings_name(setting)) &&
		    !strcmp(settings->setting[i].value, setting->value))
			return true;
	return false;
}

/* Which end, where both have a setting of that name. */
static const char *end_of(const struct settings *settings, size_t index)
{
	const char *key = settings->setting[index].key;

	for (size_t i = 0; i < settings->count; i++)
		if (i != index &&
		    !strcmp(settings_name(&settings->setting[i]),
			    settings_name(&settings->setting[index])) &&
		    strcmp(settings->setting[i].value,
			   settings->setting[index].value))
			return !strncmp(key, "source.", 7) ? "source " :
			       !strncmp(key, "sink.", 5) ? "sink " : "";
	return "";
}

/**
 * settings_label() - what sets a run apart from others
 * @settings: of the run, from settings_get_all()
 * @except: name of a setting that does not count, or NULL
 * @label: where the label goes: empty if nothing sets it apart
 * @size: bytes of @label, more than 4
 *
 * The environment does not count. A label that is too long ends in dots.
 */
void settings_label(const struct settings *settings, const char *except,
		    char *label, size_t size)
{
	size_t length = 0;

	*label = '\0';
	for (size_t i = 0; i < settings->count && length < size; i++) {
		const struct setting *setting = &settings->setting[i];

		if (!setting->varies || settings_is_environment(setting) ||
		    is_said(settings, i) ||
		    (except && is_named(setting, except)))
			continue;
		length += snprintf(label + length, size - length, "%s%s%s %s",
				   length ? ", " : "", end_of(settings, i),
				   settings_name(setting), setting->value);
	}
	if (length < size)
		return;
	/* Not in the middle of a character. */
	for (length = size - 4; length && (label[length] & 0xc0) == 0x80;)
		length--;
	memcpy(label + length, "...", sizeof("..."));
}
