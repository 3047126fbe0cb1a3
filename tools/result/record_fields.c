// SPDX-License-Identifier: GPL-2.0
/* record_fields: the members of a record that are fields of a structure. */
#include "../ceilings/ceiling_bus.h"
#include "../module/client.h"
#include "../host/backlog.h"
#include "../host/device_counters.h"
#include "../base/json.h"
#include "../module/names.h"
#include "../host/protocols.h"
#include "../host/tcp_memory.h"
#include "record_fields.h"

#define FIELD(name, member, key, type)					\
	{ key, type, offsetof(struct name, member),			\
	  sizeof(((struct name *)NULL)->member) }
#define NUMBER(name, member, key)	FIELD(name, member, key, RECORD_NUMBER)
#define SIGNED(name, member, key)	FIELD(name, member, key, RECORD_SIGNED)
#define FLAG(name, member, key)		FIELD(name, member, key, RECORD_FLAG)
#define ADDRESS(name, member, key)	FIELD(name, member, key, RECORD_ADDRESS)

const struct record_field record_fields_run[] = {
	NUMBER(client_run, id, "id"),
	FIELD(client_run, role, "role", RECORD_ROLE),
	FIELD(client_run, state, "state", RECORD_STATE),
	FIELD(client_run, reason, "reason", RECORD_REASON),
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
	{ 0 }
};

const struct record_field record_fields_idle[] = {
	NUMBER(client_cpu, idle_ns, "idle_ns"),
	{ 0 }
};

const struct record_field record_fields_times[] = {
	NUMBER(client_cpu, times.task_ns, "task_ns"),
	NUMBER(client_cpu, times.irq_ns, "irq_ns"),
	NUMBER(client_cpu, times.steal_ns, "steal_ns"),
	{ 0 }
};

const struct record_field record_fields_packets[] = {
	NUMBER(client_cpu, times.packets, "received_packets"),
	{ 0 }
};

const struct record_field record_fields_thread[] = {
	NUMBER(client_cpu, thread_ns, "thread_ns"),
	{ 0 }
};

const struct record_field record_fields_delayed[] = {
	NUMBER(client_cpu, delay_ns, "thread_delay_ns"),
	{ 0 }
};

const struct record_field record_fields_stream[] = {
	NUMBER(client_stream, id, "stream"),
	NUMBER(client_stream, cpu, "cpu"),
	FIELD(client_stream, state, "state", RECORD_STATE),
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
	{ 0 }
};

const struct record_field record_fields_delay[] = {
	SIGNED(client_datagrams, delay_min_ns, "delay_min_ns"),
	SIGNED(client_datagrams, delay_max_ns, "delay_max_ns"),
	SIGNED(client_datagrams, delay_sum_ns, "delay_sum_ns"),
	{ 0 }
};

const struct record_field record_fields_device[] = {
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

const struct record_field record_fields_backlog[] = {
	NUMBER(backlog, samples, "samples"),
	NUMBER(backlog, standing, "standing"),
	FLAG(backlog, holds_rate, "holds_rate"),
	{ 0 }
};

const struct record_field record_fields_driver_queue[] = {
	NUMBER(driver_queue, samples, "samples"),
	NUMBER(driver_queue, standing, "standing"),
	{ 0 }
};

const struct record_field record_fields_bus[] = {
	NUMBER(ceiling_bus, clock_hz, "clock_hz"),
	NUMBER(ceiling_bus, width_bits, "width_bits"),
	NUMBER(ceiling_bus, generation, "generation"),
	NUMBER(ceiling_bus, lanes, "lanes"),
	NUMBER(ceiling_bus, payload_bytes, "payload_bytes"),
	{ 0 }
};

const struct record_field record_fields_tcp_memory[] = {
	NUMBER(tcp_memory, netns, "netns_inode"),
	FLAG(tcp_memory, pressure, "pressure"),
	NUMBER(tcp_memory, pressures, "pressures"),
	NUMBER(tcp_memory, pressure_ms, "pressure_ms"),
	NUMBER(tcp_memory, drops, "dropped_segments"),
	NUMBER(tcp_memory, send_max_bytes, "send_max_bytes"),
	{ 0 }
};

const struct record_field record_fields_protocols[] = {
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

static const char *word(enum record_type type, unsigned int number)
{
	switch (type) {
	case RECORD_ROLE:
		return names_role(number);
	case RECORD_STATE:
		return names_state(number);
	default:
		return names_reason(number);
	}
}

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
	case RECORD_ADDRESS:
		output_data_string(out, field->key, address_show_port(at).text);
		break;
	default:
		output_data_string(out, field->key,
				   word(field->type, *(const unsigned int *)at));
	}
}

/* An unknown word, as from a later version, leaves the field at 0. */
static unsigned int number(enum record_type type, const char *text)
{
	static const char *(*const names[])(unsigned int) = {
		[RECORD_ROLE] = names_role,
		[RECORD_STATE] = names_state,
		[RECORD_REASON] = names_reason,
	};
	const int found = names_find(names[type], text);

	return found < 0 ? 0 : found;
}

static void read_field(struct json_object *from,
		       const struct record_field *field, void *to)
{
	void *at = (char *)to + field->offset;

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
	case RECORD_ADDRESS:
		address_read_port(json_text(from, field->key), at);
		break;
	default:
		*(unsigned int *)at = number(field->type,
					     json_text(from, field->key));
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
		write_field(out, fields, from);
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
