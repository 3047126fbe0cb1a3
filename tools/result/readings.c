// SPDX-License-Identifier: GPL-2.0
/* readings: record the readings of a session's ends. */
#include "readings.h"
#include "record.h"
#include "record_fields.h"

static void record_counters(struct output *out, const char *key,
			    const struct device_counters *counters)
{
	if (!counters->known)
		return;
	output_object_begin(out, key);
	record_fields_write(out, record_fields_device, counters);
	output_object_end(out);
}

static void record_device(struct output *out, const struct session_end *end)
{
	output_object_begin(out, "device");
	output_data_u64(out, "index", end->device);
	output_data_string(out, "name", end->device_name);
	output_data_bool(out, "certain", end->device_certain);
	record_counters(out, "begin", &end->device_begin);
	record_counters(out, "end", &end->device_last);
	if (end->backlog.samples) {
		output_object_begin(out, "backlog");
		output_data_string(out, "kind", end->backlog.kind);
		record_fields_write(out, record_fields_backlog, &end->backlog);
		output_object_end(out);
	}
	if (end->driver_queue.samples) {
		output_object_begin(out, "driver_queue");
		record_fields_write(out, record_fields_driver_queue,
				    &end->driver_queue);
		output_object_end(out);
	}
	output_object_end(out);
}

static void record_tcp_memory(struct output *out, const char *key,
			      const struct tcp_memory *memory)
{
	if (!memory->known)
		return;
	output_object_begin(out, key);
	record_fields_write(out, record_fields_tcp_memory, memory);
	output_data_string(out, "tcp_mem_pages", memory->pages);
	output_object_end(out);
}

static void record_protocols(struct output *out, const char *key,
			     const struct protocols *protocols)
{
	if (!protocols->known)
		return;
	output_object_begin(out, key);
	record_fields_write(out, record_fields_protocols, protocols);
	output_object_end(out);
}

static void record_clock(struct output *out, const char *key,
			 const struct clock_offset *offset)
{
	if (offset->known)
		output_data_i64(out, key, offset->ns);
}

/**
 * readings_record_host() - record the counters of the host of an end
 * @out: the output
 * @end: the end
 */
void readings_record_host(struct output *out, const struct session_end *end)
{
	record_device(out, end);
	output_object_begin(out, "tcp_memory");
	record_tcp_memory(out, "begin", &end->tcp_memory_begin);
	record_tcp_memory(out, "end", &end->tcp_memory_last);
	output_object_end(out);
	output_object_begin(out, "protocols");
	record_protocols(out, "begin", &end->protocols_begin);
	record_protocols(out, "end", &end->protocols_last);
	output_object_end(out);
	output_object_begin(out, "clock_offset");
	record_clock(out, "begin_ns", &end->clock_begin);
	record_clock(out, "end_ns", &end->clock_last);
	output_object_end(out);
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
	output_data_u64(out, "warmup_ns", session->warmup_ns);
	output_data_u64(out, "interval_ns", session->interval_ns);
	output_data_bool(out, "warmed_up", session->warmed_up);
	output_data_bool(out, "nothing_between", session->nothing_between);
	output_data_u64(out, "looks_ns", session->looks.spent_ns);
	if (session->acknowledged_ns)
		output_data_u64(out, "acknowledged_ns",
				session->acknowledged_ns);
	output_data_double(out, "disturbed_above_share",
			   session->disturbed_above);
	readings_record_reference(out, "reference", &session->reference);
	readings_record_reference(out, "far_reference",
				  &session->far_reference);
	readings_record_drops(out, "drops", &session->drops);
	record_end(out, "source", &session->source);
	record_end(out, "sink", &session->sink);
	output_object_end(out);
}
