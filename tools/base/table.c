// SPDX-License-Identifier: GPL-2.0
/* table: rows of text, each column as wide as its widest cell. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static void widen(struct table *table, size_t column, int width)
{
	if (table->width[column] < width)
		table->width[column] = width;
}

/**
 * table_begin() - start a table without rows
 * @table: the table
 * @column: its columns
 * @columns: their number
 * @live: whether rows are printed one by one
 */
void table_begin(struct table *table, const struct output_column *column, size_t columns,
		 bool live)
{
	assert(columns && columns <= TABLE_COLUMNS_MAX);
	*table = (struct table) { .columns = columns, .live = live };
	for (size_t i = 0; i < columns; i++) {
		table->column[i] = column[i];
		widen(table, i, column[i].width);
		widen(table, i, strlen(column[i].title));
	}
}

/**
 * table_add() - add the next cell of a row
 * @table: the table
 * @text: format of the cell
 * @ap: its values
 *
 * Return: whether memory was enough.
 */
bool table_add(struct table *table, const char *text, va_list ap)
{
	const size_t bytes = (table->cells + 1) * sizeof(*table->cell);
	char **cell = realloc(table->cell, bytes);
	int length;

	if (!cell)
		return false;
	table->cell = cell;
	length = vasprintf(&cell[table->cells], text, ap);
	if (length < 0)
		return false;
	if (!table->live)
		widen(table, table->cells % table->columns, length);
	table->cells++;
	return true;
}

/* Print spaces only before more text, so that no line ends with blanks. */
static int print_cell(const struct table *table, size_t column, const char *text,
		      int *gap, FILE *to)
{
	const bool left = table->column[column].left;
	int padding = table->width[column] - (int)strlen(text);

	if (padding < 0)
		padding = 0;
	if (!left)
		*gap += padding;
	if (*text) {
		if (fprintf(to, "%*s%s", *gap, "", text) < 0)
			return -1;
		*gap = 0;
	}
	*gap += 2;
	if (left)
		*gap += padding;
	if (column + 1 < table->columns)
		return 0;
	*gap = 0;
	return fputc('\n', to) < 0 ? -1 : 0;
}

/**
 * table_titles() - print the line of titles
 * @table: the table
 * @to: where to
 *
 * Return: 0, or -1 with errno.
 */
int table_titles(const struct table *table, FILE *to)
{
	int gap = 0, ret = 0;

	for (size_t i = 0; !ret && i < table->columns; i++)
		ret = print_cell(table, i, table->column[i].title, &gap, to);
	return ret;
}

/**
 * table_rows() - print the rows, and forget them
 * @table: the table
 * @to: where to
 *
 * Return: 0, or -1 with errno.
 */
int table_rows(struct table *table, FILE *to)
{
	int gap = 0, ret = 0;

	for (size_t i = 0; !ret && i < table->cells; i++)
		ret = print_cell(table, i % table->columns, table->cell[i], &gap, to);
	for (size_t i = 0; i < table->cells; i++)
		free(table->cell[i]);
	free(table->cell);
	table->cell = NULL;
	table->cells = 0;
	return ret;
}
