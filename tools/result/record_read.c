// SPDX-License-Identifier: GPL-2.0
/* record_read: read a session back from its record. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/json.h"
#include "../base/spool.h"
#include "../engines/engine.h"
#include "../host/address.h"
#include "../module/names.h"
#include "record.h"
#include "record_fields.h"
#include "record_read.h"
#include "report.h"

/* String of a document; "" if it has none. */
static const char *text_of(struct json_object *from, const char *key)
{
	const char *text = json_text(from, key);

	return text ? text : "";
}

static void read_attribute(struct json_object *from, int type,
			   struct config *config)
{
	const struct config_attribute *attribute = &config_attributes[type];
	const char *text = json_text(from, attribute->key);
	const int word = record_words(type) ?
			 names_find(record_words(type), text) : -1;
	struct units_error ignored;
	struct ethernet_mac mac;

	switch (attribute->kind) {
	case CONFIG_FLAG:
		if (json_is(from, attribute->key))
			config_set(config, type, 1);
		break;
	case CONFIG_STRING:
		if (text)
			config_set_string(config, type, text);
		break;
	case CONFIG_MAC:
		if (text && !ethernet_parse_mac(text, &mac, &ignored))
			config_set_mac(config, type, mac.byte);
		break;
	default:
		if (word >= 0)
			config_set(config, type, word);
		else if (json_at(from, attribute->key))
			config_set(config, type,
				   json_u64(from, attribute->key));
	}
}

/**
 * record_read_config() - read a configuration back
 * @from: object of record_config()
 * @config: filled in
 */
void record_read_config(struct json_object *from, struct config *config)
{
	const int wait = names_find(names_wait, json_text(from, "wait"));
	const int engine = names_find(names_engine, json_text(from, "engine"));

	*config = (struct config) { 0 };
	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++)
		if (config_attributes[type].kind != CONFIG_NONE &&
		    config_attributes[type].kind != CONFIG_ADDRESS)
			read_attribute(from, type, config);
	address_read(json_text(from, "local"), &config->local);
	if (address_read(json_text(from, "remote"), &config->remote))
		address_set_port(&config->remote,
				 config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
	config->engine = engine < 0 ? CONFIG_ENGINE_KTPUT : engine;
	config->batch = json_u64(from, "batch");
	config->wait = wait < 0 ? CONFIG_WAIT_EPOLL : wait;
	config->busy_poll_us = json_u64(from, "busy_poll_us");
}

static void read_contexts(struct json_object *from, struct contexts *contexts)
{
	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++) {
		contexts->known[i] = json_at(from, contexts_key(i));
		contexts->cycles[i] = json_u64(from, contexts_key(i));
	}
}

static void read_events(struct json_object *from, struct events *events)
{
	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++) {
		char key[EVENTS_KEY_SIZE];

		events_reason_key(i, key);
		events->known[i] = json_at(from, events_key(i));
		events->count[i] = json_u64(from, events_key(i));
		events->reason[i] = json_text(from, key);
	}
}

static int read_cpu(struct json_object *from, struct client_cpu *cpu,
		    struct units_error *err)
{
	record_fields_read(from, record_fields_cpu, cpu);
	record_fields_read(from, record_fields_counters, &cpu->counters);
	read_contexts(json_at(from, "contexts"), &cpu->contexts);
	read_events(json_at(from, "events"), &cpu->events);
	if (cpu->id < UNITS_CPU_MAX)
		return 0;
	return units_refuse(err, "has no CPU %" PRIu32 ": no machine has one",
			    cpu->id);
}

static void read_stream(struct json_object *from, struct client_stream *stream)
{
	struct client_datagrams *datagrams = &stream->datagrams;
	struct json_object *told = json_at(from, "datagrams");

	record_fields_read(from, record_fields_stream, stream);
	record_fields_read(from, record_fields_counters, &stream->counters);
	record_fields_read(from, record_fields_stream_end, stream);
	record_fields_read(json_at(from, "tcp"), record_fields_tcp,
			   &stream->tcp);
	datagrams->present = told;
	record_fields_read(told, record_fields_datagrams, datagrams);
}

/**
 * record_read_run() - read a run back
 * @from: object of record_run()
 * @run: filled in, except for why it was refused
 */
void record_read_run(struct json_object *from, struct client_run *run)
{
	record_fields_read(from, record_fields_run, run);
	record_fields_read(from, record_fields_sink, run);
}

/**
 * record_read_snapshot() - read a snapshot back
 * @from: object of record_snapshot(); it must outlive the snapshot
 * @snapshot: zeroed; release with client_snapshot_free(), also after an error
 * @err: what is wrong with it, as the end of a sentence
 */
