// SPDX-License-Identifier: GPL-2.0
/* record: write the module's replies as JSON. */
#include "../host/address.h"
#include "../module/names.h"
#include "record.h"
#include "record_fields.h"

/**
 * record_run() - record a run and its state
 * @out: the output
 * @key: key of the object, NULL inside an array
 * @run: the run
 */
void record_run(struct output *out, const char *key,
		const struct client_run *run)
{
	output_object_begin(out, key);
	record_fields_write(out, record_fields_run, run);
	if (run->role == KTPUT_ROLE_SINK)
		record_fields_write(out, record_fields_sink, run);
	output_object_end(out);
}

/**
 * record_words() - the words for the values of a configuration attribute
 * @type: attribute, KTPUT_A_CONFIG_...
 *
 * Return: the function of names.h, or NULL if the value is no word.
 */
names_word record_words(int type)
{
	static const names_word words[KTPUT_A_CONFIG_MAX + 1] = {
		[KTPUT_A_CONFIG_ROLE] = names_role,
		[KTPUT_A_CONFIG_TRANSPORT] = names_transport,
		[KTPUT_A_CONFIG_LAYER] = names_layer,
		[KTPUT_A_CONFIG_METHOD] = names_method,
		[KTPUT_A_CONFIG_PATTERN] = names_pattern,
		[KTPUT_A_CONFIG_REPLY] = names_reply,
	};

	return words[type];
}

/**
 * record_word() - the word for the value of a configuration attribute
 * @config: configuration
 * @type: attribute, KTPUT_A_CONFIG_...
 *
 * Return: the word, or NULL if the value is a number or a flag.
 */
const char *record_word(const struct config *config, int type)
{
	if (record_words(type))
		return record_words(type)(config->number[type]);
	return config_attributes[type].kind == CONFIG_STRING ?
	       config_string(config, type) : NULL;
}

static void record_mac(struct output *out, const char *key,
		       const uint8_t *mac)
{
	output_data_string(out, key, ethernet_show_mac(mac).text);
}

/* How the engine in user space waits for messages. */
static void record_waiting(struct output *out, const struct config *config)
{
	if (!config_user(config) ||
	    config->number[KTPUT_A_CONFIG_PATTERN] != KTPUT_PATTERN_PING_PONG)
		return;
	output_data_string(out, "wait", names_wait(config->wait));
	if (config->busy_poll_us)
		output_data_u64(out, "busy_poll_us", config->busy_poll_us);
}

/**
 * record_config() - record a configuration
 * @out: the output
 * @key: key of the object
 * @config: configuration; only attributes that are set are recorded
 */
void record_config(struct output *out, const char *key,
		   const struct config *config)
{
	output_object_begin(out, key);
	output_data_string(out, "engine", names_engine(config->engine));
	if (address_family(&config->local) != AF_UNSPEC)
		output_data_string(out, "local",
				   address_show(&config->local).text);
	if (address_family(&config->remote) != AF_UNSPEC)
		output_data_string(out, "remote",
				   address_show(&config->remote).text);
	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++) {
		const struct config_attribute *attribute =
			&config_attributes[type];

		if (!config_has(config, type))
			continue;
		if (record_word(config, type))
			output_data_string(out, attribute->key,
					   record_word(config, type));
		else if (attribute->kind == CONFIG_FLAG)
			output_data_bool(out, attribute->key, true);
		else if (attribute->kind == CONFIG_MAC)
			record_mac(out, attribute->key,
				   config_mac(config, type));
		else
			output_data_u64(out, attribute->key,
					config->number[type]);
	}
	if (config->batch)
		output_data_u64(out, "batch", config->batch);
	record_waiting(out, config);
	output_object_end(out);
}

/**
 * record_contexts() - record cycles by context, as a member of the current object
 * @out: the output
 * @contexts: the contexts; nothing is recorded if none is known
 */
void record_contexts(struct output *out, const struct contexts *contexts)
{
	if (!contexts_known(contexts))
		return;
	output_object_begin(out, "contexts");
	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++)
		if (contexts->known[i])
			output_data_u64(out, contexts_key(i),
					contexts->cycles[i]);
	output_object_end(out);
}

/**
 * record_events() - record events, and why others are not counted, as a member of
 *	the current object
 * @out: the output
 * @events: the events; nothing is recorded if the kernel reports none
 */
void record_events(struct output *out, const struct events *events)
{
	if (!events_told(events))
		return;
	output_object_begin(out, "events");
	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++) {
		char key[EVENTS_KEY_SIZE];

		events_reason_key(i, key);
		if (events->known[i])
			output_data_u64(out, events_key(i), events->count[i]);
		else if (events->reason[i])
			output_data_string(out, key, events->reason[i]);
	}
	output_object_end(out);
}

static void record_cpu(struct output *out, const struct client_cpu *cpu)
{
	output_object_begin(out, NULL);
	record_fields_write(out, record_fields_cpu, cpu);
	record_fields_write(out, record_fields_counters, &cpu->counters);
	record_contexts(out, &cpu->contexts);
	record_events(out, &cpu->events);
	output_object_end(out);
}

static void record_tcp(struct output *out, const struct tcpinfo *tcp)
{
	output_object_begin(out, "tcp");
	record_fields_write(out, record_fields_tcp, tcp);
	output_object_end(out);
}

