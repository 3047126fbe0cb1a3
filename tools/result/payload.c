// SPDX-License-Identifier: GPL-2.0
/* payload: the payload that counts as a session's result, and the time it is over. */
#include <inttypes.h>
#include <stdio.h>

#include "../analysis/measure.h"
#include "../base/output.h"
#include "report.h"

/**
 * payload_acknowledged() - whether payload counts when it is acknowledged
 * @session: session
 *
 * Without a sink of its own, what TCP's sockets took may still be in their buffers.
 *
 * Return: true for a TCP source alone.
 */
bool payload_acknowledged(const struct session *session)
{
	return session->source.present && !session->sink.present &&
	       !session->udp && !session->engine &&
	       !session->source.last.run.mptcp;
}

/**
 * payload_counted() - payload that counts, by a snapshot
 * @session: session
 * @snapshot: snapshot of the sink, or of the source without one
 *
 * Return: bytes since the beginning of the run.
 */
uint64_t payload_counted(const struct session *session,
			 const struct client_snapshot *snapshot)
{
	return payload_acknowledged(session) ?
	       measure_acknowledged_total(snapshot) :
	       measure_total(snapshot).bytes;
}

static struct span_end span_end_of(const struct session_end *end)
{
	if (!end->present)
		return (struct span_end) { 0 };
	return (struct span_end) { &end->begin, &end->last };
}

/* Between two datagrams, by the rate of all streams; 0 without one. */
static uint64_t gap_ns(const struct session_end *source)
{
	const uint64_t *config = source->config.number;
	double per_s = config[KTPUT_A_CONFIG_PACKET_RATE];

	if (!per_s && config[KTPUT_A_CONFIG_SIZE])
		per_s = (double)config[KTPUT_A_CONFIG_PACE] /
			config[KTPUT_A_CONFIG_SIZE];
	per_s *= source->last.stream_count;
	if (config[KTPUT_A_CONFIG_SEGMENTS])
		per_s /= config[KTPUT_A_CONFIG_SEGMENTS];
	return per_s > 0 ? UNITS_NSEC_PER_SEC / per_s : 0;
}

/**
 * payload_span() - the time that the payload of a session is over
 * @session: session that has ended
 * @ns: nanoseconds
 *
 * Return: false without payload.
 */
bool payload_span(const struct session *session, uint64_t *ns)
{
	const struct session_end *end = session->sink.present ?
					&session->sink : &session->source;
	const struct span_facts facts = {
		.source = span_end_of(&session->source),
		.sink = span_end_of(&session->sink),
		.udp = session->udp,
		.warmed_up = session->warmup_ns,
		.timed = config_has(&end->config, KTPUT_A_CONFIG_TIME),
		.gap_ns = gap_ns(&session->source),
		.acknowledged_ns = session->acknowledged_ns,
	};

	/* External programs report their own times. */
	if (session->engine)
		return measure_span(&end->begin, &end->last,
				    session->warmup_ns, ns);
	return span_compute(&facts, ns);
}

/**
 * payload_print_unsent() - print what the peer had not acknowledged at the end
 * @session: session that has ended
 */
void payload_print_unsent(const struct session *session)
{
	const struct client_snapshot *last = &session->source.last;
	const uint64_t *config = session->source.config.number;
	uint64_t taken = 0, unsent = 0;
	char text[320];

	if (!session->source.present || session->udp || session->engine)
		return;
	for (size_t i = 0; i < last->stream_count; i++) {
		const struct client_stream *stream = &last->streams[i];

		if (!measure_undrained(stream))
			continue;
		taken += stream->counters.bytes;
		unsent += stream->counters.bytes - measure_acknowledged(stream);
	}
	if (!taken)
		return;
	output_data_u64(session->out, "unsent_bytes", unsent);
	snprintf(text, sizeof(text),
		 "drain-timeout (%s): %s of the %s that the sockets took were not acknowledged by then, "
		 "and are no part of the goodput. Try a smaller sndbuf, or a longer drain-timeout.",
		 units_show_time(config[KTPUT_A_CONFIG_DRAIN_TIMEOUT]).text,
		 units_show_bytes(unsent).text, units_show_bytes(taken).text);
	paragraph_print(session->out, "Unsent", text);
}
