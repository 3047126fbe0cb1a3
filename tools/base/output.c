// SPDX-License-Identifier: GPL-2.0
/* output: one call prints a value as text or adds it to a JSON document. */
#include <assert.h>
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "output.h"
#include "spool.h"
#include "table.h"

/* Maximum nesting of a document: record, ends, streams, CPUs, values. */
#define DEPTH_MAX	16

struct output {
	FILE *results;
	FILE *diagnostics;
	enum output_form form;
	const char *program;
	output_keeper keeper;
	void *keeper_data;
	bool muted;
	bool stream;
	bool apart;
	/* errno of the first failed write; stdio only remembers that one failed. */
	int error;
	struct json_object *stack[DEPTH_MAX];
	size_t depth;
	struct table table;
	/* The table is for text alone. */
	bool alone;
	bool in_row;
	/* Where rows of live tables go, which may be many. */
	const char *directory;
	const char *key;
	struct json_object *spool;
	uint64_t rows;
	bool lost;
};

/**
 * output_must() - memory that the program cannot go on without
 * @memory: what was allocated, or NULL
 *
 * Return: @memory.
 */
void *output_must(void *memory)
{
	if (!memory) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return memory;
}

static void written(struct output *out, int ret)
{
	if (ret < 0 && !out->error)
		out->error = errno;
}

/* JSON requires UTF-8, but for example file names may be any bytes. */
static struct json_object *new_string(const char *value)
{
	char *text = output_must(utf8_copy(value));
	struct json_object *string = output_must(json_object_new_string(text));

	free(text);
	return string;
}

static void begin_document(struct output *out)
{
	out->stack[0] = output_must(json_object_new_object());
	out->depth = 1;
}

static int json_flags(const struct output *out)
{
	if (out->form == OUTPUT_JSON_PRETTY)
		return JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
		       JSON_C_TO_STRING_NOSLASHESCAPE;
	return JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
}

/**
 * output_new() - start a document
 * @results: stream for values
 * @diagnostics: stream for errors and warnings
 * @form: text or JSON
 * @program: prefix of diagnostics in text
 *
 * Return: the output, to be ended with output_free().
 */
struct output *output_new(FILE *results, FILE *diagnostics,
			  enum output_form form, const char *program)
{
	struct output *out = output_must(calloc(1, sizeof(*out)));

	out->results = results;
	out->diagnostics = diagnostics;
	out->form = form;
	out->program = program;
	if (form != OUTPUT_TEXT)
		begin_document(out);
	return out;
}

/**
 * output_is_json() - whether a document is built
 * @out: the output
 *
 * Return: true for both JSON forms, and if documents are kept; false in a table
 * for text alone.
 */
bool output_is_json(const struct output *out)
{
	return out->depth && !out->alone;
}

/**
 * output_form_of() - form of the results
 * @out: the output
 *
 * Return: the form.
 */
enum output_form output_form_of(const struct output *out)
{
	return out->form;
}

/**
 * output_is_text() - whether text is printed
 * @out: the output
 *
 * Return: true for text, unless muted.
 */
bool output_is_text(const struct output *out)
{
	return out->form == OUTPUT_TEXT && !out->muted;
}

/**
 * output_keep() - keep documents in any form of the results
 * @out: the output, between two documents
 * @keeper: receives each finished document; NULL stops keeping
 * @data: passed to @keeper
 */
void output_keep(struct output *out, output_keeper keeper, void *data)
{
	out->keeper = keeper;
	out->keeper_data = data;
	if (out->form != OUTPUT_TEXT)
		return;
	json_object_put(out->stack[0]);
	out->stack[0] = NULL;
	out->depth = 0;
	if (keeper)
		begin_document(out);
}

/**
 * output_mute() - add what follows to the document, but not to the text
 * @out: the output, outside of tables
 * @muted: whether to mute from now on
 */
void output_mute(struct output *out, bool muted)
{
	assert(!out->table.columns);
	out->muted = muted;
}

/**
 * output_stream() - print rows of live tables before their document is finished
 * @out: the output
 * @stream: print each row as JSON on its own line; the document contains it too
 */
void output_stream(struct output *out, bool stream)
{
	out->stream = stream;
}

/**
 * output_spool() - say where a file for many rows is made
 * @out: the output
 * @directory: the directory, valid as long as it is set; NULL for the usual ones
 */
