// SPDX-License-Identifier: GPL-2.0
/* arrivals: what happened to the datagrams of a source. */
#include <math.h>

#include "arrivals.h"
#include "measure.h"

/*
 * Frames dropped during the call to the layer below: they are not among the
 * messages. Frames dropped in place of the one passed (NET_XMIT_CN) are. One call
 * passes one frame or returns it.
 */
static uint64_t refused(const struct client_counters *counters)
{
	uint64_t in_vain = counters->calls > counters->messages ?
			   counters->calls - counters->messages : 0;

	return in_vain < counters->drops ? in_vain : counters->drops;
}

/**
 * arrivals_failures() - calls of a source that failed for the network
 * @source: snapshot
 * @latest: errno, positive, of the latest; 0 for none
 *
 * Return: their number, all streams together.
 */
uint64_t arrivals_failures(const struct client_snapshot *source, int *latest)
{
	uint64_t failures = 0;

	*latest = 0;
	for (size_t i = 0; i < source->stream_count; i++) {
		failures += source->streams[i].datagrams.failures;
		if (source->streams[i].datagrams.failure)
			*latest = source->streams[i].datagrams.failure;
	}
	return failures;
}

static void add_source(struct arrivals *to,
		       const struct client_snapshot *source)
{
	struct client_counters total = measure_streams_total(source);

	to->sent = total.messages;
	to->source_drops = total.drops;
	to->busy = total.busy;
	to->stopped = total.stopped;
	to->failures = arrivals_failures(source, &to->failure);
	for (size_t i = 0; i < source->stream_count; i++) {
		to->source_refused += refused(&source->streams[i].counters);
		to->refusals += source->streams[i].datagrams.refusals;
		to->unreturned += source->streams[i].unreturned;
		to->recycled += source->streams[i].recycled;
		to->copied += source->streams[i].copied;
	}
}

/*
 * The clocks of two hosts may differ by hours, so the sum of delays overflows 64
 * bits within seconds. The sum of the excess over the minimum does not overflow;
 * it is computed modulo 2^64.
 */
static double sum_of_delays(const struct client_datagrams *from)
{
	const uint64_t least = from->delay_min_ns;
	uint64_t most;

	if (__builtin_mul_overflow(from->delay_max_ns - least, from->received,
				   &most))
		return NAN;
	return (double)from->delay_min_ns * from->received +
	       (from->delay_sum_ns - least * from->received);
}

static void add_delay(struct arrivals *to,
		      const struct client_datagrams *from)
{
	if (!from->delay_known)
		return;
	if (!to->delay_known || from->delay_min_ns < to->delay_min_ns)
		to->delay_min_ns = from->delay_min_ns;
	if (!to->delay_known || from->delay_max_ns > to->delay_max_ns)
		to->delay_max_ns = from->delay_max_ns;
	to->delay_known = true;
	to->delay_mean_ns += sum_of_delays(from);
}

static void add_sink(struct arrivals *to, const struct client_snapshot *sink)
{
	uint64_t active = 0;

	for (size_t i = 0; i < sink->stream_count; i++) {
		const struct client_datagrams *from =
			&sink->streams[i].datagrams;

		to->received += from->received;
		to->reordered += from->reordered;
		to->duplicates += from->duplicates;
		to->late += from->late;
		to->foreign += from->foreign;
		to->socket_drops += from->drops;
		to->jitter_ns += from->jitter_ns;
		active += from->received > 0;
		add_delay(to, from);
	}
	if (active)
		to->jitter_ns /= active;
	if (to->received)
		to->delay_mean_ns /= to->received;
}

/**
 * arrivals_passed_over() - datagrams missing at a sink, as the sink sees it
 * @sink: snapshot of the sink
 *
 * Return: number of skipped sequence numbers, over all streams.
 */
uint64_t arrivals_passed_over(const struct client_snapshot *sink)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < sink->stream_count; i++)
		lost += sink->streams[i].datagrams.lost;
	return lost;
}

