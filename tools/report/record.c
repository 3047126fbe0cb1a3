// SPDX-License-Identifier: GPL-2.0
/* record: what a run of ktput-ctl left, read back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json.h"
#include "../base/utf8.h"
#include "memory.h"
#include "record.h"

/* Of JSON. */
#define BLANKS		" \t\r\n"

/* The sizes of json_tokener are int. */
#define SIZE_LIMIT	(1024 * 1024 * 1024)

/* Deeper than any record, and no burden for the stack. */
#define DEPTH_MAX	32

static size_t lines_between(const char *from, const char *to)
{
	size_t lines = 0;

	for (; from < to; from++)
		lines += *from == '\n';
	return lines;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && memchr(BLANKS, *at, strlen(BLANKS)))
		at++;
	return at;
}

/*
 * Bytes at @text that a terminal must not get: a control character, C0, DEL or
 * C1, or what is no character; or 0.
 */
static size_t control_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	if (at[0] < ' ' || at[0] == 0x7f || !utf8_length(text))
		return 1;
	/* U+0080 to U+009F */
	return at[0] == 0xc2 && at[1] < 0xa0 ? 2 : 0;
}

static bool has_control(const char *text)
{
	for (; *text; text += utf8_length(text))
		if (control_length(text))
			return true;
	return false;
}

/* A blank stands for a control character, and the text ends earlier. */
static void blank_controls(char *text)
{
	char *to = text;

	for (size_t length; *text; text += length) {
		length = control_length(text);
		if (length) {
			*to++ = ' ';
			continue;
		}
		length = utf8_length(text);
		memmove(to, text, length);
		to += length;
	}
	*to = '\0';
}

/*
 * What is printed must not steer a terminal. Keys are ours, so one that could
 * is none; values are named by others, and lose what is no character.
 */
static int clean(struct json_object *value)
{
	struct json_object_iterator i, end;

	if (json_object_is_type(value, json_type_array)) {
		for (size_t n = 0; n < json_object_array_length(value); n++)
			if (clean(json_object_array_get_idx(value, n)))
				return -1;
	} else if (json_object_is_type(value, json_type_object)) {
		i = json_object_iter_begin(value);
		end = json_object_iter_end(value);
		for (; !json_object_iter_equal(&i, &end);
		     json_object_iter_next(&i))
			if (has_control(json_object_iter_peek_name(&i)) ||
			    clean(json_object_iter_peek_value(&i)))
				return -1;
	} else if (json_object_is_type(value, json_type_string) &&
		   has_control(json_object_get_string(value))) {
		char *text = memory_copy(json_object_get_string(value));

		blank_controls(text);
		json_object_set_string(value, text);
		free(text);
	}
	return 0;
}

/* Why a document is no record, as an end of a sentence, or NULL. */
static const char *no_record(struct json_object *root)
{
	if (!json_object_is_type(root, json_type_object))
		return "is no record: it is JSON, but no object";
	if (json_array(root, "runs") && !json_at(root, "result"))
		return "has no result: its run was detached, or it is a list of runs";
	if (!json_object_is_type(json_at(root, "result"), json_type_object) ||
	    (!json_at(root, "source") && !json_at(root, "sink")))
		return "is no record: give what ktput-ctl -j start prints";
	return NULL;
}

static void look(struct record *record)
{
	struct json_object *result = json_at(record->root, "result");
	const char *because = json_text(result, "invalid_because");

	record->valid = json_is(result, "valid");
	record->interrupted = json_is(result, "interrupted");
	if (!record->valid)
		record->why_not = because ? because : "its result is not valid";
	else if (record->interrupted)
		record->why_not = "it was interrupted";
}

/* What repeated runs came to stands behind their records, and is in them. */
static bool is_summary(struct json_object *root)
{
	return json_object_is_type(json_at(root, "summary"),
				   json_type_object) &&
	       !json_at(root, "result");
}

/* What a document is that is no run, NULL of a run and of what is neither. */
static const char *other_than_run(struct json_object *root)
{
	if (json_at(root, "result"))
		return NULL;
	/* What was sampled during a run stands behind its record. */
	if (json_object_is_type(json_at(root, "profile"), json_type_object))
		return "profile";
	if (json_object_is_type(json_at(root, "ladder"), json_type_object))
		return "ladder";
	return json_object_is_type(json_at(root, "sweep"), json_type_object) &&
	       json_array(root, "sizes") ? "sweep" : NULL;
}

static int add(struct records *records, const char *file,
	       struct json_object *root, size_t line, struct units_error *err)
{
	double version = json_number(root, "record_version");
	const char *other = other_than_run(root);
	const char *why = other ? NULL : no_record(root);
	struct record *record;

	if (is_summary(root))
		return 0;
	/* Before any of it is printed. */
	if (!why && clean(root))
		why = "is no record: a key has control characters";
	if (!why && json_at(root, "record_version") &&
	    version != RECORD_VERSION) {
		units_refuse(err, "%.90s:%zu: its record_version is %.20s, "
				  "and this program reads %d: use the "
				  "ktput-report that came with the ktput-ctl of the run",
			     file, line,
			     json_object_to_json_string(json_at(root, "record_version")),
			     RECORD_VERSION);
		return -1;
	}
	if (why) {
		units_refuse(err, "%.90s:%zu: %s", file, line, why);
		return -1;
	}
	if (other) {
		records->other = other;
		return 0;
	}
	records->record = memory_grow(records->record, records->count + 1,
				      sizeof(*records->record));
	record = &records->record[records->count++];
	*record = (struct record) {
		.root = json_object_get(root), .file = file,
	};
	look(record);
	return 0;
}