void output_spool(struct output *out, const char *directory)
{
	out->directory = directory;
}

/**
 * output_apart() - print rows of live tables before their document, not in it
 * @out: the output, in one line for each document
 *
 * Each is the member interval of an object on a line of its own.
 */
void output_apart(struct output *out)
{
	out->apart = true;
}

static void print_line(struct output *out, struct json_object *document)
{
	written(out, spool_print(document, json_flags(out), out->results));
	written(out, fputc('\n', out->results));
	written(out, fflush(out->results));
}

/**
 * output_flush() - print what was written so far, wherever it goes
 * @out: the output
 */
void output_flush(struct output *out)
{
	written(out, fflush(out->results));
}

/**
 * output_aside() - keep a document of its own while another is not finished
 * @out: the output
 * @document: the document; it is printed too if rows of live tables are
 */
void output_aside(struct output *out, struct json_object *document)
{
	if (out->stream && out->form != OUTPUT_TEXT)
		print_line(out, document);
	if (out->keeper)
		out->keeper(document, out->keeper_data);
}

static void end_document(struct output *out)
{
	struct json_object *document = out->stack[0];

	if (out->apart)
		written(out, spool_print_apart(document, "interval", out->results));
	else if (out->form != OUTPUT_TEXT)
		print_line(out, document);
	if (out->keeper)
		out->keeper(document, out->keeper_data);
	json_object_put(document);
	begin_document(out);
}

/**
 * output_document_drop() - discard the unfinished document
 * @out: the output
 */
void output_document_drop(struct output *out)
{
	assert(!out->table.columns);
	if (!output_is_json(out))
		return;
	assert(out->depth == 1);
	json_object_put(out->stack[0]);
	begin_document(out);
}

/**
 * output_document_end() - finish the document and start the next
 * @out: the output
 *
 * An empty document is neither printed nor kept.
 *
 * Return: 0, or -1 with errno if the results could not be written.
 */
int output_document_end(struct output *out)
{
	assert(!out->table.columns);
	if (output_is_json(out)) {
		assert(out->depth == 1);
		if (json_object_object_length(out->stack[0]))
			end_document(out);
	}
	written(out, fflush(out->results));
	errno = out->error;
	return out->error ? -1 : 0;
}

/**
 * output_free() - print the rest and release the output
 * @out: the output
 *
 * Return: 0, or -1 with errno if the results could not be written.
 */
int output_free(struct output *out)
{
	int ret = output_document_end(out);
	int error = errno;

	json_object_put(out->stack[0]);
	free(out);
	errno = error;
	return ret;
}

static void add(struct output *out, const char *key, struct json_object *value)
{
	struct json_object *top = out->stack[out->depth - 1];

	if (json_object_is_type(top, json_type_array)) {
		assert(!key);
		if (json_object_array_add(top, value))
			output_must(NULL);
	} else {
		assert(key);
		if (json_object_object_add(top, key, value))
			output_must(NULL);
	}
}

static void push(struct output *out, const char *key,
		 struct json_object *value)
{
	assert(out->depth < DEPTH_MAX);
	add(out, key, output_must(value));
	out->stack[out->depth++] = value;
}

static void pop(struct output *out, enum json_type type)
{
	assert(out->depth > 1);
	out->depth--;
	assert(json_object_is_type(out->stack[out->depth], type));
	(void)type;
}

void output_object_begin(struct output *out, const char *key)
{
	if (output_is_json(out))
		push(out, key, json_object_new_object());
}

void output_object_end(struct output *out)
{
	if (output_is_json(out))
		pop(out, json_type_object);
}

void output_array_begin(struct output *out, const char *key)
{
	if (output_is_json(out))
		push(out, key, json_object_new_array());
}

void output_array_end(struct output *out)
{
	if (output_is_json(out))
		pop(out, json_type_array);
}

/**
 * output_table_begin() - begin an array of rows
 * @out: the output
 * @key: JSON key of the array, or NULL for a table for text alone
 * @columns: columns of the text; must stay valid until the end of the table
 * @count: number of columns
 * @live: print each row as soon as it ends
 */
