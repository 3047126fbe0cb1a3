/* SPDX-License-Identifier: GPL-2.0 */
/*
 * classes: classify kernel functions by a table. The table is a text file.
 *
 *   class NAME TITLE...   a class, in the order of the report
 *   NAME PATTERN...       functions of this class
 *   caller PATTERN...     functions that take the class of their caller
 *
 * A pattern is a glob(7) for function names. module:GLOB matches all functions of
 * modules. leaf:PATTERN matches only if the function itself was running, not one
 * that it called. The first matching pattern decides. "#" begins a comment. The
 * class "user" is mandatory: it stands for code outside the kernel.
 */
#ifndef KTPUT_TOOLS_CLASSES_H
#define KTPUT_TOOLS_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../base/units.h"

#define CLASSES_MAX	32

/* No class. */
#define CLASSES_NONE	SIZE_MAX

/* The class of the caller. */
#define CLASSES_CALLER	(SIZE_MAX - 1)

/**
 * struct classes_rule - a pattern
 * @class: number of the class, or CLASSES_CALLER
 * @leaf: does not match callees of the function
 * @module: matches names of modules
 * @glob: the pattern itself
 * @line: line number in the file
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
 * @name: its keyword in the file
 * @title: its name in text
 */
struct classes_class {
	char *name;
	char *title;
};

/**
 * struct classes - the table
 * @class: classes, in the order of the report
 * @count: number of classes
 * @user: index of "user"
 * @rule: patterns, in the order of the file
 * @rules: number of patterns
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
size_t classes_match(const struct classes *classes, const char *symbol,
		     const char *module, bool leaf);

#endif
