// SPDX-License-Identifier: GPL-2.0
/* record_text: read the documents of a file of records. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json.h"
#include "../run/recording.h"
#include "record_text.h"

/* White space of JSON. */
#define BLANKS		" \t\r\n"

/* json_tokener takes sizes as int. */
#define SIZE_LIMIT	(1024 * 1024 * 1024)

/* Deeper than any record, and shallow enough for the stack. */
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
 * Length of a sequence at @text that must not reach a terminal, or 0. That is a
 * control character (C0, DEL or C1) or invalid UTF-8. JSON escapes C0.
 */
static size_t control_length(const char *text, bool escaped)
{
	const unsigned char *at = (const unsigned char *)text;

	if ((at[0] < ' ' && !escaped) || at[0] == 0x7f || !utf8_length(text))
		return 1;
	/* U+0080 to U+009F */
	return at[0] == 0xc2 && at[1] < 0xa0 ? 2 : 0;
}

static bool has_control(const char *text, bool escaped)
{
	for (; *text; text += utf8_length(text))
		if (control_length(text, escaped))
			return true;
	return false;
}

/* Replace each control character with one blank, which can shorten the text. */
static void blank_controls(char *text, bool escaped)
{
	char *to = text;

	for (size_t length; *text; text += length) {
		length = control_length(text, escaped);
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
 * Output must not control a terminal. ktput's keys have no control characters, so
 * reject a key that has one. Values come from elsewhere: replace theirs with blanks.
 */
static int clean(struct json_object *value, bool escaped)
{
	struct json_object_iterator i, end;

	if (json_object_is_type(value, json_type_array)) {
		for (size_t n = 0; n < json_object_array_length(value); n++)
			if (clean(json_object_array_get_idx(value, n),
				  escaped))
				return -1;
	} else if (json_object_is_type(value, json_type_object)) {
		i = json_object_iter_begin(value);
		end = json_object_iter_end(value);
		for (; !json_object_iter_equal(&i, &end);
		     json_object_iter_next(&i))
			if (has_control(json_object_iter_peek_name(&i),
					false) ||
			    clean(json_object_iter_peek_value(&i), escaped))
				return -1;
	} else if (json_object_is_type(value, json_type_string) &&
		   has_control(json_object_get_string(value), escaped)) {
		char *text = output_must(strdup(json_object_get_string(value)));

		blank_controls(text, escaped);
		json_object_set_string(value, text);
		free(text);
	}
	return 0;
}

/* Why a document is no record, as the end of a sentence, or NULL. */
static const char *no_record(struct json_object *root)
{
	if (!json_object_is_type(root, json_type_object))
		return "is no record: it is JSON, but no object";
	if (json_array(root, "runs") && !json_at(root, "result"))
		return "has no result: its run was detached, or it is a list of runs";
	if (!json_object_is_type(json_at(root, "result"), json_type_object) ||
	    (!json_at(root, "source") && !json_at(root, "sink")))
		return "is no record: give a file that 'record FILE' of ktput-ctl made";
	return NULL;
}

static enum record_kind kind_of(struct json_object *root)
{
	static const struct {
		const char *key;
		enum record_kind kind;
	} keys[] = {
		{ "summary", RECORD_KIND_SUMMARY },
		{ "peer", RECORD_KIND_SUMMARY },
		{ "compare", RECORD_KIND_SUMMARY },
		{ "compare_setup", RECORD_KIND_SUMMARY },
		{ "profile", RECORD_KIND_PROFILE },
		{ "ladder", RECORD_KIND_LADDER },
		{ "sweep", RECORD_KIND_SWEEP },
		{ "scenario", RECORD_KIND_SCENARIO },
		{ "improve", RECORD_KIND_SUMMARY },
		{ "load", RECORD_KIND_SUMMARY },
	};

	for (size_t i = 0; i < COUNT(keys); i++)
		if (!json_at(root, "result") &&
		    json_object_is_type(json_at(root, keys[i].key),
					json_type_object))
			return keys[i].kind;
	return RECORD_KIND_RUN;
}

/* A document without a version has the current one. */
static bool wrong_version(struct json_object *root)
{
	return json_at(root, "record_version") &&
	       json_number(root, "record_version") != RECORD_VERSION;
}

static int add(struct record_text *to, const char *file,
	       struct json_object *root, size_t line, struct units_error *err)
{
	const enum record_kind kind = kind_of(root);
	const char *why = kind == RECORD_KIND_RUN ? no_record(root) : NULL;

	/* Clean the document before any part of it is printed. */
	if (!why && clean(root, to->escaped))
		why = "is no record: a key has control characters";
	if (!why && wrong_version(root))
		return units_refuse(err,
				    "%.90s:%zu: its record_version is %.20s, and this program reads %d: use the ktput-ctl that made it",
				    file, line,
				    json_object_to_json_string(json_at(root, "record_version")),
				    RECORD_VERSION);
	if (why)
		return units_refuse(err, "%.90s:%zu: %s", file, line, why);
	to->document = output_must(reallocarray(to->document, to->count + 1,
						sizeof(*to->document)));
	to->document[to->count++] = (struct record_document) {
		.root = json_object_get(root), .line = line, .kind = kind,
	};
	return 0;
}

static void leave_out(struct record_text *to, const char *file, size_t line,
		      enum json_tokener_error error)
{
	struct units_error *err;

	to->broken = output_must(reallocarray(to->broken, to->broken_count + 1,
					      sizeof(*to->broken)));
	err = &to->broken[to->broken_count++];
	if (error == json_tokener_continue)
		units_refuse(err, "%.90s:%zu: the JSON ends in the middle: "
				  "the file is truncated, or still being written",
			     file, line);
	else
		units_refuse(err, "%.90s:%zu: no JSON: %s; give a file that "
				  "'record FILE' of ktput-ctl made",
			     file, line, json_tokener_error_desc(error));
}

/* The next line that begins an object: those within a record are indented. */
static const char *next_document(const char *at, const char *end)
{
	while ((at = memchr(at, '\n', end - at)))
		if (++at == end || *at == '{')
			return at;
	return end;
}

/* Parse the documents of a text; the caller owns the tokener. */
static int parse_with(struct json_tokener *tokener, struct record_text *to,
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
			leave_out(to, file, line,
				  json_tokener_get_error(tokener));
			json_object_put(root);
			at = skip_blanks(next_document(at, end), end);
			continue;
		}
		ret = add(to, file, root, line, err);
		json_object_put(root);
		if (ret)
			return -1;
		at = skip_blanks(at + json_tokener_get_parse_end(tokener), end);
	}
	return 0;
}

