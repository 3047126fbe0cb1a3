// SPDX-License-Identifier: GPL-2.0
/* record_fields: the members of a record that are fields of a structure. */
#include "../ceilings/ceiling_bus.h"
#include "../module/client.h"
#include "../host/device_counters.h"
#include "../base/json.h"
#include "../module/names.h"
#include "../host/tcp_memory.h"
#include "record_fields.h"

/* The type of a field that is no enumeration. */
#define TYPE_OF(name, member) _Generic(((struct name *)NULL)->member,	\
	bool: RECORD_BOOL, uint16_t: RECORD_U16, uint32_t: RECORD_U32,	\
	uint64_t: RECORD_U64, int64_t: RECORD_I64, int: RECORD_INT,	\
	struct address: RECORD_ADDRESS)
#define FIELD(name, member, key) \
	{ key, TYPE_OF(name, member), offsetof(struct name, member) }
#define WORD(name, member, key, type) \
	{ key, type, offsetof(struct name, member) }

const struct record_field record_fields_run[] = {
	FIELD(client_run, id, "id"),
	WORD(client_run, role, "role", RECORD_ROLE),
	WORD(client_run, state, "state", RECORD_STATE),
	WORD(client_run, reason, "reason", RECORD_REASON),
	FIELD(client_run, error, "errno"),
	FIELD(client_run, now_ns, "now_ns"),
	FIELD(client_run, begun_ns, "begun_ns"),
	FIELD(client_run, ended_ns, "ended_ns"),
	FIELD(client_run, streams, "streams"),
	{ 0 }
};

const struct record_field record_fields_sink[] = {
	FIELD(client_run, accepted, "accepted"),
	FIELD(client_run, refused, "refused"),
	FIELD(client_run, local_port, "local_port"),
	{ 0 }
};

const struct record_field record_fields_counters[] = {
	FIELD(client_counters, bytes, "bytes"),
	FIELD(client_counters, messages, "messages"),
	FIELD(client_counters, calls, "calls"),
	FIELD(client_counters, would_blocks, "would_blocks"),
	FIELD(client_counters, wake_ups, "wake_ups"),
	FIELD(client_counters, call_cycles, "call_cycles"),
	FIELD(client_counters, drops, "drops"),
	FIELD(client_counters, busy, "busy"),
	FIELD(client_counters, stopped, "stopped"),
	{ 0 }
};

const struct record_field record_fields_cpu[] = {
	FIELD(client_cpu, id, "cpu"),
	FIELD(client_cpu, time_ns, "time_ns"),
	FIELD(client_cpu, cycles, "cycles"),
	{ 0 }
};

const struct record_field record_fields_idle[] = {
	FIELD(client_cpu, idle_ns, "idle_ns"),
	{ 0 }
};

const struct record_field record_fields_stream[] = {
	FIELD(client_stream, id, "stream"),
	FIELD(client_stream, cpu, "cpu"),
	WORD(client_stream, state, "state", RECORD_STATE),
	FIELD(client_stream, error, "errno"),
	FIELD(client_stream, local, "local"),
	FIELD(client_stream, remote, "remote"),
	FIELD(client_stream, first_cycles, "first_cycles"),
	FIELD(client_stream, last_cycles, "last_cycles"),
	FIELD(client_stream, copied, "copied"),
	{ 0 }
};

const struct record_field record_fields_stream_end[] = {
	FIELD(client_stream, unreturned, "unreturned_buffers"),
	{ 0 }
};

const struct record_field record_fields_tcp[] = {
	FIELD(tcpinfo, timestamps, "timestamps"),
	FIELD(tcpinfo, send_mss_bytes, "send_mss_bytes"),
	FIELD(tcpinfo, path_mtu_bytes, "path_mtu_bytes"),
	FIELD(tcpinfo, congestion_window, "congestion_window_segments"),
	FIELD(tcpinfo, slow_start_threshold, "slow_start_threshold_segments"),
	FIELD(tcpinfo, rtt_us, "rtt_us"),
	FIELD(tcpinfo, rtt_deviation_us, "rtt_deviation_us"),
	FIELD(tcpinfo, rtt_min_us, "rtt_min_us"),
	FIELD(tcpinfo, retransmissions, "retransmissions"),
	FIELD(tcpinfo, bytes_acked, "bytes_acked"),
	FIELD(tcpinfo, bytes_received, "bytes_received"),
	FIELD(tcpinfo, bytes_sent, "bytes_sent"),
	FIELD(tcpinfo, bytes_retransmitted, "bytes_retransmitted"),
	FIELD(tcpinfo, segments_out, "segments_out"),
	FIELD(tcpinfo, segments_in, "segments_in"),
	FIELD(tcpinfo, delivery_rate, "delivery_bytes_per_s"),
	FIELD(tcpinfo, busy_us, "busy_us"),
	FIELD(tcpinfo, receive_window_limited_us, "receive_window_limited_us"),
	FIELD(tcpinfo, send_buffer_limited_us, "send_buffer_limited_us"),
	FIELD(tcpinfo, send_window_bytes, "send_window_bytes"),
	FIELD(tcpinfo, in_flight, "in_flight_segments"),
	FIELD(tcpinfo, application_limited, "application_limited"),
	{ 0 }
};

