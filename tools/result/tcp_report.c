// SPDX-License-Identifier: GPL-2.0
/*
 * tcp_report: TCP counters of a source's streams, and what limited them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../analysis/measure.h"
#include "../analysis/tcp_verdict.h"
#include "../analysis/verdict.h"
#include "../base/output.h"
#include "../host/tcp_memory.h"
#include "tcp_report.h"

/* Streams in the record of an interval, unless full detail is requested. */
#define STREAMS_MAX	16

static const struct client_stream none;

static const char not_measured[] =
	"not measured: the sockets are of MPTCP, and the kernel tells the counters of one subflow";

/* The stream in an earlier snapshot, all 0 if it is missing there. */
static const struct client_stream *
earlier(const struct client_snapshot *from, size_t index, uint32_t id)
{
	if (index < from->stream_count && from->streams[index].id == id)
		return &from->streams[index];
	for (size_t i = 0; i < from->stream_count; i++)
		if (from->streams[i].id == id)
			return &from->streams[i];
	return &none;
}

static void record_interval(struct output *out,
			    const struct client_stream *stream,
			    const struct tcpinfo *from)
{
	const struct tcpinfo *tcp = &stream->tcp;

	output_object_begin(out, NULL);
	output_data_u64(out, "id", stream->id);
	output_data_u64(out, "congestion_window_segments",
			tcp->congestion_window);
	output_data_u64(out, "slow_start_threshold_segments",
			tcp->slow_start_threshold);
	output_data_u64(out, "send_window_bytes", tcp->send_window_bytes);
	output_data_u64(out, "in_flight_segments", tcp->in_flight);
	output_data_u64(out, "rtt_us", tcp->rtt_us);
	output_data_u64(out, "rtt_min_us", tcp->rtt_min_us);
	output_data_u64(out, "delivery_bytes_per_s", tcp->delivery_rate);
	output_data_u64(out, "retransmissions",
			tcp->retransmissions - from->retransmissions);
	output_data_u64(out, "busy_us", tcp->busy_us - from->busy_us);
	output_data_u64(out, "receive_window_limited_us",
			tcp->receive_window_limited_us -
			from->receive_window_limited_us);
	output_data_u64(out, "send_buffer_limited_us",
			tcp->send_buffer_limited_us -
			from->send_buffer_limited_us);
	output_object_end(out);
}

/**
 * tcp_report_known() - whether TCP's counters are those of a session's connections
 * @session: session
 *
 * Return: false without a source here, with an external program that tells none, and
 * with MPTCP, of which the kernel tells those of one subflow.
 */
bool tcp_report_known(const struct session *session)
{
	return session->source.present &&
	       (!session->engine || session->engine->tells_tcp) &&
	       !session->source.last.run.mptcp;
}

/**
 * tcp_report_interval() - record the streams of a source in an interval
 * @session: session, with the later snapshots
 * @before: earlier snapshot of the source, not valid without a source
 */
void tcp_report_interval(const struct session *session,
			 const struct client_snapshot *before)
{
	const struct client_snapshot *now = &session->source.last;
	struct output *out = session->out;

	if (!session->source.present || !output_is_json(out) ||
	    session->source.last.run.mptcp)
		return;
	output_array_begin(out, "tcp");
	for (size_t i = 0; i < now->stream_count &&
	     (session->detail || i < STREAMS_MAX); i++) {
		const struct client_stream *stream = &now->streams[i];

		record_interval(out, stream,
				&earlier(before, i, stream->id)->tcp);
	}
	output_array_end(out);
}

/* Busiest CPU of the sink's streams: a source stream cannot be matched to one. */
static double sink_busy(const struct session *session)
{
	const struct session_end *sink = &session->sink;
	double busy = NAN;

	for (size_t i = 0; sink->present && i < sink->last.stream_count; i++)
		busy = fmax(busy, attribute_own_share(session, sink,
						      sink->last.streams[i].cpu));
	return busy;
}

/* Maximum rate of a stream, 0 for none. */
static double pace_bps(const struct session *session)
{
	return session->source.config.number[KTPUT_A_CONFIG_PACE] * 8.0;
}

/* The kernel doubles SO_SNDBUF, socket(7); 0 if it is not set. */
static double send_buffer_bytes(const struct session *session)
{
	const struct config *config = &session->source.config;

	return config->number[KTPUT_A_CONFIG_SNDBUF] * 2.0;
}

/* Rate of the path, shared evenly; 0 if unknown. */
static double wanted_bps(const struct session *session,
			 const struct route *route)
{
	if (pace_bps(session))
		return pace_bps(session);
	if (!route || route->medium != ROUTE_WIRE)
		return 0;
	return (double)route->rate_bps / session->source.last.stream_count;
}

