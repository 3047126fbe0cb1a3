// SPDX-License-Identifier: GPL-2.0
/* classes: classify kernel functions by a table. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "classes.h"

#define TABLE		"classes.txt"
#define BLANKS		" \t\n"
#define CLASS		"class"
#define CALLER		"caller"
#define LEAF		"leaf:"
#define MODULE		"module:"
#define LINE_BYTES	1024

/* Position of a line, for error messages. */
struct position {
	const char *name;
	unsigned int line;
	struct units_error *err;
};

static int out_of_memory(const struct position *at)
{
	return units_refuse(at->err, "%s:%u: out of memory", at->name,
			    at->line);
}

static size_t find(const struct classes *classes, const char *name)
{
	for (size_t i = 0; i < classes->count; i++)
		if (!strcmp(classes->class[i].name, name))
			return i;
	return strcmp(name, CALLER) ? CLASSES_NONE : CLASSES_CALLER;
}

static int add_class(struct classes *classes, char *words,
		     const struct position *at)
{
	struct classes_class *class = &classes->class[classes->count];
	const char *name = strtok_r(words, BLANKS, &words);
	const char *title;

	/* The title extends to the end of the line and may contain blanks. */
	words += strspn(words, BLANKS);
	title = words;
	if (!name || !*title)
		return units_refuse(at->err,
				    "%s:%u: 'class' lacks its name or its title",
				    at->name, at->line);
	if (!strcmp(name, CLASS) || find(classes, name) != CLASSES_NONE)
		return units_refuse(at->err,
				    "%s:%u: class '%s' is there already",
				    at->name, at->line, name);
	if (classes->count == CLASSES_MAX)
		return units_refuse(at->err, "%s:%u: more than %u classes",
				    at->name, at->line, CLASSES_MAX);
	class->name = strdup(name);
	class->title = strdup(title);
	classes->count++;
	return class->name && class->title ? 0 : out_of_memory(at);
}

static bool take_prefix(const char **word, const char *prefix)
{
	if (strncmp(*word, prefix, strlen(prefix)))
		return false;
	*word += strlen(prefix);
	return true;
}

static int add_rule(struct classes *classes, size_t class, const char *word,
		    const struct position *at)
{
	struct classes_rule *rule;

	rule = realloc(classes->rule, (classes->rules + 1) * sizeof(*rule));
	if (!rule)
		return out_of_memory(at);
	classes->rule = rule;
	rule += classes->rules;
	rule->class = class;
	rule->leaf = take_prefix(&word, LEAF);
	rule->module = take_prefix(&word, MODULE);
	rule->line = at->line;
	if (!*word || strchr(word, ':'))
		return units_refuse(at->err,
				    "%s:%u: '%s' is no pattern: none has a colon "
				    "but after 'leaf' and 'module'", at->name,
				    at->line, word);
	rule->glob = strdup(word);
	if (!rule->glob)
		return out_of_memory(at);
	classes->rules++;
	return 0;
}

static int add_rules(struct classes *classes, const char *name, char *words,
		     const struct position *at)
{
	size_t class = find(classes, name);
	const char *word;
	size_t rules = classes->rules;

	if (class == CLASSES_NONE)
		return units_refuse(at->err,
				    "%s:%u: there is no class '%s' yet",
				    at->name, at->line, name);
	while ((word = strtok_r(words, BLANKS, &words)))
		if (add_rule(classes, class, word, at))
			return -1;
	if (classes->rules > rules)
		return 0;
	return units_refuse(at->err, "%s:%u: no pattern behind '%s'", at->name,
			    at->line, name);
}