int record_read_snapshot(struct json_object *from,
			 struct client_snapshot *snapshot,
			 struct units_error *err)
{
	struct json_object *cpus = json_array(from, "cpus");
	struct json_object *streams = json_array(from, "streams");
	const size_t cpu_count = json_length(cpus);
	const size_t stream_count = json_length(streams);

	record_read_run(json_at(from, "run"), &snapshot->run);
	snapshot->cpus = calloc(cpu_count + 1, sizeof(*snapshot->cpus));
	snapshot->streams = calloc(stream_count + 1,
				   sizeof(*snapshot->streams));
	if (!snapshot->cpus || !snapshot->streams)
		return units_refuse(err, "is too long: out of memory");
	snapshot->cpu_count = cpu_count;
	for (size_t i = 0; i < cpu_count; i++)
		if (read_cpu(json_element(cpus, i), &snapshot->cpus[i], err))
			return -1;
	snapshot->stream_count = stream_count;
	for (size_t i = 0; i < stream_count; i++)
		read_stream(json_element(streams, i), &snapshot->streams[i]);
	return 0;
}

/**
 * record_read_host() - read the counters of the host of an end back
 * @readings: object of readings_record_host()
 * @end: its members are filled in
 */
void record_read_host(struct json_object *readings, struct session_end *end)
{
	record_fields_read(readings, record_fields_host, end);
	/* Records that do not tell are of before it was looked for. */
	end->backlog.holds_rate |= backlog_holds_rate(end->backlog.kind);
}

static int read_end(struct json_object *record, const char *key,
		    struct session_end *end, struct units_error *err)
{
	struct json_object *began = json_at(record, key);
	struct json_object *readings =
		json_at(json_at(record, "readings"), key);

	end->present = readings;
	/* The record has nothing about an end on another host. */
	if (!readings)
		return 0;
	end->host = json_text(began, "host");
	end->netns = json_text(began, "netns");
	record_read_config(json_at(began, "config"), &end->config);
	end->backend = backend_of(&end->config);
	record_read_host(readings, end);
	if (record_read_snapshot(json_at(readings, "begin"), &end->begin, err) ||
	    record_read_snapshot(json_at(readings, "end"), &end->last, err))
		return -1;
	end->run = end->last.run;
	return 0;
}

/**
 * record_read_route() - read a route back
 * @from: object of report_route()
 * @route: filled in
 */
void record_read_route(struct json_object *from, struct route *route)
{
	*route = (struct route) { 0 };
	record_fields_read(from, record_fields_route, route);
}

static void read_interval(struct json_object *from, void *series)
{
	const struct series_interval interval = {
		.from_ns = json_u64(from, "from_ns"),
		.to_ns = json_u64(from, "to_ns"),
		.bytes = json_u64(from, "bytes"),
		.packets = json_u64(from, "packets"),
		.busy_cycles = json_number(from, "busy_cycles"),
		.own_cycles = json_number(from, "own_cycles"),
	};

	if (interval.to_ns > interval.from_ns)
		series_add(series, &interval, json_is(from, "warm_up"));
}

/* Read the times of round trips from the result, which has all of them. */
static int read_latency(struct json_object *result,
			struct client_snapshot *snapshot,
			struct units_error *err)
{
	struct json_object *buckets = json_array(result, "histogram");
	struct histogram *latency;

	if (!buckets)
		return 0;
	latency = malloc(sizeof(*latency));
	if (!latency)
		return units_refuse(err, "is too long: out of memory");
	histogram_init(latency);
	for (size_t i = 0; i < json_length(buckets); i++) {
		struct json_object *from = json_element(buckets, i);

		latency->bucket[ktput_histogram_bucket(json_u64(from, "from_ns"))] =
			json_u64(from, "count");
	}
	latency->count = json_u64(result, "latency_ns.count");
	latency->sum_ns = json_u64(result, "latency_ns.sum");
	latency->least_ns = json_u64(result, "latency_ns.min");
	latency->greatest_ns = json_u64(result, "latency_ns.max");
	latency->timeouts = json_u64(result, "timeouts");
	latency->late = json_u64(result, "late_responses");
	latency->unanswered = json_u64(result, "unanswered");
	snapshot->latency = latency;
	return 0;
}

/**
 * record_read_reference() - read the activity outside the runs back
 * @from: object of readings_record_reference(), or NULL
 * @reference: zeroed; release with reference_free()
 */
void record_read_reference(struct json_object *from,
			   struct reference *reference)
{
	struct json_object *cpus = json_array(from, "cpus");
	const size_t last = json_length(cpus);

