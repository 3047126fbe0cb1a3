/* SPDX-License-Identifier: GPL-2.0 */
/*
 * classes: what kind of work a function of the kernel does, by a table that is
 * a text file.
 *
 *   class NAME TITLE...   a class, in the order of the report
 *   NAME PATTERN...       functions that are of this class
 *   caller PATTERN...     functions that are as if their caller itself ran
 *
 * A pattern is a glob(7) for names of functions; module:GLOB stands for all
 * functions of modules; leaf:PATTERN counts where the function itself was
 * running, and says nothing of what it calls. The first pattern that matches
 * decides. "#" begins a comment. The class "user" has to be there: it is what
 * runs outside the kernel.
 */
#ifndef KTPUT_TOOLS_CLASSES_H
#define KTPUT_TOOLS_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../base/units.h"

#define CLASSES_MAX	32

/* No class has this number. */
#define CLASSES_NONE	SIZE_MAX

/* The class is that of the caller. */
#define CLASSES_CALLER	(SIZE_MAX - 1)

/**
 * struct classes_rule - a pattern
 * @class: number of the class, or CLASSES_CALLER
 * @leaf: does not stand for what the function calls
 * @module: is for names of modules
 * @glob: the pattern itself
 * @line: where it stands
 */
struct classes_rule {
	size_t class;
	bool leaf;
	bool module;
	char *glob;
	unsigned int line;
};

/**
 * struct classes_class - a class
 * @name: the word
 * @title: for people
 */
struct classes_class {
	char *name;
	char *title;
};

/**
 * struct classes - the table
 * @class: classes, in the order of the report
 * @count: how many
 * @user: which of them is "user"
 * @rule: patterns, in the order of the file
 * @rules: how many
 */
struct classes {
	struct classes_class class[CLASSES_MAX];
	size_t count;
	size_t user;
	struct classes_rule *rule;
	size_t rules;
};

int classes_read(struct classes *classes, FILE *from, const char *name,
		 struct units_error *err);
int classes_open(struct classes *classes, const char *path,
		 struct units_error *err);
void classes_free(struct classes *classes);
bool classes_rule_matches(const struct classes_rule *rule, const char *symbol,
			  const char *module);
size_t classes_match(const struct classes *classes, const char *symbol,
		     const char *module, bool leaf);

#endif
