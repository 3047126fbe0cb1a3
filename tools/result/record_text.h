/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_text: the documents of a file of records.
 *
 * A file is a sequence of JSON documents, as a rule one a line. Members that
 * this program does not know are let alone.
 */
#ifndef KTPUT_CTL_RECORD_TEXT_H
#define KTPUT_CTL_RECORD_TEXT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "../base/units.h"

/**
 * enum record_kind - what a document is
 * @RECORD_KIND_RUN: a run
 * @RECORD_KIND_SUMMARY: what repeated runs have in common
 * @RECORD_KIND_LADDER: a ladder
 * @RECORD_KIND_SWEEP: a sweep of sizes
 * @RECORD_KIND_PROFILE: a profile without a run
 */
enum record_kind {
	RECORD_KIND_RUN,
	RECORD_KIND_SUMMARY,
	RECORD_KIND_LADDER,
	RECORD_KIND_SWEEP,
	RECORD_KIND_PROFILE,
};

/**
 * struct record_document - a document
 * @root: the document
 * @line: where it begins, from 1
 * @kind: what it is
 */
struct record_document {
	struct json_object *root;
	size_t line;
	enum record_kind kind;
};

/**
 * struct record_text - the documents of a file
 * @document: the documents
 * @count: how many
 * @escaped: it is printed as JSON, which escapes the control characters that others
 *	are blanks instead of
 */
struct record_text {
	struct record_document *document;
	size_t count;
	bool escaped;
};

int record_text_parse(struct record_text *to, const char *file,
		      const char *text, size_t size, struct units_error *err);
int record_text_read(struct record_text *to, const char *file,
		     struct units_error *err);
void record_text_free(struct record_text *text);

#endif
