// SPDX-License-Identifier: GPL-2.0
/* record_fields: the members of a record that are fields of a structure. */
#include <inttypes.h>
#include <stdio.h>

#include "../base/json.h"
#include "../host/route.h"
#include "../module/names.h"
#include "../run/session.h"
#include "record_fields.h"

#define COLUMNS_MAX	16

#define FIELD(of, type, member, key)	RECORD_FIELD(of, type, member, key)
#define NUMBER(of, member, key)		{ FIELD(of, NUMBER, member, key) }
#define SIGNED(of, member, key)		{ FIELD(of, SIGNED, member, key) }
#define FLAG(of, member, key)		{ FIELD(of, FLAG, member, key) }
#define TEXT(of, member, key)		{ FIELD(of, TEXT, member, key) }
#define ADDRESS(of, member, key)	{ FIELD(of, ADDRESS, member, key) }
/* An enumeration, whose value is @no where the word is unknown. */
#define WORD(of, member, key, words, no)				\
	{ FIELD(of, WORD, member, key), .name = words, .otherwise = no }
/* An object with members of the same structure. */
#define GROUP(name, rows)						\
	{ .key = name, .type = RECORD_OBJECT, .fields = rows }
/* A row that is there if @flag is not 0; a bool becomes true if the row is there. */
#define IF(of, flag)							\
	.optional = true, .when = offsetof(struct of, flag),		\
	.when_size = sizeof(((struct of *)NULL)->flag)
#define KNOWN(of, flag, type, member, key)				\
	{ FIELD(of, type, member, key), IF(of, flag) }
#define OBJECT(of, flag, member, key, rows)				\
	{ FIELD(of, OBJECT, member, key), IF(of, flag), .fields = rows }
#define NONZERO(of, type, member, key)	KNOWN(of, member, type, member, key)

const struct record_field record_fields_run[] = {
	NUMBER(client_run, id, "id"),
	WORD(client_run, role, "role", names_role, 0),
	WORD(client_run, state, "state", names_state, 0),
	WORD(client_run, reason, "reason", names_reason, 0),
	NUMBER(client_run, error, "errno"),
	NUMBER(client_run, now_ns, "now_ns"),
	NUMBER(client_run, begun_ns, "begun_ns"),
	NUMBER(client_run, ended_ns, "ended_ns"),
	NUMBER(client_run, streams, "streams"),
	FLAG(client_run, mptcp, "mptcp"),
	{ 0 }
};

const struct record_field record_fields_sink[] = {
	NUMBER(client_run, accepted, "accepted"),
	NUMBER(client_run, refused, "refused"),
	NUMBER(client_run, local_port, "local_port"),
	{ 0 }
};

/* The key of a counter is its name. */
#define COUNTER(name)	NUMBER(client_counters, name, #name)
const struct record_field record_fields_counters[] = {
	KTPUT_COUNTERS_EACH(COUNTER),
	{ 0 }
};

const struct record_field record_fields_cpu[] = {
	NUMBER(client_cpu, id, "cpu"),
	NUMBER(client_cpu, time_ns, "time_ns"),
	NUMBER(client_cpu, cycles, "cycles"),
	KNOWN(client_cpu, idle_known, NUMBER, idle_ns, "idle_ns"),
	KNOWN(client_cpu, times.known, NUMBER, times.task_ns, "task_ns"),
	KNOWN(client_cpu, times.known, NUMBER, times.irq_ns, "irq_ns"),
	KNOWN(client_cpu, times.known, NUMBER, times.steal_ns, "steal_ns"),
	KNOWN(client_cpu, times.packets_known, NUMBER, times.packets,
	      "received_packets"),
	NONZERO(client_cpu, NUMBER, thread_ns, "thread_ns"),
	KNOWN(client_cpu, delay_known, NUMBER, delay_ns, "thread_delay_ns"),
	{ 0 }
};

const struct record_field record_fields_stream[] = {
	NUMBER(client_stream, id, "stream"),
	NUMBER(client_stream, cpu, "cpu"),
	WORD(client_stream, state, "state", names_state, 0),
	NUMBER(client_stream, error, "errno"),
	ADDRESS(client_stream, local, "local"),
	ADDRESS(client_stream, remote, "remote"),
	NUMBER(client_stream, first_cycles, "first_cycles"),
	NUMBER(client_stream, last_cycles, "last_cycles"),
	FLAG(client_stream, copied, "copied"),
	FLAG(client_stream, recycled, "recycled"),
	{ 0 }
};

const struct record_field record_fields_stream_end[] = {
	NUMBER(client_stream, unreturned, "unreturned_buffers"),
	{ 0 }
};