void output_table_begin(struct output *out, const char *key,
			const struct output_column *columns, size_t count,
			bool live)
{
	assert(!out->table.columns);
	table_begin(&out->table, columns, count, live);
	out->alone = !key;
	out->key = key;
	out->rows = 0;
	out->lost = false;
	output_array_begin(out, key);
	if (live && output_is_text(out))
		written(out, table_titles(&out->table, out->results));
}

void output_row_begin(struct output *out)
{
	assert(out->table.columns && !out->in_row);
	out->in_row = true;
	output_object_begin(out, NULL);
}

/* Print a row on a line before the document is finished. */
static void stream_row(struct output *out, struct json_object *row)
{
	struct json_object *line = output_must(json_object_new_object());

	json_object_object_add(line, "interval", json_object_get(row));
	print_line(out, line);
	json_object_put(line);
}

/* The document goes on without the rows, so that there is room for the rest. */
static void lose_rows(struct output *out, struct json_object *array)
{
	output_warning(out, "cannot keep the %s in %s: %s. The run goes on, and its record will have none of them. Free space there, or set TMPDIR to a directory with more",
		       out->key, spool_place(out->spool), strerror(errno));
	json_object_array_del_idx(array, 0, 1);
	out->spool = NULL;
	out->lost = true;
}

/* Move the latest row of a live table to where rows may be many. */
static void spool_row(struct output *out)
{
	struct json_object *array = out->stack[out->depth - 1];
	const size_t last = json_object_array_length(array) - 1;
	struct json_object *row =
		json_object_get(json_object_array_get_idx(array, last));

	json_object_array_del_idx(array, last, 1);
	if (out->stream && out->form != OUTPUT_TEXT)
		stream_row(out, row);
	if (!out->rows++) {
		out->spool = spool_new(out->directory);
		add(out, NULL, out->spool);
	}
	if (out->spool && spool_add(out->spool, row))
		lose_rows(out, array);
	json_object_put(row);
}

/* End the array, and say how many rows it lacks. */
static void end_rows(struct output *out)
{
	char *key;

	if (out->spool && spool_end(out->spool))
		lose_rows(out, out->stack[out->depth - 1]);
	out->spool = NULL;
	output_array_end(out);
	if (!out->lost)
		return;
	if (asprintf(&key, "%s_missing", out->key) < 0)
		output_must(NULL);
	output_data_u64(out, key, out->rows);
	free(key);
}

void output_row_end(struct output *out)
{
	struct table *table = &out->table;

	assert(out->in_row);
	out->in_row = false;
	output_object_end(out);
	if (table->live && output_is_json(out))
		spool_row(out);
	if (!output_is_text(out))
		return;
	assert(table->cells % table->columns == 0);
	if (table->live) {
		written(out, table_rows(table, out->results));
		written(out, fflush(out->results));
	}
}

void output_table_end(struct output *out)
{
	assert(out->table.columns && !out->in_row);
	if (output_is_text(out) && !out->table.live) {
		written(out, table_titles(&out->table, out->results));
		written(out, table_rows(&out->table, out->results));
	}
	end_rows(out);
	out->table = (struct table) { 0 };
	out->alone = false;
}

static void print_text(struct output *out, const char *text, va_list ap)
{
	if (!out->in_row)
		written(out, vfprintf(out->results, text, ap));
	else if (!table_add(&out->table, text, ap))
		output_must(NULL);
}

/* Print the text of a value, and add the value to a document under its key. */
#define TEXT_AND(out, text, json_call)			\
	do {						\
		va_list ap;				\
							\
		json_call;				\
		if (!output_is_text(out))		\
			break;				\
		va_start(ap, text);			\
		print_text(out, text, ap);		\
		va_end(ap);				\
	} while (0)

void output_u64(struct output *out, const char *key, uint64_t value,
		const char *text, ...)
{
	TEXT_AND(out, text, output_data_u64(out, key, value));
}

void output_double(struct output *out, const char *key, double value,
		   const char *text, ...)
{
	TEXT_AND(out, text, output_data_double(out, key, value));
}

void output_string(struct output *out, const char *key, const char *value,
		   const char *text, ...)
{
	TEXT_AND(out, text, output_data_string(out, key, value));
}

void output_bool(struct output *out, const char *key, bool value,
		 const char *text, ...)
{
	TEXT_AND(out, text, output_data_bool(out, key, value));
}

static void add_null(struct output *out, const char *key)
{
	if (output_is_json(out))
		add(out, key, NULL);
}

