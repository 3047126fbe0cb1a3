/* SPDX-License-Identifier: GPL-2.0 */
/*
 * output: one call prints a value as text or adds it to a JSON document.
 *
 * A value has a JSON key, whose name includes the unit, and a printf format for
 * the text. Inside an array the key is NULL. In a table row each value is the
 * next cell. The "data" calls are for JSON only, output_text() for text only.
 *
 * Results go to one stream, diagnostics to the other. Each JSON document is
 * printed when it is finished, so a live view is a sequence of documents. If
 * documents are kept, the same calls also build them when the results are text.
 */
#ifndef KTPUT_TOOLS_OUTPUT_H
#define KTPUT_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct output;

/**
 * enum output_form - form of the results
 * @OUTPUT_TEXT: for people
 * @OUTPUT_JSON: each document on one line
 * @OUTPUT_JSON_PRETTY: indented
 */
enum output_form {
	OUTPUT_TEXT,
	OUTPUT_JSON,
	OUTPUT_JSON_PRETTY,
};

/**
 * struct output_column - one column of a table
 * @title: its heading
 * @width: minimum width; the width of a column in a live table
 * @left: align to the left, for words
 */
struct output_column {
	const char *title;
	int width;
	bool left;
};

struct json_object;

/**
 * typedef output_keeper - receive a finished document
 * @document: the document, valid during the call only
 * @data: argument of output_keep()
 */
typedef void (*output_keeper)(struct json_object *document, void *data);

void *output_must(void *memory);
struct output *output_new(FILE *results, FILE *diagnostics,
			  enum output_form form, const char *program);
int output_free(struct output *out) __attribute__((warn_unused_result));
bool output_is_json(const struct output *out);
enum output_form output_form_of(const struct output *out);
bool output_is_text(const struct output *out);
void output_keep(struct output *out, output_keeper keeper, void *data);
void output_spool(struct output *out, const char *directory);
void output_stream(struct output *out, bool stream);
void output_apart(struct output *out);
void output_mute(struct output *out, bool muted);
void output_flush(struct output *out);
void output_aside(struct output *out, struct json_object *document);
void output_document_drop(struct output *out);
int output_document_end(struct output *out);

void output_object_begin(struct output *out, const char *key);
void output_object_end(struct output *out);
void output_array_begin(struct output *out, const char *key);
void output_array_end(struct output *out);

/*
 * A table is an array with one object per row, or text only without a key. Its
 * text is held back until the end, to fit the columns. The text of a live table is
 * printed row by row, and what its document has of them is not in memory.
 */
void output_table_begin(struct output *out, const char *key,
			const struct output_column *columns, size_t count,
			bool live);
void output_row_begin(struct output *out);
void output_row_end(struct output *out);
void output_table_end(struct output *out);

void output_u64(struct output *out, const char *key, uint64_t value,
		const char *text, ...) __attribute__((format(printf, 4, 5)));
void output_double(struct output *out, const char *key, double value,
		   const char *text, ...)
	__attribute__((format(printf, 4, 5)));
void output_string(struct output *out, const char *key, const char *value,
		   const char *text, ...)
	__attribute__((format(printf, 4, 5)));
void output_bool(struct output *out, const char *key, bool value,
		 const char *text, ...) __attribute__((format(printf, 4, 5)));
void output_null(struct output *out, const char *key, const char *text, ...)
	__attribute__((format(printf, 3, 4)));

void output_data_u64(struct output *out, const char *key, uint64_t value);
void output_data_i64(struct output *out, const char *key, int64_t value);
void output_data_double(struct output *out, const char *key, double value);
void output_data_string(struct output *out, const char *key,
			const char *value);
void output_data_bool(struct output *out, const char *key, bool value);
void output_data_json(struct output *out, const char *key,
		      struct json_object *value);
void output_text(struct output *out, const char *text, ...)
	__attribute__((format(printf, 2, 3)));

/* Messages for the diagnostics stream: {"error": ...} or {"warning": ...}. */
void output_error(struct output *out, const char *text, ...)
	__attribute__((format(printf, 2, 3)));
void output_warning(struct output *out, const char *text, ...)
	__attribute__((format(printf, 2, 3)));

/* Column of the values in a report, and the remainder of 80 columns. */
#define PARAGRAPH_INDENT	17
#define PARAGRAPH_WIDTH		(80 - PARAGRAPH_INDENT)

void paragraph_at(struct output *out, int indent, const char *heading,
		  const char *sentence);
void paragraph_command(struct output *out, int indent, const char *command);
void paragraph_print(struct output *out, const char *heading,
		     const char *sentence);

#endif
