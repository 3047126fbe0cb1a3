/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_fields: the members of a record that are fields of a structure.
 *
 * A row names the key and the field. One loop writes the rows and another reads
 * them back, so that every recorded field is readable.
 */
#ifndef KTPUT_CTL_RECORD_FIELDS_H
#define KTPUT_CTL_RECORD_FIELDS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "../base/output.h"
#include "../module/names.h"

/**
 * enum record_type - type of a field
 * @RECORD_FLAG: bool
 * @RECORD_NUMBER: unsigned number of 2, 4 or 8 bytes
 * @RECORD_SIGNED: int64_t
 * @RECORD_REAL: double
 * @RECORD_RATE: likewise, in a table in units of it
 * @RECORD_SHARE: likewise, in a table as a percentage
 * @RECORD_TEXT: array of char
 * @RECORD_WORD: an enumeration, by its word
 * @RECORD_ADDRESS: struct address, with its port
 * @RECORD_OBJECT: a structure, whose fields are the members of an object
 */
enum record_type {
	RECORD_FLAG,
	RECORD_NUMBER,
	RECORD_SIGNED,
	RECORD_REAL,
	RECORD_RATE,
	RECORD_SHARE,
	RECORD_TEXT,
	RECORD_WORD,
	RECORD_ADDRESS,
	RECORD_OBJECT,
};

/**
 * struct record_field - a field and its key
 * @key: key of the member, NULL after the last row
 * @type: type of the field
 * @offset: offset of the field in its structure
 * @size: bytes of the field
 * @optional: the member is recorded only if a field is not 0 and no empty text
 * @when: offset of that field; if it is a bool of its own, it tells whether the member
 *	is in a record that is read
 * @when_size: bytes of that field
 * @name: of RECORD_WORD: the word for a value, of names.h
 * @otherwise: of RECORD_WORD: the value for a word that is not known
 * @fields: of RECORD_OBJECT: its members
 * @title: heading of its column in a table, NULL for a member without a column
 * @decimals: digits after the point there
 */
struct record_field {
	const char *key;
	enum record_type type;
	size_t offset;
	size_t size;
	bool optional;
	size_t when;
	size_t when_size;
	names_word name;
	unsigned int otherwise;
	const struct record_field *fields;
	const char *title;
	int decimals;
};

/* The field of a row, and a row that is a column. */
#define RECORD_FIELD(of, type_of, member, member_key)			\
	.key = member_key, .type = RECORD_##type_of,			\
	.offset = offsetof(struct of, member),				\
	.size = sizeof(((struct of *)NULL)->member)
#define RECORD_COLUMN(heading, of, type_of, member, member_key)		\
	{ RECORD_FIELD(of, type_of, member, member_key), .title = heading }

/* Fields of struct client_run, and those of sinks only. */
extern const struct record_field record_fields_run[];
extern const struct record_field record_fields_sink[];
/* Of struct client_counters. */
extern const struct record_field record_fields_counters[];
/* Of struct client_cpu. */
extern const struct record_field record_fields_cpu[];
/* Of struct client_stream, before and after its counters. */
extern const struct record_field record_fields_stream[];
extern const struct record_field record_fields_stream_end[];
/* Of struct tcpinfo. */
extern const struct record_field record_fields_tcp[];
/* Of struct client_datagrams. */
extern const struct record_field record_fields_datagrams[];
/* Of struct session_end: the counters of its host. */
extern const struct record_field record_fields_host[];
/* Of struct route. */
extern const struct record_field record_fields_route[];
/* Of struct session. */
extern const struct record_field record_fields_session[];
/* Of struct backend_clock. */
extern const struct record_field record_fields_clock[];

void record_fields_write(struct output *out, const struct record_field *fields,
			 const void *from);
void record_fields_table(struct output *out, const char *key,
			 const struct record_field *fields);
void record_fields_row(struct output *out, const struct record_field *fields,
		       const void *from, double unit);
void record_fields_read(struct json_object *from,
			const struct record_field *fields, void *to);

#endif
