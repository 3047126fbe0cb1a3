// SPDX-License-Identifier: GPL-2.0
/* symbols: names of the kernel's functions by address. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

/* KSYM_NAME_LEN of Linux, plus a module's name and an address. */
#define NAME_MAX_BYTES	512
#define LINE_MAX_BYTES	(NAME_MAX_BYTES + 128)

/* Linux puts padding before each function; its symbol is not a function. */
#define PADDING	"__pfx_"

/**
 * struct line - a line of the file
 * @address: of the symbol, 0 if it is hidden
 * @type: type letter as in nm(1)
 * @name: of the symbol
 * @module: in brackets, or ""
 */
struct line {
	uint64_t address;
	char type;
	char name[NAME_MAX_BYTES];
	char module[64];
};

/* True if the line is a symbol of a function. */
static bool parse(const char *text, struct line *line)
{
	int fields;

	line->module[0] = '\0';
	fields = sscanf(text, "%" SCNx64 " %c %511s [%63[^]]", &line->address,
			&line->type, line->name, line->module);
	return fields >= 3 && strchr("tTwW", line->type) &&
	       strncmp(line->name, PADDING, strlen(PADDING));
}

static int refuse_hidden(struct units_error *err)
{
	return units_refuse(err,
			    "addresses in %s are hidden: it takes root, or CAP_SYSLOG, and kernel.kptr_restrict below 2",
			    SYMBOLS_FILE);
}

static int append(struct symbols *symbols, struct line *line, size_t *room)
{
	struct symbols_entry *entry = symbols->entry;

	if (symbols->count == *room) {
		*room = *room ? *room * 2 : 1024;
		entry = realloc(entry, *room * sizeof(*entry));
		if (!entry)
			return -1;
		symbols->entry = entry;
	}
	entry += symbols->count++;
	line->name[1 + strcspn(line->name + 1, ".")] = '\0';
	entry->address = line->address;
	entry->name = strdup(line->name);
	entry->module = strdup(line->module);
	return entry->name && entry->module ? 0 : -1;
}

/* By address, then by name, so that the order is always the same. */
static int compare(const void *first, const void *second)
{
	const struct symbols_entry *a = first, *b = second;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void entry_free(struct symbols_entry *entry)
{
	free(entry->name);
	free(entry->module);
}

/* Keep one name per address. */
static void drop_aliases(struct symbols *symbols)
{
	size_t kept = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		struct symbols_entry *entry = &symbols->entry[i];

		if (kept && symbols->entry[kept - 1].address == entry->address)
			entry_free(entry);
		else
			symbols->entry[kept++] = *entry;
	}
	symbols->count = kept;
}

/**
 * symbols_read() - read functions
 * @symbols: filled in; release with symbols_free()
 * @from: file in the format of /proc/kallsyms
 * @err: reason of a failure
 */
int symbols_read(struct symbols *symbols, FILE *from, struct units_error *err)
{
	char text[LINE_MAX_BYTES];
	struct line line;
	bool any = false;
	size_t room = 0;

	memset(symbols, 0, sizeof(*symbols));
	while (fgets(text, sizeof(text), from)) {
		if (!parse(text, &line))
			continue;
		any = true;
		if (!line.address)
			continue;
		if (append(symbols, &line, &room)) {
			units_refuse(err, "out of memory");
			symbols_free(symbols);
			return -1;
		}
	}
	if (!symbols->count) {
		if (any)
			return refuse_hidden(err);
		return units_refuse(err,
				    "there are no functions in " SYMBOLS_FILE);
	}
	qsort(symbols->entry, symbols->count, sizeof(*symbols->entry), compare);
	drop_aliases(symbols);
	return 0;
}

static FILE *open_file(struct units_error *err)
{
	FILE *from = fopen(SYMBOLS_FILE, "re");

	if (!from)
		units_refuse(err, SYMBOLS_FILE ": %s", strerror(errno));
	return from;
}

/**
 * symbols_open() - read the functions of this kernel and its modules
 * @symbols: filled in; release with symbols_free()
 * @err: reason of a failure
 */
int symbols_open(struct symbols *symbols, struct units_error *err)
{
	FILE *from = open_file(err);
	int ret;

	if (!from)
		return -1;
	ret = symbols_read(symbols, from, err);
	fclose(from);
	return ret;
}

/**
 * symbols_check() - whether symbols_open() can read addresses
 * @err: why not
 */
int symbols_check(struct units_error *err)
{
	FILE *from = open_file(err);
	char text[LINE_MAX_BYTES];
	struct line line;
	bool seen = false;

	if (!from)
		return -1;
	while (!seen && fgets(text, sizeof(text), from))
		seen = parse(text, &line) && line.address;
	fclose(from);
	return seen ? 0 : refuse_hidden(err);
}

/**
 * symbols_free() - free the symbols
 * @symbols: symbols, or all zero
 */
void symbols_free(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		entry_free(&symbols->entry[i]);
	free(symbols->entry);
	memset(symbols, 0, sizeof(*symbols));
}

/**
 * symbols_find() - find the function for an address
 * @symbols: symbols
 * @address: any address inside the function
 *
 * Return: its index, or SYMBOLS_NONE if the address is below all functions.
 */
size_t symbols_find(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->entry[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : SYMBOLS_NONE;
}