static void refuse_text(const char *file, size_t line,
			enum json_tokener_error error, struct units_error *err)
{
	if (error == json_tokener_continue)
		units_refuse(err, "%.90s:%zu: the JSON ends in the middle: "
				  "the file is truncated, or still being written",
			     file, line);
	else
		units_refuse(err, "%.90s:%zu: no JSON: %s; give files of "
				  "what ktput-ctl -j start prints",
			     file, line, json_tokener_error_desc(error));
}

/* Documents of a text, without the tokener's life. */
static int parse_with(struct json_tokener *tokener, struct records *records,
		      const char *file, const char *text, size_t size,
		      struct units_error *err)
{
	const char *end = text + size;
	const char *at = skip_blanks(text, end);
	const char *counted = text;
	size_t line = 1;

	while (at < end) {
		struct json_object *root;
		int ret;

		line += lines_between(counted, at);
		counted = at;
		json_tokener_reset(tokener);
		root = json_tokener_parse_ex(tokener, at, end - at);
		if (json_tokener_get_error(tokener) != json_tokener_success) {
			refuse_text(file, line,
				    json_tokener_get_error(tokener), err);
			json_object_put(root);
			return -1;
		}
		ret = add(records, file, root, line, err);
		json_object_put(root);
		if (ret)
			return -1;
		at = skip_blanks(at + json_tokener_get_parse_end(tokener), end);
	}
	return 0;
}

/**
 * record_parse() - add the runs of a text
 * @records: runs so far; on refusal those before the bad one are added
 * @file: name of the text, which must outlive @records
 * @text: the text
 * @size: its bytes
 * @err: why it is refused
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int record_parse(struct records *records, const char *file, const char *text,
		 size_t size, struct units_error *err)
{
	struct json_tokener *tokener;
	const size_t first = records->count;
	int ret;

	if (size >= SIZE_LIMIT) {
		units_refuse(err, "%.90s: too long, 1 GiB or more: split it",
			     file);
		return -1;
	}
	tokener = memory_must(json_tokener_new_ex(DEPTH_MAX));
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
			       JSON_TOKENER_ALLOW_TRAILING_CHARS |
			       JSON_TOKENER_VALIDATE_UTF8);
	ret = parse_with(tokener, records, file, text, size, err);
	json_tokener_free(tokener);
	if (ret)
		return -1;
	if (records->count == first && !records->other) {
		units_refuse(err, "%.90s: the file is empty: there is no record in it",
			     file);
		return -1;
	}
	for (size_t i = first; i < records->count; i++) {
		records->record[i].number = i - first + 1;
		records->record[i].of = records->count - first;
	}
	return 0;
}

/* All of a stream, or SIZE_LIMIT, for free(); NULL with errno. */
static char *slurp(FILE *from, size_t *size)
{
	size_t room = 0;
	char *text = NULL;

	*size = 0;
	do {
		if (*size == room) {
			room = room ? 2 * room : 65536;
			text = memory_grow(text, room, 1);
		}
		*size += fread(text + *size, 1, room - *size, from);
	} while (!feof(from) && !ferror(from) && *size < SIZE_LIMIT);
	if (!ferror(from))
		return text;
	free(text);
	return NULL;
}

/**
 * record_read() - add the runs of a file
 * @records: runs so far
 * @file: its name, which must outlive @records; - is the standard input
 * @err: why it is refused
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int record_read(struct records *records, const char *file,
		struct units_error *err)
{
	bool standard = !strcmp(file, "-");
	char *text = NULL;
	size_t size;
	FILE *from;
	int ret;

	errno = 0;
	from = standard ? stdin : fopen(file, "re");
	if (from)
		text = slurp(from, &size);
	if (!text) {
		units_refuse(err, "%.90s: cannot be read: %s", file,
			     strerror(errno ? errno : ENOENT));
		ret = -1;
	} else {
		ret = record_parse(records, standard ? "stdin" : file, text,
				   size, err);
	}
	if (from && !standard)
		fclose(from);
	free(text);
	return ret;
}

/**
 * record_read_all() - read files
 * @records: where their runs go; record_free() releases it in either case
 * @files: names
 * @out: where a refusal is said
 *
 * Return: 0, or -1 after output_error().
 */
int record_read_all(struct records *records, const struct options_words *files,
		    struct output *out)
{
	struct units_error err;

	*records = (struct records) { 0 };
	for (size_t i = 0; i < files->count; i++) {
		if (!record_read(records, files->word[i], &err))
			continue;
		output_error(out, "%s", err.text);
		return -1;
	}
	return 0;
}

void record_free(struct records *records)
{
	for (size_t i = 0; i < records->count; i++)
		json_object_put(records->record[i].root);
	free(records->record);
	*records = (struct records) { 0 };
}