void output_null(struct output *out, const char *key, const char *text, ...)
{
	TEXT_AND(out, text, add_null(out, key));
}

void output_text(struct output *out, const char *text, ...)
{
	TEXT_AND(out, text, (void)0);
}

void output_data_i64(struct output *out, const char *key, int64_t value)
{
	if (output_is_json(out))
		add(out, key, output_must(json_object_new_int64(value)));
}

void output_data_u64(struct output *out, const char *key, uint64_t value)
{
	if (output_is_json(out))
		add(out, key, output_must(json_object_new_uint64(value)));
}

/* JSON has neither NaN nor infinity: print null instead. */
void output_data_double(struct output *out, const char *key, double value)
{
	if (!output_is_json(out))
		return;
	add(out, key, isfinite(value) ? output_must(json_object_new_double(value)) :
					NULL);
}

void output_data_string(struct output *out, const char *key,
			const char *value)
{
	if (output_is_json(out))
		add(out, key, new_string(value));
}

void output_data_bool(struct output *out, const char *key, bool value)
{
	if (output_is_json(out))
		add(out, key, output_must(json_object_new_boolean(value)));
}

/* Add a JSON value owned by the caller. */
void output_data_json(struct output *out, const char *key,
		      struct json_object *value)
{
	if (output_is_json(out))
		add(out, key, json_object_get(value));
}

/* Format a message for diagnostics after flushing results. Free with free(). */
static char *make_sentence(struct output *out, const char *text, va_list ap)
{
	char *sentence;

	if (vasprintf(&sentence, text, ap) < 0)
		output_must(NULL);
	written(out, fflush(out->results));
	return sentence;
}

static void print_object(struct output *out, const char *key,
			 const char *sentence)
{
	struct json_object *object = output_must(json_object_new_object());

	json_object_object_add(object, key, new_string(sentence));
	fprintf(out->diagnostics, "%s\n",
		json_object_to_json_string_ext(object, json_flags(out)));
	json_object_put(object);
}

static void diagnose(struct output *out, const char *key, const char *text,
		     va_list ap)
{
	char *sentence = make_sentence(out, text, ap);

	if (out->form != OUTPUT_TEXT)
		print_object(out, key, sentence);
	else
		fprintf(out->diagnostics, "%s: %s%s\n", out->program,
			strcmp(key, "error") ? "warning: " : "", sentence);
	free(sentence);
}

void output_error(struct output *out, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	diagnose(out, "error", text, ap);
	va_end(ap);
}

void output_warning(struct output *out, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	diagnose(out, "warning", text, ap);
	va_end(ap);
}

/* Each line but the last ends in @more. */
static void fold(struct output *out, int indent, const char *heading,
		 const char *sentence, const char *more)
{
	const size_t width = PARAGRAPH_INDENT + PARAGRAPH_WIDTH - indent -
			     strlen(more);
	size_t length;

	do {
		length = strlen(sentence);
		if (length > width) {
			for (length = width; length && sentence[length] != ' ';)
				length--;
			if (!length)
				length = strcspn(sentence, " ");
		}
		output_text(out, "%-*s%.*s%s\n", indent, heading, (int)length,
			    sentence, sentence[length] ? more : "");
		heading = "";
		sentence += length;
		sentence += strspn(sentence, " ");
	} while (*sentence);
}

/**
 * paragraph_at() - print a sentence beside a column of headings, in text only
 * @out: the output
 * @indent: where the sentence begins
 * @heading: text before the first line
 * @sentence: words separated by single blanks
 */
void paragraph_at(struct output *out, int indent, const char *heading,
		  const char *sentence)
{
	fold(out, indent, heading, sentence, "");
}

/**
 * paragraph_command() - print a command that a shell takes as it stands, in text only
 * @out: the output
 * @indent: where it begins
 * @command: words separated by single blanks, none of them quoted
 */
void paragraph_command(struct output *out, int indent, const char *command)
{
	fold(out, indent, "", command, " \\");
}

/**
 * paragraph_print() - print a sentence at the usual column, in text only
 * @out: the output
 * @heading: text before the first line
 * @sentence: words separated by single blanks
 */
void paragraph_print(struct output *out, const char *heading,
		     const char *sentence)
{
	paragraph_at(out, PARAGRAPH_INDENT, heading, sentence);
}