#define TCP(type, member, from, key)	NUMBER(tcpinfo, member, key),
const struct record_field record_fields_tcp[] = {
	FLAG(tcpinfo, timestamps, "timestamps"),
	TCPINFO_EACH(TCP)
	FLAG(tcpinfo, application_limited, "application_limited"),
	{ 0 }
};

const struct record_field record_fields_datagrams[] = {
	NUMBER(client_datagrams, received, "received"),
	NUMBER(client_datagrams, lost, "lost"),
	NUMBER(client_datagrams, reordered, "reordered"),
	NUMBER(client_datagrams, duplicates, "duplicates"),
	NUMBER(client_datagrams, late, "late"),
	NUMBER(client_datagrams, foreign, "foreign"),
	NUMBER(client_datagrams, drops, "socket_drops"),
	NUMBER(client_datagrams, refusals, "refusals"),
	NUMBER(client_datagrams, failures, "send_failures"),
	NUMBER(client_datagrams, failure, "send_failure_errno"),
	NUMBER(client_datagrams, jitter_ns, "jitter_ns"),
	KNOWN(client_datagrams, delay_known, SIGNED, delay_min_ns, "delay_min_ns"),
	KNOWN(client_datagrams, delay_known, SIGNED, delay_max_ns, "delay_max_ns"),
	KNOWN(client_datagrams, delay_known, SIGNED, delay_sum_ns, "delay_sum_ns"),
	{ 0 }
};

static const struct record_field device_fields[] = {
	FLAG(device_counters, loopback, "loopback"),
	FLAG(device_counters, filtered, "filtered"),
	NUMBER(device_counters, sent_packets, "sent_packets"),
	NUMBER(device_counters, sent_drops, "sent_drops"),
	NUMBER(device_counters, received_packets, "received_packets"),
	NUMBER(device_counters, received_drops, "received_drops"),
	NUMBER(device_counters, queue_drops, "queue_drops"),
	NUMBER(device_counters, queue_overlimits, "queue_overlimits"),
	NUMBER(device_counters, ingress_drops, "ingress_drops"),
	NUMBER(device_counters, backlog_drops, "backlog_drops"),
	NUMBER(device_counters, sent_bytes, "sent_bytes"),
	NUMBER(device_counters, received_bytes, "received_bytes"),
	{ 0 }
};

static const struct record_field backlog_fields[] = {
	TEXT(backlog, kind, "kind"),
	NUMBER(backlog, samples, "samples"),
	NUMBER(backlog, standing, "standing"),
	FLAG(backlog, holds_rate, "holds_rate"),
	{ 0 }
};

static const struct record_field driver_queue_fields[] = {
	NUMBER(driver_queue, samples, "samples"),
	NUMBER(driver_queue, standing, "standing"),
	{ 0 }
};

static const struct record_field bus_fields[] = {
	NUMBER(ceiling_bus, clock_hz, "clock_hz"),
	NUMBER(ceiling_bus, width_bits, "width_bits"),
	NUMBER(ceiling_bus, generation, "generation"),
	NUMBER(ceiling_bus, lanes, "lanes"),
	NUMBER(ceiling_bus, payload_bytes, "payload_bytes"),
	{ 0 }
};

static const struct record_field tcp_memory_fields[] = {
	NUMBER(tcp_memory, netns, "netns_inode"),
	FLAG(tcp_memory, pressure, "pressure"),
	NUMBER(tcp_memory, pressures, "pressures"),
	NUMBER(tcp_memory, pressure_ms, "pressure_ms"),
	NUMBER(tcp_memory, drops, "dropped_segments"),
	NUMBER(tcp_memory, send_max_bytes, "send_max_bytes"),
	TEXT(tcp_memory, pages, "tcp_mem_pages"),
	{ 0 }
};

static const struct record_field protocols_fields[] = {
	NUMBER(protocols, udp_buffer_errors, "udp_buffer_errors"),
	NUMBER(protocols, udp_memory_errors, "udp_memory_errors"),
	NUMBER(protocols, udp_checksum_errors, "udp_checksum_errors"),
	NUMBER(protocols, udp_no_ports, "udp_no_ports"),
	NUMBER(protocols, tcp_checksum_errors, "tcp_checksum_errors"),
	NUMBER(protocols, tcp_socket_drops, "tcp_socket_drops"),
	NUMBER(protocols, ip_drops, "ip_drops"),
	NUMBER(protocols, ip6_drops, "ip6_drops"),
	{ 0 }
};

