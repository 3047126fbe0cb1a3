// SPDX-License-Identifier: GPL-2.0
/* settings: what a run was made with, as keys and values. */
#include <stdlib.h>
#include <string.h>

#include "../base/json.h"
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
	const char *text = json_object_is_type(value, json_type_string) ?
		json_object_get_string(value) :
		json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
					       JSON_C_TO_STRING_NOSLASHESCAPE);

	settings->setting = memory_grow(settings->setting, settings->count + 1,
					sizeof(*settings->setting));
	settings->setting[settings->count++] = (struct setting) {
		.key = memory_copy(key), .value = memory_copy(text),
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