const struct record_field record_fields_datagrams[] = {
	FIELD(client_datagrams, received, "received"),
	FIELD(client_datagrams, lost, "lost"),
	FIELD(client_datagrams, reordered, "reordered"),
	FIELD(client_datagrams, duplicates, "duplicates"),
	FIELD(client_datagrams, late, "late"),
	FIELD(client_datagrams, foreign, "foreign"),
	FIELD(client_datagrams, drops, "socket_drops"),
	FIELD(client_datagrams, refusals, "refusals"),
	FIELD(client_datagrams, jitter_ns, "jitter_ns"),
	{ 0 }
};

const struct record_field record_fields_delay[] = {
	FIELD(client_datagrams, delay_min_ns, "delay_min_ns"),
	FIELD(client_datagrams, delay_max_ns, "delay_max_ns"),
	FIELD(client_datagrams, delay_sum_ns, "delay_sum_ns"),
	{ 0 }
};

const struct record_field record_fields_device[] = {
	FIELD(device_counters, loopback, "loopback"),
	FIELD(device_counters, sent_packets, "sent_packets"),
	FIELD(device_counters, sent_drops, "sent_drops"),
	FIELD(device_counters, received_packets, "received_packets"),
	FIELD(device_counters, received_drops, "received_drops"),
	FIELD(device_counters, queue_drops, "queue_drops"),
	FIELD(device_counters, ingress_drops, "ingress_drops"),
	FIELD(device_counters, backlog_drops, "backlog_drops"),
	FIELD(device_counters, sent_bytes, "sent_bytes"),
	FIELD(device_counters, received_bytes, "received_bytes"),
	{ 0 }
};

const struct record_field record_fields_bus[] = {
	FIELD(ceiling_bus, clock_hz, "clock_hz"),
	FIELD(ceiling_bus, width_bits, "width_bits"),
	FIELD(ceiling_bus, generation, "generation"),
	FIELD(ceiling_bus, lanes, "lanes"),
	FIELD(ceiling_bus, payload_bytes, "payload_bytes"),
	{ 0 }
};

const struct record_field record_fields_tcp_memory[] = {
	FIELD(tcp_memory, netns, "netns_inode"),
	FIELD(tcp_memory, pressure, "pressure"),
	FIELD(tcp_memory, pressures, "pressures"),
	FIELD(tcp_memory, pressure_ms, "pressure_ms"),
	FIELD(tcp_memory, drops, "dropped_segments"),
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

static void write_field(struct output *out, const struct record_field *field,
			const void *from)
{
	const void *at = (const char *)from + field->offset;

	switch (field->type) {
	case RECORD_BOOL:
		output_data_bool(out, field->key, *(const bool *)at);
		break;
	case RECORD_U16:
		output_data_u64(out, field->key, *(const uint16_t *)at);
		break;
	case RECORD_U32:
		output_data_u64(out, field->key, *(const uint32_t *)at);
		break;
	case RECORD_U64:
		output_data_u64(out, field->key, *(const uint64_t *)at);
		break;
	case RECORD_I64:
		output_data_i64(out, field->key, *(const int64_t *)at);
		break;
	case RECORD_INT:
		output_data_u64(out, field->key, *(const int *)at);
		break;
	case RECORD_ADDRESS:
		output_data_string(out, field->key, address_show_port(at).text);
		break;
	default:
		output_data_string(out, field->key,
				   word(field->type, *(const unsigned int *)at));
	}
}

/* A word that is not known, as of a later version, leaves the field at 0. */
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
	case RECORD_BOOL:
		*(bool *)at = json_is(from, field->key);
		break;
	case RECORD_U16:
		*(uint16_t *)at = json_u64(from, field->key);
		break;
	case RECORD_U32:
		*(uint32_t *)at = json_u64(from, field->key);
		break;
	case RECORD_U64:
		*(uint64_t *)at = json_u64(from, field->key);
		break;
	case RECORD_I64:
		*(int64_t *)at = json_i64(from, field->key);
		break;
	case RECORD_INT:
		*(int *)at = json_u64(from, field->key) & INT32_MAX;
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
 * record_fields_write() - write fields as members of the object under way
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