/* Before and after the run. */
#define BEGIN_AND_END(member, rows)					\
	OBJECT(session_end, member##_begin.known, member##_begin, "begin", rows), \
	OBJECT(session_end, member##_last.known, member##_last, "end", rows)

static const struct record_field end_device_fields[] = {
	NUMBER(session_end, device, "index"),
	TEXT(session_end, device_name, "name"),
	FLAG(session_end, device_certain, "certain"),
	BEGIN_AND_END(device, device_fields),
	OBJECT(session_end, backlog.samples, backlog, "backlog", backlog_fields),
	OBJECT(session_end, driver_queue.samples, driver_queue, "driver_queue",
	       driver_queue_fields),
	{ 0 }
};

static const struct record_field end_tcp_memory_fields[] = {
	BEGIN_AND_END(tcp_memory, tcp_memory_fields),
	{ 0 }
};

static const struct record_field end_protocols_fields[] = {
	BEGIN_AND_END(protocols, protocols_fields),
	{ 0 }
};

static const struct record_field end_clock_fields[] = {
	KNOWN(session_end, clock_begin.known, SIGNED, clock_begin.ns, "begin_ns"),
	KNOWN(session_end, clock_last.known, SIGNED, clock_last.ns, "end_ns"),
	{ 0 }
};

const struct record_field record_fields_host[] = {
	GROUP("device", end_device_fields),
	GROUP("tcp_memory", end_tcp_memory_fields),
	GROUP("protocols", end_protocols_fields),
	GROUP("clock_offset", end_clock_fields),
	{ 0 }
};

const struct record_field record_fields_route[] = {
	TEXT(route, device, "device"),
	TEXT(route, kind, "kind"),
	WORD(route, medium, "medium", names_medium, ROUTE_VIRTUAL),
	FLAG(route, local, "local"),
	NUMBER(route, mtu_bytes, "mtu_bytes"),
	NUMBER(route, vlan_tags, "vlan_tags"),
	NONZERO(route, NUMBER, rate_bps, "rate_bps"),
	FLAG(route, rate_given, "rate_given"),
	WORD(route, atm, "link", names_link, CEILING_ATM_NONE),
	OBJECT(route, bus_known, bus, "bus", bus_fields),
	NONZERO(route, TEXT, bus_unknown.text, "bus_unknown_because"),
	{ 0 }
};

const struct record_field record_fields_session[] = {
	NUMBER(session, warmup_ns, "warmup_ns"),
	NUMBER(session, interval_ns, "interval_ns"),
	FLAG(session, warmed_up, "warmed_up"),
	FLAG(session, nothing_between, "nothing_between"),
	NUMBER(session, looks.spent_ns, "looks_ns"),
	NONZERO(session, NUMBER, acknowledged_ns, "acknowledged_ns"),
	{ FIELD(session, REAL, disturbed_above, "disturbed_above_share") },
	{ 0 }
};

const struct record_field record_fields_clock[] = {
	NONZERO(backend_clock, TEXT, module_version, "module_version"),
	TEXT(backend_clock, name, "clock"),
	NUMBER(backend_clock, hz, "clock_hz"),
	{ 0 }
};

/* A number has 2, 4 or 8 bytes. */
static uint64_t get_number(const void *at, size_t size)
{
	return size == sizeof(uint16_t) ? *(const uint16_t *)at :
	       size == sizeof(uint32_t) ? *(const uint32_t *)at :
					  *(const uint64_t *)at;
}

static void set_number(void *at, size_t size, uint64_t number)
{
	if (size == sizeof(uint16_t))
		*(uint16_t *)at = number;
	else if (size == sizeof(uint32_t))
		*(uint32_t *)at = number;
	else
		*(uint64_t *)at = number;
}

/* Whether a bool tells that a row is there; else it is a number, or the text itself. */
static bool is_told(const struct record_field *field)
{
	return field->optional && field->when_size == sizeof(bool) &&
	       field->type != RECORD_TEXT;
}

static bool is_there(const struct record_field *field, const void *from)
{
	const char *when = (const char *)from + field->when;

	if (!field->optional)
		return true;
	/* A text that is not empty has a first byte. */
	return field->type == RECORD_TEXT || is_told(field) ?
	       *when : get_number(when, field->when_size) != 0;
}

static void write_field(struct output *out, const struct record_field *field,
			const void *from)
{
	const void *at = (const char *)from + field->offset;

	switch (field->type) {
	case RECORD_FLAG:
		output_data_bool(out, field->key, *(const bool *)at);
		break;
	case RECORD_NUMBER:
		output_data_u64(out, field->key, get_number(at, field->size));
		break;
	case RECORD_SIGNED:
		output_data_i64(out, field->key, *(const int64_t *)at);
		break;
	case RECORD_REAL:
	case RECORD_RATE:
	case RECORD_SHARE:
		output_data_double(out, field->key, *(const double *)at);
		break;
	case RECORD_TEXT:
		output_data_string(out, field->key, at);
		break;
	case RECORD_ADDRESS:
		output_data_string(out, field->key, address_show_port(at).text);
		break;
	case RECORD_WORD:
		output_data_string(out, field->key,
				   field->name(*(const unsigned int *)at));
		break;
	case RECORD_OBJECT:
		output_object_begin(out, field->key);
		record_fields_write(out, field->fields, at);
		output_object_end(out);
	}
}

/* An unknown word, as from a later version, leaves the field at its default. */
static unsigned int number(const struct record_field *field, const char *text)
{
	const int found = names_find(field->name, text);

	return found < 0 ? field->otherwise : (unsigned int)found;
}

static void read_field(struct json_object *from,
		       const struct record_field *field, void *to)
{
	const char *text = json_text(from, field->key);
	void *at = (char *)to + field->offset;

	if (is_told(field))
		*(bool *)((char *)to + field->when) = json_at(from, field->key);
	switch (field->type) {
	case RECORD_FLAG:
		*(bool *)at = json_is(from, field->key);
		break;
	case RECORD_NUMBER:
		set_number(at, field->size, json_u64(from, field->key));
		break;
	case RECORD_SIGNED:
		*(int64_t *)at = json_i64(from, field->key);
		break;
	case RECORD_REAL:
	case RECORD_RATE:
	case RECORD_SHARE:
		*(double *)at = json_number(from, field->key);
		break;
	case RECORD_TEXT:
		snprintf(at, field->size, "%s", text ? text : "");
		break;
	case RECORD_ADDRESS:
		address_read_port(text, at);
		break;
	case RECORD_WORD:
		*(unsigned int *)at = number(field, text);
		break;
	case RECORD_OBJECT:
		record_fields_read(json_at(from, field->key), field->fields, at);
	}
}

/**
 * record_fields_write() - write fields as members of the current object
 * @out: the output
 * @fields: the rows
 * @from: the structure
 */
void record_fields_write(struct output *out, const struct record_field *fields,
			 const void *from)
{
	for (; fields->key; fields++)
		if (is_there(fields, from))
			write_field(out, fields, from);
}

static void write_cell(struct output *out, const struct record_field *field,
		       const void *from, double unit)
{
	const void *at = (const char *)from + field->offset;
	const char *word;
	uint64_t number;

	switch (field->type) {
	case RECORD_NUMBER:
		number = get_number(at, field->size);
		output_u64(out, field->key, number, "%" PRIu64, number);
		break;
	case RECORD_REAL:
	case RECORD_RATE:
		output_double(out, field->key, *(const double *)at, "%.*f",
			      field->decimals, *(const double *)at /
			      (field->type == RECORD_RATE ? unit : 1));
		break;
	case RECORD_SHARE:
		output_double(out, field->key, *(const double *)at, "%.*f%%",
			      field->decimals, *(const double *)at * 100);
		break;
	default:
		word = field->name(*(const unsigned int *)at);
		output_string(out, field->key, word, "%s", word);
	}
}

/**
 * record_fields_table() - begin a table of such fields
 * @out: the output
 * @key: key of the table
 * @fields: the rows that have a title are its columns, of numbers and words
 */
void record_fields_table(struct output *out, const char *key,
			 const struct record_field *fields)
{
	struct output_column columns[COLUMNS_MAX] = { 0 };
	size_t count = 0;

	for (; fields->key; fields++)
		if (fields->title)
			columns[count++] = (struct output_column) {
				.title = fields->title,
				.left = fields->type == RECORD_WORD,
			};
	output_table_begin(out, key, columns, count, false);
}

/**
 * record_fields_row() - write a line of a table
 * @out: the output
 * @fields: as of record_fields_table()
 * @from: the structure
 * @unit: unit of its rates, bit/s
 */
void record_fields_row(struct output *out, const struct record_field *fields,
		       const void *from, double unit)
{
	output_row_begin(out);
	for (; fields->key; fields++)
		if (fields->title)
			write_cell(out, fields, from, unit);
		else if (is_there(fields, from))
			write_field(out, fields, from);
	output_row_end(out);
}

/**
 * record_fields_read() - read fields back
 * @from: the object that has the members, or NULL
 * @fields: the rows
 * @to: the structure; the field of a member that is absent becomes 0
 */
void record_fields_read(struct json_object *from,
			const struct record_field *fields, void *to)
{
	for (; fields->key; fields++)
		read_field(from, fields, to);
}