static int add_line(struct classes *classes, char *text,
		    const struct position *at)
{
	const char *name;
	size_t length;

	if (strlen(text) == LINE_BYTES - 1 && text[LINE_BYTES - 2] != '\n')
		return units_refuse(at->err,
				    "%s:%u: the line is longer than %u bytes",
				    at->name, at->line, LINE_BYTES - 2);
	length = strcspn(text, "#");
	while (length && strchr(BLANKS, text[length - 1]))
		length--;
	text[length] = '\0';
	name = strtok_r(text, BLANKS, &text);
	if (!name)
		return 0;
	return strcmp(name, CLASS) ? add_rules(classes, name, text, at) :
				       add_class(classes, text, at);
}

/**
 * classes_read() - read a table
 * @classes: filled in; free with classes_free()
 * @from: the file
 * @name: name of the file, for error messages
 * @err: what is wrong, and in which line
 */
int classes_read(struct classes *classes, FILE *from, const char *name,
		 struct units_error *err)
{
	struct position at = { .name = name, .err = err };
	char text[LINE_BYTES];

	memset(classes, 0, sizeof(*classes));
	while (fgets(text, sizeof(text), from)) {
		at.line++;
		if (add_line(classes, text, &at))
			goto refused;
	}
	if (ferror(from)) {
		units_refuse(err, "%s: %s", name, strerror(errno));
		goto refused;
	}
	classes->user = find(classes, "user");
	if (classes->user != CLASSES_NONE)
		return 0;
	units_refuse(err, "%s: there is no class 'user'", name);
refused:
	classes_free(classes);
	return -1;
}

/* In the build tree beside the program, when installed in share/. */
static FILE *open_own(char *path, size_t size)
{
	static const char *const places[] = {
		TABLE, "../share/ktput/" TABLE,
	};
	char program[size];
	ssize_t length = readlink("/proc/self/exe", program, size - 1);
	FILE *from = NULL;

	if (length < 0)
		return NULL;
	program[length] = '\0';
	*strrchr(program, '/') = '\0';
	for (size_t i = 0; !from && i < COUNT(places); i++) {
		if ((size_t)snprintf(path, size, "%s/%s", program, places[i]) >=
		    size)
			continue;
		from = fopen(path, "re");
	}
	return from;
}

/**
 * classes_open() - read a table, or the default one
 * @classes: filled in; free with classes_free()
 * @path: path of the file, NULL for the default table
 * @err: what is wrong
 */
int classes_open(struct classes *classes, const char *path,
		 struct units_error *err)
{
	char own[4096] = TABLE;
	FILE *from;
	int ret;

	from = path ? fopen(path, "re") : open_own(own, sizeof(own));
	if (!from)
		return units_refuse(err, "%s: %s", path ? path : own,
				    strerror(errno));
	ret = classes_read(classes, from, path ? path : own, err);
	fclose(from);
	return ret;
}

/**
 * classes_free() - free a table
 * @classes: table, or all zero
 */
void classes_free(struct classes *classes)
{
	for (size_t i = 0; i < classes->count; i++) {
		free(classes->class[i].name);
		free(classes->class[i].title);
	}
	for (size_t i = 0; i < classes->rules; i++)
		free(classes->rule[i].glob);
	free(classes->rule);
	memset(classes, 0, sizeof(*classes));
}

/* Whether a pattern matches a function of a module, or of the kernel. */
static bool matches(const struct classes_rule *rule, const char *symbol,
		    const char *module)
{
	if (rule->module)
		return *module && !fnmatch(rule->glob, module, 0);
	return !fnmatch(rule->glob, symbol, 0);
}

/**
 * classes_match() - the class of a function
 * @classes: table
 * @symbol: name of the function
 * @module: its module, or ""
 * @leaf: the function itself was running, not one that it called
 *
 * Return: number of the class, CLASSES_CALLER or CLASSES_NONE.
 */
size_t classes_match(const struct classes *classes, const char *symbol,
		     const char *module, bool leaf)
{
	for (size_t i = 0; i < classes->rules; i++)
		if ((leaf || !classes->rule[i].leaf) &&
		    matches(&classes->rule[i], symbol, module))
			return classes->rule[i].class;
	return CLASSES_NONE;
}