/* Facts common to all streams; computing them may read every stream. */
static struct tcp_verdict_facts facts_of_all(const struct session *session,
					     const struct route *route,
					     uint64_t span_ns)
{
	return (struct tcp_verdict_facts) {
		.span_ns = span_ns,
		.send_buffer_bytes = send_buffer_bytes(session),
		.pace_bps = pace_bps(session),
		.wanted_bps = wanted_bps(session, route),
		.sink_busy = sink_busy(session),
	};
}

static void gather(const struct session *session, size_t index,
		   struct tcp_verdict_facts *facts)
{
	const struct client_snapshot *begin = &session->source.begin;
	const struct client_stream *to = &session->source.last.streams[index];
	/* Without a warm-up, include everything before the first snapshot too. */
	const struct client_stream *from = session->warmup_ns ?
		earlier(begin, index, to->id) : &none;
	/* Count acknowledged bytes: sent bytes include the send buffer. */
	uint64_t bytes = to->tcp.bytes_acked - from->tcp.bytes_acked;

	facts->from = from->tcp;
	facts->to = to->tcp;
	facts->goodput_bps = bytes * 8.0 * UNITS_NSEC_PER_SEC / facts->span_ns;
	facts->source_busy = attribute_own_share(session, &session->source,
						 to->cpu);
}

static void record(struct output *out, uint32_t id,
		   const struct tcp_verdict_facts *facts,
		   const struct tcp_verdict *verdict)
{
	output_object_begin(out, NULL);
	output_data_u64(out, "id", id);
	output_data_string(out, "verdict", tcp_verdict_name(verdict->kind));
	output_data_string(out, "because", verdict->text);
	output_data_double(out, "goodput_bps", facts->goodput_bps);
	output_data_double(out, "busy_share", verdict->busy_share);
	output_data_double(out, "receive_window_limited_share",
			   verdict->receive_window_share);
	output_data_double(out, "send_buffer_limited_share",
			   verdict->send_buffer_share);
	output_data_u64(out, "send_window_bytes", facts->to.send_window_bytes);
	output_data_double(out, "send_window_bps", verdict->window_bps);
	output_data_double(out, "congestion_window_bps",
			   verdict->congestion_window_bps);
	output_data_u64(out, "rtt_us", facts->to.rtt_us);
	output_data_u64(out, "rtt_min_us", facts->to.rtt_min_us);
	if (verdict->wanted_window_bytes) {
		output_data_double(out, "wanted_bps", facts->wanted_bps);
		output_data_double(out, "wanted_window_bytes",
				   verdict->wanted_window_bytes);
	}
	output_object_end(out);
}

/* Segments that were lost: sent again, but not in vain. */
static double lost_segments(const struct tcpinfo *from, const struct tcpinfo *to)
{
	const double again = to->retransmissions - from->retransmissions;

	return fmax(again - (to->duplicates - from->duplicates), 0);
}

/* Share of segments from which on TCP loses its time in timeouts, which no formula has. */
#define TIMEOUTS_SHARE	0.02

/* Mean rate of TCP with such a share of losses (Mathis et al. 1997): 1.22 MSS / (T sqrt(p)). */
static double loss_bps(const struct tcpinfo *tcp, double lost)
{
	return 1.22 * tcp->send_mss_bytes * 8e6 / (tcp->rtt_us * sqrt(lost));
}

/* Sum up over all streams; mean() makes means of what is summed. */
static void sum_up(const struct tcp_verdict_facts *facts,
		   const struct tcp_verdict *verdict, double count,
		   struct tcp_report_verdict *most)
{
	const struct tcpinfo *from = &facts->from, *to = &facts->to;
	const double lost = lost_segments(from, to);
	const double segments = to->segments_out - from->segments_out;

	most->resent += lost;
	most->resent_share += segments > 0 ? lost / count / segments : 0;
	if (verdict->kind == TCP_VERDICT_UNKNOWN)
		return;
	most->known++;
	most->window_waits += verdict->receive_window_share;
	most->send_buffer_waits += verdict->send_buffer_share;
	most->busy_share += verdict->busy_share;
	most->congestion_share += facts->goodput_bps /
				  verdict->congestion_window_bps;
	most->window_used += facts->goodput_bps / verdict->window_bps;
	most->window_bytes += to->send_window_bytes;
	most->rtt_us += to->rtt_us;
	most->rtt_min_us += to->rtt_min_us;
	if (segments > 0)
		most->marked_share += (to->delivered_ce - from->delivered_ce) /
				      segments;
	if (lost > TIMEOUTS_SHARE * segments)
		most->loss_used += 1;
	else if (lost > 0)
		most->loss_used += facts->goodput_bps /
				   loss_bps(to, lost / segments);
}

