/* SPDX-License-Identifier: GPL-2.0 */
/* table: rows of text, each column as wide as its widest cell. */
#ifndef KTPUT_TOOLS_TABLE_H
#define KTPUT_TOOLS_TABLE_H

#include <stdarg.h>

#include "output.h"

#define TABLE_COLUMNS_MAX	32

/**
 * struct table - a table and its rows that are not printed yet
 * @column: the columns
 * @columns: their number
 * @live: rows are printed one by one: cells do not widen their column
 * @width: width of each column
 * @cell: the cells, row by row
 * @cells: their number
 */
struct table {
	struct output_column column[TABLE_COLUMNS_MAX];
	size_t columns;
	bool live;
	int width[TABLE_COLUMNS_MAX];
	char **cell;
	size_t cells;
};

void table_begin(struct table *table, const struct output_column *column, size_t columns,
		 bool live);
bool table_add(struct table *table, const char *text, va_list ap);
int table_titles(const struct table *table, FILE *to);
int table_rows(struct table *table, FILE *to);

#endif
