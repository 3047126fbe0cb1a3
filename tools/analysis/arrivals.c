// SPDX-License-Identifier: GPL-2.0
/* arrivals: what became of the datagrams of a source. */
#include <math.h>

#include "arrivals.h"
#include "measure.h"

/*
 * Frames that were dropped when the layer was called, and so are not among the
 * messages. Those that were dropped in another's stead (NET_XMIT_CN) are. One
 * call takes one frame, or gives it back.
 */
static uint64_t refused(const struct client_counters *counters)
{
	uint64_t in_vain = counters->calls > counters->messages ?
			   counters->calls - counters->messages : 0;

	return in_vain < counters->drops ? in_vain : counters->drops;
}

static void add_source(struct arrivals *to,
		       const struct client_snapshot *source)
{
	struct client_counters total = measure_streams_total(source);

	to->sent = total.messages;
	to->source_drops = total.drops;
	to->busy = total.busy;
	to->stopped = total.stopped;
	for (size_t i = 0; i < source->stream_count; i++) {
		to->source_refused += refused(&source->streams[i].counters);
		to->refusals += source->streams[i].datagrams.refusals;
		to->unreturned += source->streams[i].unreturned;
		to->copied += source->streams[i].copied;
	}
}

/*
 * Clocks of two hosts may differ by hours, and the sum of delays passes 64 bits
 * within seconds. What they are above the least does not, and is what is left
 * of the sum modulo 2^64.
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
 * arrivals_passed_over() - datagrams that a sink misses, as far as it can tell
 * @sink: snapshot of the sink
 *
 * Return: sequence numbers passed over, of all streams.
 */
uint64_t arrivals_passed_over(const struct client_snapshot *sink)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < sink->stream_count; i++)
		lost += sink->streams[i].datagrams.lost;
	return lost;
}

/**
 * arrivals_compute() - sum up what became of datagrams
 * @source: snapshot of the source after its end, or NULL where it is elsewhere
 * @sink: snapshot of the sink after its end, or NULL likewise
 * @terms: what they were sent and taken as
 * @arrivals: filled in
 *
 * Late datagrams may be duplicates, but seldom are. They count as received.
 */
void arrivals_compute(const struct client_snapshot *source,
		      const struct client_snapshot *sink,
		      const struct arrivals_terms *terms,
		      struct arrivals *arrivals)
{
	const uint64_t device_drops = terms->queue_drops + terms->sent_drops +
				      terms->received_drops +
				      terms->filter_drops;
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
	/* What the source's layer was told of is in the device's count too. */
	if (device_drops > arrivals->source_drops)
		arrivals->device_drops = device_drops - arrivals->source_drops;
	accounted = arrivals->source_drops - arrivals->source_refused +
		    arrivals->device_drops + arrivals->unreturned +
		    arrivals->socket_drops *
		    (terms->segments ? terms->segments : 1);
	if (source && arrivals->lost > accounted)
		arrivals->unaccounted = arrivals->lost - accounted;
}
