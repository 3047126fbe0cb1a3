// SPDX-License-Identifier: GPL-2.0
/* stream_table: print the counters of each stream. */
#include "../module/names.h"
#include "record_fields.h"
#include "report.h"

#define DATA(type, member, key)						\
	{ RECORD_FIELD(client_stream, type, member, key) }
#define COLUMN(title, member, key)					\
	RECORD_COLUMN(title, client_stream, NUMBER, member, key)
#define STATE								\
	{ RECORD_FIELD(client_stream, WORD, state, "state"), .title = "state", \
	  .name = names_state }
#define ENDS								\
	DATA(ADDRESS, local, "local"), DATA(ADDRESS, remote, "remote"),	\
	DATA(NUMBER, error, "errno")

static const struct record_field tcp_rows[] = {
	COLUMN("stream", id, "stream"),
	COLUMN("CPU", cpu, "cpu"),
	STATE,
	COLUMN("bytes", counters.bytes, "bytes"),
	COLUMN("calls", counters.calls, "calls"),
	COLUMN("blocked", counters.would_blocks, "would_blocks"),
	COLUMN("MSS", tcp.send_mss_bytes, "send_mss_bytes"),
	COLUMN("cwnd", tcp.congestion_window, "congestion_window_segments"),
	COLUMN("RTT us", tcp.rtt_us, "rtt_us"),
	COLUMN("retrans", tcp.retransmissions, "retransmissions"),
	ENDS,
	{ 0 }
};

static const struct record_field source_rows[] = {
	COLUMN("stream", id, "stream"),
	COLUMN("CPU", cpu, "cpu"),
	STATE,
	COLUMN("bytes", counters.bytes, "bytes"),
	COLUMN("datagrams", counters.messages, "datagrams"),
	COLUMN("calls", counters.calls, "calls"),
	COLUMN("blocked", counters.would_blocks, "would_blocks"),
	COLUMN("drops", counters.drops, "drops"),
	COLUMN("busy", counters.busy, "busy"),
	COLUMN("stopped", counters.stopped, "stopped"),
	DATA(NUMBER, datagrams.refusals, "refusals"),
	DATA(NUMBER, unreturned, "unreturned_buffers"),
	ENDS,
	{ 0 }
};

static const struct record_field sink_rows[] = {
	COLUMN("stream", id, "stream"),
	STATE,
	COLUMN("bytes", counters.bytes, "bytes"),
	COLUMN("received", datagrams.received, "received"),
	COLUMN("lost", datagrams.lost, "lost"),
	COLUMN("reordered", datagrams.reordered, "reordered"),
	COLUMN("dups", datagrams.duplicates, "duplicates"),
	COLUMN("late", datagrams.late, "late"),
	COLUMN("drops", datagrams.drops, "socket_drops"),
	DATA(NUMBER, datagrams.foreign, "foreign"),
	DATA(NUMBER, datagrams.jitter_ns, "jitter_ns"),
	ENDS,
	{ 0 }
};

/**
 * stream_table_print_end() - print the streams of a run
 * @out: the output
 * @key: JSON key of the table
 * @snapshot: snapshot of the run
 */
void stream_table_print_end(struct output *out, const char *key,
			    const struct client_snapshot *snapshot)
{
	const struct record_field *rows = tcp_rows;

	if (snapshot->stream_count && snapshot->streams[0].datagrams.present)
		rows = snapshot->run.role == KTPUT_ROLE_SOURCE ? source_rows :
								 sink_rows;
	record_fields_table(out, key, rows);
	for (size_t i = 0; i < snapshot->stream_count; i++)
		record_fields_row(out, rows, &snapshot->streams[i], 1);
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
