/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols: names of the kernel's functions by address, from /proc/kallsyms.
 */
#ifndef KTPUT_TOOLS_SYMBOLS_H
#define KTPUT_TOOLS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/units.h"

#define SYMBOLS_FILE	"/proc/kallsyms"

/* No symbol. */
#define SYMBOLS_NONE	SIZE_MAX

/**
 * struct symbols_entry - a function
 * @address: its start
 * @name: its name without suffixes of the compiler (.isra.0, .cold)
 * @module: its module, or ""
 */
struct symbols_entry {
	uint64_t address;
	char *name;
	char *module;
};

/**
 * struct symbols - functions by address
 * @entry: in the order of addresses, each address once; of several names the
 *	first in alphabetical order
 * @count: number of functions
 */
struct symbols {
	struct symbols_entry *entry;
	size_t count;
};

int symbols_read(struct symbols *symbols, FILE *from, struct units_error *err);
int symbols_open(struct symbols *symbols, struct units_error *err);
int symbols_check(struct units_error *err);
void symbols_free(struct symbols *symbols);
size_t symbols_find(const struct symbols *symbols, uint64_t address);

#endif
