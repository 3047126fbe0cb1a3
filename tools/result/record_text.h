/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_text: read the documents of a file of records.
 *
 * A file is a sequence of JSON documents, usually one on each line. Members that
 * this program does not know are ignored. What is no JSON, as a line that was cut when
 * the power failed, is left out, up to the next line that begins a document.
 */
#ifndef KTPUT_CTL_RECORD_TEXT_H
#define KTPUT_CTL_RECORD_TEXT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "../base/units.h"

/**
 * enum record_kind - kind of a document
 * @RECORD_KIND_RUN: a run
 * @RECORD_KIND_SUMMARY: the summary of repeated runs, a comparison of setups, a search
 *	for what helps, or a peer of a sink
 * @RECORD_KIND_LADDER: a ladder
 * @RECORD_KIND_SWEEP: a sweep of sizes
 * @RECORD_KIND_PROFILE: a profile without a run
 * @RECORD_KIND_SCENARIO: the tables of a scenario
 */
enum record_kind {
	RECORD_KIND_RUN,
	RECORD_KIND_SUMMARY,
	RECORD_KIND_LADDER,
	RECORD_KIND_SWEEP,
	RECORD_KIND_PROFILE,
	RECORD_KIND_SCENARIO,
};

/**
 * struct record_document - a document
 * @root: the document
 * @line: line where it begins, from 1
 * @kind: its kind
 */
struct record_document {
	struct json_object *root;
	size_t line;
	enum record_kind kind;
};

/**
 * struct record_text - the documents of a file
 * @document: the documents
 * @count: number of documents
 * @broken: a sentence about each place that was left out
 * @broken_count: number of these places
 * @escaped: the output is JSON, which escapes C0 characters; other output needs
 *	them replaced with blanks
 */
struct record_text {
	struct record_document *document;
	size_t count;
	struct units_error *broken;
	size_t broken_count;
	bool escaped;
};

int record_text_parse(struct record_text *to, const char *file,
		      const char *text, size_t size, struct units_error *err);
int record_text_read(struct record_text *to, const char *file,
		     struct units_error *err);
void record_text_free(struct record_text *text);

#endif
