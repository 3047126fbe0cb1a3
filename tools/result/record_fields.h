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

/**
 * enum record_type - type of a field
 * @RECORD_FLAG: bool
 * @RECORD_NUMBER: unsigned number of 2, 4 or 8 bytes
 * @RECORD_SIGNED: int64_t
 * @RECORD_ROLE: enum ktput_role, by its word
 * @RECORD_STATE: enum ktput_state, by its word
 * @RECORD_REASON: enum ktput_reason, by its word
 * @RECORD_ADDRESS: struct address, with its port
 */
enum record_type {
	RECORD_FLAG,
	RECORD_NUMBER,
	RECORD_SIGNED,
	RECORD_ROLE,
	RECORD_STATE,
	RECORD_REASON,
	RECORD_ADDRESS,
};

/**
 * struct record_field - a field and its key
 * @key: key of the member, NULL after the last row
 * @type: type of the field
 * @offset: offset of the field in its structure
 * @size: bytes of the field
 */
struct record_field {
	const char *key;
	enum record_type type;
	size_t offset;
	size_t size;
};

/* Fields of struct client_run, and those of sinks only. */
extern const struct record_field record_fields_run[];
extern const struct record_field record_fields_sink[];
/* Of struct client_counters. */
extern const struct record_field record_fields_counters[];
/* Of struct client_cpu, and those that need @idle_known. */
extern const struct record_field record_fields_cpu[];
extern const struct record_field record_fields_idle[];
/* Likewise those that need @times.known, @times.packets_known, @thread_ns, @delay_known. */
extern const struct record_field record_fields_times[];
extern const struct record_field record_fields_packets[];
extern const struct record_field record_fields_thread[];
extern const struct record_field record_fields_delayed[];
/* Of struct client_stream, before and after its counters. */
extern const struct record_field record_fields_stream[];
extern const struct record_field record_fields_stream_end[];
/* Of struct tcpinfo. */
extern const struct record_field record_fields_tcp[];
/* Of struct client_datagrams, and those that need @delay_known. */
extern const struct record_field record_fields_datagrams[];
extern const struct record_field record_fields_delay[];
/* Of struct device_counters. */
extern const struct record_field record_fields_device[];
/* Of struct backlog. */
extern const struct record_field record_fields_backlog[];
/* Of struct driver_queue. */
extern const struct record_field record_fields_driver_queue[];
/* Of struct ceiling_bus. */
extern const struct record_field record_fields_bus[];
/* Of struct tcp_memory. */
extern const struct record_field record_fields_tcp_memory[];

/* Of struct protocols. */
extern const struct record_field record_fields_protocols[];

void record_fields_write(struct output *out, const struct record_field *fields,
			 const void *from);
void record_fields_read(struct json_object *from,
			const struct record_field *fields, void *to);

#endif
