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
	for (size_t i = 0; i < settings->count; i++)
		if (!strcmp(settings->setting[i].key, key))
			return &settings->setting[i];
	return NULL;
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

static bool varies(const struct settings *all, size_t count, const char *key)
{
	for (size_t i = 1; i < count; i++)
		if (!settings_same(&all[0], &all[i], key))
			return true;
	return false;
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
 * @all: settings of all runs
 * @count: how many
 * @index: the run
 * @except: name of a setting that does not count, or NULL
 * @label: where the label goes: empty if nothing sets it apart
 * @size: bytes of @label, more than 4
 *
 * The environment does not count. A label that is too long ends in dots.
 */
void settings_label(const struct settings *all, size_t count, size_t index,
		    const char *except, char *label, size_t size)
{
	const struct settings *own = &all[index];
	size_t length = 0;

	*label = '\0';
	for (size_t i = 0; i < own->count && length < size; i++) {
		const struct setting *setting = &own->setting[i];

		if (settings_is_environment(setting) || is_said(own, i) ||
		    (except && is_named(setting, except)) ||
		    !varies(all, count, setting->key))
			continue;
		length += snprintf(label + length, size - length, "%s%s%s %s",
				   length ? ", " : "", end_of(own, i),
				   settings_name(setting), setting->value);
	}
	if (length < size)
		return;
	/* Not in the middle of a character. */
	for (length = size - 4; length && (label[length] & 0xc0) == 0x80;)
		length--;
	memcpy(label + length, "...", sizeof("..."));
}
