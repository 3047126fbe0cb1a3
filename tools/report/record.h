/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record: what a run of ktput-ctl left, read back.
 *
 * A file is a sequence of JSON documents, as a rule one a line. Members that
 * this program does not know are let alone.
 */
#ifndef KTPUT_REPORT_RECORD_H
#define KTPUT_REPORT_RECORD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "../base/options.h"
#include "../base/output.h"
#include "../base/units.h"

/* What this program reads. A record that names no version has this one. */
#define RECORD_VERSION	1

/**
 * struct record - one run
 * @root: the document
 * @file: where it is from
 * @number: of the run in the file, from 1
 * @of: runs in the file
 * @valid: the result is one
 * @interrupted: a user ended it
 * @why_not: why it does not count, or NULL
 */
struct record {
	struct json_object *root;
	const char *file;
	unsigned int number;
	unsigned int of;
	bool valid;
	bool interrupted;
	const char *why_not;
};

/**
 * struct records - runs in the order of their files
 * @record: the runs
 * @count: how many
 * @other: what the latest document is that is no run: profile, ladder or sweep;
 *	NULL without one
 */
struct records {
	struct record *record;
	size_t count;
	const char *other;
};

int record_parse(struct records *records, const char *file, const char *text,
		 size_t size, struct units_error *err);
int record_read(struct records *records, const char *file,
		struct units_error *err);
int record_read_all(struct records *records, const struct options_words *files,
		    struct output *out);
void record_free(struct records *records);

#endif
