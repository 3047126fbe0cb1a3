// SPDX-License-Identifier: GPL-2.0
/* run_refusal: translate a refusal to the keywords of the command line. */
#include <stdio.h>
#include <string.h>

#include "run_options.h"
#include "session.h"

#define NAME_CHARACTERS	"abcdefghijklmnopqrstuvwxyz0123456789-_."

/* The attribute that a word of a sentence names, or 0. */
static int attribute_of(const char *word, size_t length)
{
	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++) {
		const char *name = config_attributes[type].name;

		if (name && strlen(name) == length &&
		    !strncmp(name, word, length))
			return type;
	}
	return 0;
}

static bool is(const struct options_entry *entry, unsigned int end,
	       int attribute)
{
	return entry->attribute == attribute && entry->ends & end;
}

static bool makes(const struct options_entry *entry, unsigned int end,
		  int attribute)
{
	const int *made = entry->made_of & end ? entry->made : NULL;

	while (made && *made && *made != attribute)
		made++;
	return made && *made;
}

/*
 * Find the keyword of an attribute. The order of preference is: the attribute's own
 * keyword if it was given, a given keyword that sets the attribute indirectly, the
 * first one in the table.
 */
static const char *keyword_of(const struct command_context *context,
			      unsigned int end, int attribute)
{
	const struct options_table *table = context->options;
	const char *first = NULL, *maker = NULL;

	for (size_t i = 0; i < table->count; i++) {
		const struct options_entry *entry = &table->entry[i];
		const bool own = is(entry, end, attribute);
		const bool given = options_in(&context->given, i);

		if (!options_has(table, i) ||
		    (!own && !makes(entry, end, attribute)))
			continue;
		if (own && given)
			return entry->keyword;
		if (given && !maker)
			maker = entry->keyword;
		if (!first)
			first = entry->keyword;
	}
	return maker ? maker : first;
}

/* Length of the separator between two names of a list, or 0. */
static size_t joint(const char *text)
{
	static const char *const joints[] = { ", ", " and ", " or " };

	for (size_t i = 0; i < COUNT(joints); i++)
		if (!strncmp(text, joints[i], strlen(joints[i])))
			return strlen(joints[i]);
	return 0;
}

/**
 * run_refusal_address() - name the address that is not one of a namespace
 * @local: the address of the end
 * @netns: name of its network namespace, or NULL
 * @err: the refusal; any other text is not changed
 */
void run_refusal_address(const struct address *local, const char *netns,
			 struct units_error *err)
{
	static const char refused[] = "refused: local address is not an address";

	if (!strncmp(err->text, refused, strlen(refused)))
		units_refuse(err, "refused: %s is not an address of %s%s",
			     address_show(local).text,
			     netns ? "network namespace " : "this network namespace",
			     netns ? netns : "");
}

/**
 * run_refusal_translate() - replace attribute names with keywords
 * @context: the command's context
 * @end: the end that is refused, RUN_END_SOURCE or RUN_END_SINK
 * @err: "refused: " and a sentence; any other text is not changed
 *
 * A name without a hyphen may also be an English word. It is translated only at
 * the start of a sentence, or in a list with another name.
 */
void run_refusal_translate(const struct command_context *context,
			   unsigned int end, struct units_error *err)
{
	static const char prefix[] = "refused: ";
	const struct units_error why = *err;
	const char *from = why.text, *last = NULL;
	size_t joined = 0;
	bool named = true;
	FILE *to;

	if (strncmp(from, prefix, strlen(prefix)))
		return;
	to = fmemopen(err->text, sizeof(err->text), "w");
	if (!to)
		return;
	from += fprintf(to, "%s", prefix);
	while (*from) {
		const size_t length = strspn(from, NAME_CHARACTERS);
		const int attribute = attribute_of(from, length);
		const char *keyword = NULL;

		if (attribute && (named || memchr(from, '-', length)))
			keyword = keyword_of(context, end, attribute);
		/* Print the keyword once for a list of its attributes. */
		if (!keyword)
			fprintf(to, "%.*s%.*s", (int)joined, from - joined,
				(int)length, from);
		else if (!last || strcmp(keyword, last))
			fprintf(to, "%.*s%s", (int)joined, from - joined,
				keyword);
		from += length;
		joined = keyword ? joint(from) : 0;
		last = joined ? keyword : NULL;
		named = joined;
		from += joined;
		if (joined)
			continue;
		from += fprintf(to, "%.*s",
				(int)strcspn(from, NAME_CHARACTERS), from);
	}
	fclose(to);
}