static void record_datagrams(struct output *out,
			     const struct client_datagrams *datagrams)
{
	output_object_begin(out, "datagrams");
	record_fields_write(out, record_fields_datagrams, datagrams);
	output_object_end(out);
}

static void record_stream(struct output *out,
			  const struct client_stream *stream)
{
	output_object_begin(out, NULL);
	record_fields_write(out, record_fields_stream, stream);
	record_fields_write(out, record_fields_counters, &stream->counters);
	record_fields_write(out, record_fields_stream_end, stream);
	if (stream->datagrams.present)
		record_datagrams(out, &stream->datagrams);
	else
		record_tcp(out, &stream->tcp);
	output_object_end(out);
}

/**
 * record_snapshot() - record a snapshot
 * @out: the output
 * @key: key of the object
 * @snapshot: the snapshot
 * @streams: record each stream too
 */
void record_snapshot(struct output *out, const char *key,
		     const struct client_snapshot *snapshot, bool streams)
{
	if (!output_is_json(out))
		return;
	output_object_begin(out, key);
	record_run(out, "run", &snapshot->run);
	output_array_begin(out, "cpus");
	for (size_t i = 0; i < snapshot->cpu_count; i++)
		record_cpu(out, &snapshot->cpus[i]);
	output_array_end(out);
	if (streams) {
		output_array_begin(out, "streams");
		for (size_t i = 0; i < snapshot->stream_count; i++)
			record_stream(out, &snapshot->streams[i]);
		output_array_end(out);
	}
	output_object_end(out);
}

/**
 * readings_record_host() - record the counters of the host of an end
 * @out: the output
 * @end: the end
 */
void readings_record_host(struct output *out, const struct session_end *end)
{
	record_fields_write(out, record_fields_host, end);
}

static void record_end(struct output *out, const char *key,
		       const struct session_end *end)
{
	if (!end->present)
		return;
	output_object_begin(out, key);
	readings_record_host(out, end);
	/* Always record the streams: they define the measured time. */
	record_snapshot(out, "begin", &end->begin, true);
	record_snapshot(out, "end", &end->last, true);
	output_object_end(out);
}

static void record_reference_cpu(struct output *out,
				 const struct reference_cpu *cpu, size_t id)
{
	if (!cpu->packets_known && !cpu->longest_known && !cpu->program_ns &&
	    !cpu->delay_known)
		return;
	output_object_begin(out, NULL);
	output_data_u64(out, "cpu", id);
	if (cpu->packets_known)
		output_data_u64(out, "received_packets", cpu->packets);
	if (cpu->longest_known) {
		output_data_string(out, "longest_process", cpu->longest.name);
		output_data_u64(out, "longest_process_id", cpu->longest.pid);
		output_data_u64(out, "longest_process_ns",
				tasks_ns(&cpu->longest));
	}
	if (cpu->delay_known)
		output_data_u64(out, "softirq_delay_ns", cpu->delay_ns);
	if (cpu->program_ns)
		output_data_u64(out, "program_ns", cpu->program_ns);
	output_object_end(out);
}

/**
 * readings_record_reference() - record the activity outside the runs
 * @out: the output
 * @key: key of the object
 * @reference: the activity; nothing is recorded if it is unknown
 */
void readings_record_reference(struct output *out, const char *key,
			       const struct reference *reference)
{
	if (!reference->elapsed_ns)
		return;
	output_object_begin(out, key);
	output_data_u64(out, "elapsed_ns", reference->elapsed_ns);
	if (reference->throttled) {
		output_data_u64(out, "throttled_us", reference->throttled_us);
		output_data_u64(out, "throttled_window_ns",
				reference->throttled_ns);
	}
	output_array_begin(out, "cpus");
	for (size_t i = 0; i < reference->count; i++)
		record_reference_cpu(out, &reference->cpu[i], i);
	output_array_end(out);
	output_object_end(out);
}

/**
 * readings_record_drops() - record the kernel's reasons for drops
 * @out: the output
 * @key: key of the list
 * @drops: drops that were watched, else nothing is recorded; an empty list if none
 *	were seen
 */
void readings_record_drops(struct output *out, const char *key,
			   const struct drops *drops)
{
	if (!drops->known)
		return;
	output_array_begin(out, key);
	for (size_t i = 0; i < drops->count; i++) {
		output_object_begin(out, NULL);
		output_data_string(out, "reason", drops->reason[i].name);
		output_data_u64(out, "datagrams", drops->reason[i].datagrams);
		output_object_end(out);
	}
	output_array_end(out);
}

/**
 * readings_record() - record the readings that a result is computed from
 * @session: session that has ended
 */
void readings_record(const struct session *session)
{
	struct output *out = session->out;

	if (!output_is_json(out))
		return;
	output_object_begin(out, "readings");
	record_fields_write(out, record_fields_session, session);
	readings_record_reference(out, "reference", &session->reference);
	readings_record_reference(out, "far_reference",
				  &session->far_reference);
	readings_record_drops(out, "drops", &session->drops);
	record_end(out, "source", &session->source);
	record_end(out, "sink", &session->sink);
	output_object_end(out);
}