/* Dropped by the devices, before the sink's one has received it or after. */
static uint64_t device_drops(const struct arrivals_terms *terms)
{
	const uint64_t link = terms->pair ?
		units_greater(terms->sent_drops, terms->received_drops) :
		terms->sent_drops + terms->received_drops;

	return terms->source_filter_drops + terms->queue_drops + link +
	       terms->filter_drops;
}

/* Wrong checksums that were found before a socket was sought, IP, and closed ports. */
static uint64_t protocol_drops(const struct arrivals_terms *terms,
			       uint64_t socket_drops)
{
	const struct protocols *protocols = &terms->protocols;
	const uint64_t at_sockets = units_beyond(socket_drops,
						 protocols->udp_buffer_errors +
						 protocols->udp_memory_errors);

	return units_beyond(protocols->udp_checksum_errors, at_sockets) +
	       protocols->ip_drops + protocols->udp_no_ports;
}

/* What is lost, counted nowhere, and was not received by the sink's device either. */
static uint64_t missing_on_link(const struct arrivals *arrivals,
				const struct arrivals_terms *terms)
{
	const uint64_t segments = terms->sent_segments ?
				  terms->sent_segments : 1;
	uint64_t passed, missing;

	if (!terms->nothing_between || !terms->received_known)
		return arrivals->unaccounted;
	passed = units_beyond(arrivals->sent,
			      arrivals->source_drops - arrivals->source_refused +
			      units_beyond(arrivals->device_drops, terms->filter_drops) +
			      arrivals->unreturned);
	missing = units_beyond(passed, terms->received_packets * segments);
	return missing < arrivals->unaccounted ? missing :
						 arrivals->unaccounted;
}

/**
 * arrivals_passed() - datagrams that a sink has received or skipped
 * @sink: snapshot of the sink
 *
 * Return: number of sequence numbers up to the highest that has arrived, over all
 * streams.
 */
uint64_t arrivals_passed(const struct client_snapshot *sink)
{
	uint64_t passed = 0;

	for (size_t i = 0; i < sink->stream_count; i++) {
		const struct client_datagrams *from =
			&sink->streams[i].datagrams;

		passed += from->received - from->duplicates - from->late +
			  from->lost;
	}
	return passed;
}

/**
 * arrivals_compute() - sum up what happened to datagrams
 * @source: snapshot of the source after its end, NULL if the source is remote
 * @sink: snapshot of the sink after its end, NULL if the sink is remote
 * @terms: how they were sent and received
 * @arrivals: filled in
 *
 * A late datagram may be a duplicate, but rarely is. It counts as received.
 */
void arrivals_compute(const struct client_snapshot *source,
		      const struct client_snapshot *sink,
		      const struct arrivals_terms *terms,
		      struct arrivals *arrivals)
{
	uint64_t unique, accounted;

	*arrivals = (struct arrivals) { 0 };
	if (source)
		add_source(arrivals, source);
	if (!sink)
		return;
	add_sink(arrivals, sink);
	if (terms->reuse)
		arrivals->duplicates = 0;
	unique = arrivals->received - arrivals->duplicates;
	if (!source)
		arrivals->lost = arrivals_passed_over(sink);
	else if (arrivals->sent > unique)
		arrivals->lost = arrivals->sent - unique;
	/* Drops reported to the source's layer are also in the device's count. */
	arrivals->device_drops = units_beyond(device_drops(terms),
					      arrivals->source_drops);
	arrivals->protocol_drops = protocol_drops(terms,
						  arrivals->socket_drops);
	accounted = arrivals->source_drops - arrivals->source_refused +
		    arrivals->device_drops + arrivals->unreturned +
		    arrivals->protocol_drops +
		    arrivals->socket_drops *
		    (terms->segments ? terms->segments : 1);
	/* The kernel's own reasons are an account of all that it dropped. */
	accounted = units_greater(accounted, terms->reasons);
	if (source)
		arrivals->unaccounted = units_beyond(arrivals->lost, accounted);
	arrivals->missing_on_link = missing_on_link(arrivals, terms);
}
