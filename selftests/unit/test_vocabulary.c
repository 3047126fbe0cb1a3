// SPDX-License-Identifier: GPL-2.0
/* vocabulary: a keyword, its attribute, its key in records, and its choices. */
#include "../../tools/module/names.h"
#include "../../tools/run/run_options.h"
#include "test.h"

/* The end that a keyword names where a command has both. */
#define SINK	"sink-"

static const struct options_table *const tables[] = {
	&run_options_start, &run_options_sink, &run_options_pingpong,
	&run_options_reply,
};

/*
 * Keywords that set an attribute of another name: a port of either direction is the
 * local one of its end, and the size of a ping-pong is that of requests.
 */
static const struct {
	const char *keyword, *name;
} terms[] = {
	{ "dscp", "tos" },
	{ "from-port", "local-port" },
	{ "size", "request" },
};

/* Units at the end of a key. */
static const char *const units[] = {
	"", "_bytes", "_bytes_per_s", "_frames", "_index", "_ns", "_per_s", "_tci",
};

/* Attributes with words, and their names. */
static const struct {
	const char *keyword;
	const char *(*name)(unsigned int value);
} words[] = {
	{ "engine", names_engine },
	{ "layer", names_layer },
	{ "link", names_link },
	{ "method", names_method },
	{ "reply", names_reply },
	{ "wait", names_wait },
};

static const char *without_end(const char *keyword)
{
	return strncmp(keyword, SINK, strlen(SINK)) ? keyword :
						      keyword + strlen(SINK);
}

static bool is_term(const char *keyword, const char *name)
{
	for (size_t i = 0; i < TEST_COUNT(terms); i++)
		if (!strcmp(terms[i].keyword, keyword) &&
		    !strcmp(terms[i].name, name))
			return true;
	return false;
}

static void attributes(void)
{
	unsigned int checked = 0;

	for (size_t i = 0; i < TEST_COUNT(tables); i++) {
		for (size_t j = 0; j < tables[i]->count; j++) {
			const struct options_entry *entry = &tables[i]->entry[j];
			const char *name = config_attributes[entry->attribute].name;

			if (!options_has(tables[i], j) || !entry->attribute ||
			    is_term(entry->keyword, name))
				continue;
			TEST_STRING("attribute", name, without_end(entry->keyword));
			checked++;
		}
	}
	TEST_TRUE("rows", checked > 50);
}

static void keys(void)
{
	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++) {
		const struct config_attribute *attribute = &config_attributes[type];
		char key[64], want[80];
		bool found = false;

		if (!attribute->name || attribute->kind == CONFIG_ADDRESS)
			continue;
		snprintf(key, sizeof(key), "%s", attribute->name);
		for (char *at = key; *at; at++)
			*at = *at == '-' ? '_' : *at;
		for (size_t i = 0; i < TEST_COUNT(units); i++) {
			snprintf(want, sizeof(want), "%s%s", key, units[i]);
			found |= !strcmp(attribute->key, want);
		}
		if (!found)
			TEST_STRING("key", attribute->key, key);
	}
}

static void check_choices(const struct options_entry *entry)
{
	const struct options_choice *choice = entry->choices;
	size_t i = 0;

	while (i < TEST_COUNT(words) &&
	       strcmp(words[i].keyword, without_end(entry->keyword)))
		i++;
	if (i == TEST_COUNT(words)) {
		TEST_FAIL("%s: its words are in no table", entry->keyword);
		return;
	}
	for (; choice->word; choice++)
		TEST_STRING(entry->keyword, words[i].name(choice->value),
			    choice->word);
}

static void choices(void)
{
	unsigned int checked = 0;

	for (size_t i = 0; i < TEST_COUNT(tables); i++) {
		for (size_t j = 0; j < tables[i]->count; j++) {
			if (!options_has(tables[i], j) ||
			    !tables[i]->entry[j].choices)
				continue;
			check_choices(&tables[i]->entry[j]);
			checked++;
		}
	}
	TEST_TRUE("rows", checked >= 10);
}

/* A program that looks for a better value knows these, and no others. */
static void check_changes(const struct options_entry *entry)
{
	static const char *const known[] = {
		"more", "less", "none", "other", "on", "apart", "together",
	};
	char text[64], *save;

	snprintf(text, sizeof(text), "%s", entry->changes);
	for (char *word = strtok_r(text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		size_t i = 0;

		while (i < TEST_COUNT(known) && strcmp(known[i], word))
			i++;
		if (i == TEST_COUNT(known))
			TEST_FAIL("%s: '%s' is no change", entry->keyword, word);
		if (!strcmp(word, "other") && !entry->choices)
			TEST_TRUE(entry->keyword, entry->values != OPTIONS_ANY);
		if (!strcmp(word, "on"))
			TEST_TRUE(entry->keyword, !entry->argument);
	}
}

static void changes(void)
{
	unsigned int checked = 0;

	for (size_t i = 0; i < TEST_COUNT(tables); i++) {
		for (size_t j = 0; j < tables[i]->count; j++) {
			if (!options_has(tables[i], j) ||
			    !tables[i]->entry[j].changes)
				continue;
			check_changes(&tables[i]->entry[j]);
			checked++;
		}
	}
	TEST_TRUE("rows", checked >= 10);
}

static const struct test_case cases[] = {
	{ "a keyword has the name of its attribute", attributes },
	{ "a key is the name of its attribute and the unit", keys },
	{ "a choice is recorded as it is typed", choices },
	{ "changes are words that the laboratory knows", changes },
};

TEST_MAIN(cases)
