/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spool: elements of a JSON array that are kept as text, outside of memory.
 *
 * The array has one element in place of all: it prints each of them. The last SPOOL_MEMORY
 * bytes are in memory, those before them in a file that has no name, so that it goes
 * however the program ends. What fits into memory makes no file.
 */
#ifndef KTPUT_TOOLS_SPOOL_H
#define KTPUT_TOOLS_SPOOL_H

#include <stdio.h>

struct json_object;

#define SPOOL_MEMORY	1048576

struct json_object *spool_new(const char *directory);
int spool_add(struct json_object *spool, struct json_object *element);
int spool_end(struct json_object *spool);
const char *spool_place(struct json_object *spool);
void spool_each(struct json_object *array,
		void (*look)(struct json_object *element, void *data), void *data);
int spool_print(struct json_object *document, int flags, FILE *to);
int spool_print_apart(struct json_object *document, const char *key, FILE *to);

#endif
