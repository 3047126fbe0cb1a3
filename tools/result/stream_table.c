// SPDX-License-Identifier: GPL-2.0
/* stream_table: print the counters of each stream. */
#include <inttypes.h>

#include "../module/names.h"
#include "stream_table.h"

static const struct output_column tcp_columns[] = {
	{ .title = "stream" }, { .title = "CPU" },
	{ .title = "state", .left = true }, { .title = "bytes" },
	{ .title = "calls" }, { .title = "blocked" }, { .title = "MSS" },
	{ .title = "cwnd" }, { .title = "RTT us" }, { .title = "retrans" },
};

static const struct output_column source_columns[] = {
	{ .title = "stream" }, { .title = "CPU" },
	{ .title = "state", .left = true }, { .title = "bytes" },
	{ .title = "datagrams" }, { .title = "calls" },
	{ .title = "blocked" }, { .title = "drops" }, { .title = "busy" },
	{ .title = "stopped" },
};

static const struct output_column sink_columns[] = {
	{ .title = "stream" }, { .title = "state", .left = true },
	{ .title = "bytes" }, { .title = "received" }, { .title = "lost" },
	{ .title = "reordered" }, { .title = "dups" }, { .title = "late" },
	{ .title = "drops" },
};

static void cell(struct output *out, const char *key, uint64_t value)
{
	output_u64(out, key, value, "%" PRIu64, value);
}

static void print_ends(struct output *out, const struct client_stream *stream)
{
	output_data_string(out, "local",
			   address_show_port(&stream->local).text);
	output_data_string(out, "remote",
			   address_show_port(&stream->remote).text);
	output_data_u64(out, "errno", stream->error);
}

static void print_source(struct output *out,
			 const struct client_stream *stream)
{
	const struct client_counters *counters = &stream->counters;

	output_row_begin(out);
	cell(out, "stream", stream->id);
	cell(out, "cpu", stream->cpu);
	output_string(out, "state", names_state(stream->state), "%s",
		      names_state(stream->state));
	cell(out, "bytes", counters->bytes);
	cell(out, "datagrams", counters->messages);
	cell(out, "calls", counters->calls);
	cell(out, "would_blocks", counters->would_blocks);
	cell(out, "drops", counters->drops);
	cell(out, "busy", counters->busy);
	cell(out, "stopped", counters->stopped);
	output_data_u64(out, "refusals", stream->datagrams.refusals);
	output_data_u64(out, "unreturned_buffers", stream->unreturned);
	print_ends(out, stream);
	output_row_end(out);
}

static void print_sink(struct output *out, const struct client_stream *stream)
{
	const struct client_datagrams *datagrams = &stream->datagrams;

	output_row_begin(out);
	cell(out, "stream", stream->id);
	output_string(out, "state", names_state(stream->state), "%s",
		      names_state(stream->state));
	cell(out, "bytes", stream->counters.bytes);
	cell(out, "received", datagrams->received);
	cell(out, "lost", datagrams->lost);
	cell(out, "reordered", datagrams->reordered);
	cell(out, "duplicates", datagrams->duplicates);
	cell(out, "late", datagrams->late);
	cell(out, "socket_drops", datagrams->drops);
	output_data_u64(out, "foreign", datagrams->foreign);
	output_data_u64(out, "jitter_ns", datagrams->jitter_ns);
	print_ends(out, stream);
	output_row_end(out);
}

static void print_tcp(struct output *out, const struct client_stream *stream)
{
	const struct client_counters *counters = &stream->counters;
	const struct tcpinfo *tcp = &stream->tcp;

	output_row_begin(out);
	output_u64(out, "stream", stream->id, "%" PRIu32, stream->id);
	output_u64(out, "cpu", stream->cpu, "%" PRIu32, stream->cpu);
	output_string(out, "state", names_state(stream->state), "%s",
		      names_state(stream->state));
	output_u64(out, "bytes", counters->bytes, "%" PRIu64, counters->bytes);
	output_u64(out, "calls", counters->calls, "%" PRIu64, counters->calls);
	output_u64(out, "would_blocks", counters->would_blocks, "%" PRIu64,
		   counters->would_blocks);
	output_u64(out, "send_mss_bytes", tcp->send_mss_bytes, "%" PRIu32,
		   tcp->send_mss_bytes);
	output_u64(out, "congestion_window_segments", tcp->congestion_window,
		   "%" PRIu32, tcp->congestion_window);
	output_u64(out, "rtt_us", tcp->rtt_us, "%" PRIu32, tcp->rtt_us);
	output_u64(out, "retransmissions", tcp->retransmissions, "%" PRIu32,
		   tcp->retransmissions);
	print_ends(out, stream);
	output_row_end(out);
}

/**
 * stream_table_print_end() - print the streams of a run
 * @out: the output
 * @key: JSON key of the table
 * @snapshot: snapshot of the run
 */
void stream_table_print_end(struct output *out, const char *key,
			    const struct client_snapshot *snapshot)
{
	bool udp = snapshot->stream_count &&
		   snapshot->streams[0].datagrams.present;

	if (!udp)
		output_table_begin(out, key, tcp_columns, COUNT(tcp_columns),
				   false);
	else if (snapshot->run.role == KTPUT_ROLE_SOURCE)
		output_table_begin(out, key, source_columns,
				   COUNT(source_columns), false);
	else
		output_table_begin(out, key, sink_columns, COUNT(sink_columns),
				   false);
	for (size_t i = 0; i < snapshot->stream_count; i++) {
		const struct client_stream *stream = &snapshot->streams[i];

		if (!udp)
			print_tcp(out, stream);
		else if (snapshot->run.role == KTPUT_ROLE_SOURCE)
			print_source(out, stream);
		else
			print_sink(out, stream);
	}
	output_table_end(out);
}

/**
 * stream_table_print() - print the streams of a session
 * @session: session that has ended
 */
void stream_table_print(const struct session *session)
{
	if (session->source.present) {
		output_text(session->out, "\nSource\n");
		stream_table_print_end(session->out, "source_streams",
				       &session->source.last);
	}
	if (session->sink.present) {
		output_text(session->out, "\nSink\n");
		stream_table_print_end(session->out, "sink_streams",
				       &session->sink.last);
	}
}