	if (!last)
		return;
	/* The CPUs are in ascending order. */
	reference->count = json_u64(json_element(cpus, last - 1), "cpu") + 1;
	if (reference->count > UNITS_CPU_MAX)
		reference->count = UNITS_CPU_MAX;
	reference->cpu = calloc(reference->count, sizeof(*reference->cpu));
	if (!reference->cpu)
		return;
	reference->elapsed_ns = json_u64(from, "elapsed_ns");
	reference->throttled = json_at(from, "throttled_us");
	reference->throttled_us = json_u64(from, "throttled_us");
	reference->throttled_ns = json_u64(from, "throttled_window_ns");
	for (size_t i = 0; i < json_length(cpus); i++) {
		struct json_object *told = json_element(cpus, i);
		const uint64_t id = json_u64(told, "cpu");
		struct reference_cpu *cpu;

		if (id >= reference->count)
			continue;
		cpu = &reference->cpu[id];
		cpu->packets_known = json_at(told, "received_packets");
		cpu->packets = json_u64(told, "received_packets");
		cpu->longest_known = json_at(told, "longest_process");
		snprintf(cpu->longest.name, sizeof(cpu->longest.name), "%s",
			 text_of(told, "longest_process"));
		cpu->longest.pid = json_u64(told, "longest_process_id");
		tasks_set_ns(&cpu->longest,
			     json_u64(told, "longest_process_ns"));
		cpu->delay_known = json_at(told, "softirq_delay_ns");
		cpu->delay_ns = json_u64(told, "softirq_delay_ns");
		cpu->program_ns = json_u64(told, "program_ns");
	}
}

static void read_drops(struct json_object *from, struct drops *drops)
{
	const size_t count = json_length(from);

	if (!from)
		return;
	drops->reason = calloc(count + 1, sizeof(*drops->reason));
	if (!drops->reason)
		return;
	drops->known = true;
	drops->count = count;
	for (size_t i = 0; i < count; i++) {
		struct json_object *told = json_element(from, i);
		struct drops_reason *reason = &drops->reason[i];

		snprintf(reason->name, sizeof(reason->name), "%s",
			 text_of(told, "reason"));
		reason->datagrams = json_u64(told, "datagrams");
	}
}

static void read_session(struct json_object *record, struct session *session)
{
	const struct session_end *leading = session->source.present ?
					    &session->source : &session->sink;
	const uint64_t *config = leading->config.number;
	struct json_object *readings = json_at(record, "readings");

	session->detail = json_array(record, "source.begin.streams") ||
			  json_array(record, "sink.begin.streams");
	session->udp = config[KTPUT_A_CONFIG_TRANSPORT] == KTPUT_TRANSPORT_UDP;
	session->pingpong = config[KTPUT_A_CONFIG_PATTERN] ==
			    KTPUT_PATTERN_PING_PONG;
	session->engine = engine_of(leading->config.engine);
	record_fields_read(readings, record_fields_session, session);
	record_read_reference(json_at(readings, "reference"),
			      &session->reference);
	record_read_reference(json_at(readings, "far_reference"),
			      &session->far_reference);
	read_drops(json_array(readings, "drops"), &session->drops);
	stages_report_read(json_at(record, "result.stages"), &session->stages);
	session->interrupted = json_is(record, "result.interrupted");
}

/**
 * record_read() - read a session back
 * @record: document of a run; it must outlive the session
 * @to: filled in; record_read_free() releases it, also after an error
 * @err: what the document lacks, as the end of a sentence
 */
int record_read(struct json_object *record, struct record_read *to,
		struct units_error *err)
{
	struct session *session = &to->session;
	struct json_object *route = json_at(record, "route");

	*to = (struct record_read) { 0 };
	if (!json_at(record, "readings"))
		return units_refuse(err,
				    "has no readings: an earlier ktput-ctl made it; 'ktput-report html' shows it");
	if (read_end(record, "source", &session->source, err) ||
	    read_end(record, "sink", &session->sink, err))
		return -1;
	if (!session->source.present && !session->sink.present)
		return units_refuse(err, "has readings of no end");
	if (session->source.present &&
	    !json_object_is_type(route, json_type_object))
		return units_refuse(err, "has no route, which a source has");
	to->routed = session->source.present;
	record_read_route(route, &to->route);
	read_session(record, session);
	if (session->pingpong)
		return read_latency(json_at(record, "result"),
				    &session->source.last, err);
	spool_each(json_array(record, "intervals"), read_interval,
		   &session->series);
	return 0;
}

/**
 * record_read_free() - release a session that was read back
 * @read: the session
 */
void record_read_free(struct record_read *read)
{
	struct session_end *ends[] = {
		&read->session.source, &read->session.sink,
	};

	for (int i = 0; i < 2; i++) {
		client_snapshot_free(&ends[i]->begin);
		client_snapshot_free(&ends[i]->last);
	}
	series_free(&read->session.series);
	drops_free(&read->session.drops);
	reference_free(&read->session.reference);
	reference_free(&read->session.far_reference);
}