static void mean(struct tcp_report_verdict *most)
{
	double *const sums[] = {
		&most->window_waits, &most->send_buffer_waits,
		&most->busy_share, &most->congestion_share,
		&most->window_used, &most->window_bytes, &most->rtt_us, &most->rtt_min_us,
		&most->marked_share, &most->loss_used,
	};

	for (size_t i = 0; most->known && i < COUNT(sums); i++)
		*sums[i] /= most->known;
}

/* Print each verdict with its first stream and the number of streams. */
static void print(struct output *out, const struct tcp_verdict *first,
		  const size_t *streams, size_t count,
		  struct tcp_report_verdict *most)
{
	size_t greatest = 0;

	for (size_t i = 0; i <= TCP_VERDICT_PATH; i++) {
		char text[sizeof(most->text)];

		if (!streams[i])
			continue;
		if (count == 1)
			snprintf(text, sizeof(text), "%s", first[i].text);
		else
			snprintf(text, sizeof(text), "%zu of %zu streams %s",
				 streams[i], count, first[i].text);
		paragraph_print(out, "TCP", text);
		if (i == TCP_VERDICT_UNKNOWN || streams[i] <= greatest)
			continue;
		greatest = streams[i];
		snprintf(most->text, sizeof(most->text), "%s", text);
	}
}

/* A CPU that the run has nearly to itself is late by the run's own work. */
static bool is_crowded(const struct attribute_cpu *cpu)
{
	double busy = cpu->own + cpu->foreign;

	return busy >= VERDICT_FULL && cpu->foreign >= VERDICT_FOREIGN * busy;
}

/**
 * tcp_report_print() - print what limited the streams of a source
 * @session: session that has ended
 * @route: route of the source, or NULL
 * @span_ns: measured time
 * @ceilings: limits of the run
 * @disturbance: other work on the CPUs
 * @most: filled in
 */
void tcp_report_print(const struct session *session,
		      const struct route *route, uint64_t span_ns,
		      const struct ceilings *ceilings,
		      const struct attribute_disturbance *disturbance,
		      struct tcp_report_verdict *most)
{
	const struct client_snapshot *last = &session->source.last;
	struct tcp_verdict first[TCP_VERDICT_PATH + 1];
	size_t streams[TCP_VERDICT_PATH + 1] = { 0 };
	struct output *out = session->out;
	struct tcp_verdict_facts facts;

	*most = (struct tcp_report_verdict) { 0 };
	if (!session->source.present)
		return;
	if (last->run.mptcp) {
		output_data_string(out, "tcp_not_measured", not_measured);
		paragraph_print(out, "TCP", not_measured);
		return;
	}
	facts = facts_of_all(session, route, span_ns);
	facts.crowded = disturbance->disturbed &&
			is_crowded(&disturbance->cpu);
	facts.link = ceilings_link(ceilings, &facts.link_share);
	output_array_begin(out, "tcp");
	for (size_t i = 0; i < last->stream_count; i++) {
		struct tcp_verdict verdict;

		gather(session, i, &facts);
		tcp_verdict(&facts, &verdict);
		record(out, last->streams[i].id, &facts, &verdict);
		sum_up(&facts, &verdict, last->stream_count, most);
		if (!streams[verdict.kind]++)
			first[verdict.kind] = verdict;
	}
	output_array_end(out);
	mean(most);
	print(out, first, streams, last->stream_count, most);
}

/* Sum over both ends, counted once if they share a network namespace. */
static struct tcp_memory_span memory_span(const struct session *session)
{
	const struct session_end *source = &session->source;
	const struct session_end *sink = &session->sink;
	struct tcp_memory_span span = { 0 };

	if (source->present)
		tcp_memory_add(&span, &source->tcp_memory_begin,
			       &source->tcp_memory_last);
	if (sink->present &&
	    !(source->present && sink->tcp_memory_begin.netns ==
				 source->tcp_memory_begin.netns))
		tcp_memory_add(&span, &sink->tcp_memory_begin,
			       &sink->tcp_memory_last);
	return span;
}

/**
 * tcp_report_memory() - record and warn if TCP was short of memory
 * @session: session over TCP that has ended
 */
void tcp_report_memory(const struct session *session)
{
	struct tcp_memory_span span = memory_span(session);
	struct output *out = session->out;
	struct units_error text;
	const char *pages = session->source.present ?
			    session->source.tcp_memory_last.pages :
			    session->sink.tcp_memory_last.pages;

	if (!span.known)
		return;
	output_object_begin(out, "tcp_memory");
	output_data_bool(out, "pressure_at_begin", span.at_begin);
	output_data_bool(out, "pressure_at_end", span.at_end);
	output_data_u64(out, "pressures", span.pressures);
	output_data_u64(out, "pressure_ms", span.pressure_ms);
	output_data_u64(out, "dropped_segments", span.drops);
	output_object_end(out);
	if (tcp_memory_say(&span, pages, &text))
		output_warning(out, "%s", text.text);
}