/**
 * record_text_parse() - read the documents of a text
 * @to: zeroed except for @escaped; filled in; record_text_free() releases it, also
 *	after an error
 * @file: name of the text
 * @text: the text
 * @size: its size in bytes
 * @err: reason for the refusal
 */
int record_text_parse(struct record_text *to, const char *file,
		      const char *text, size_t size, struct units_error *err)
{
	struct json_tokener *tokener;
	int ret;

	if (size >= SIZE_LIMIT)
		return units_refuse(err,
				    "%.90s: too long, 1 GiB or more: split it",
				    file);
	tokener = output_must(json_tokener_new_ex(DEPTH_MAX));
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
			       JSON_TOKENER_ALLOW_TRAILING_CHARS |
			       JSON_TOKENER_VALIDATE_UTF8);
	ret = parse_with(tokener, to, file, text, size, err);
	json_tokener_free(tokener);
	if (ret)
		return -1;
	if (to->count)
		return 0;
	if (to->broken_count) {
		*err = to->broken[0];
		return -1;
	}
	return units_refuse(err,
			    "%.90s: the file is empty: there is no record in it",
			    file);
}

/* Read a stream up to SIZE_LIMIT. The caller frees the result; NULL with errno. */
static char *slurp(FILE *from, size_t *size)
{
	size_t room = 0;
	char *text = NULL;

	*size = 0;
	do {
		if (*size == room) {
			room = room ? 2 * room : 65536;
			text = output_must(realloc(text, room));
		}
		*size += fread(text + *size, 1, room - *size, from);
	} while (!feof(from) && !ferror(from) && *size < SIZE_LIMIT);
	if (!ferror(from))
		return text;
	free(text);
	return NULL;
}

/**
 * record_text_read() - read the documents of a file
 * @to: zeroed except for @escaped; filled in; record_text_free() releases it, also
 *	after an error
 * @file: its name; - is the standard input
 * @err: reason for the refusal
 */
int record_text_read(struct record_text *to, const char *file,
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
		ret = record_text_parse(to, standard ? "stdin" : file, text,
					size, err);
	}
	if (from && !standard)
		fclose(from);
	free(text);
	return ret;
}

/**
 * record_text_free() - release documents
 * @text: the documents
 */
void record_text_free(struct record_text *text)
{
	for (size_t i = 0; i < text->count; i++)
		json_object_put(text->document[i].root);
	free(text->document);
	free(text->broken);
	*text = (struct record_text) { 0 };
}
