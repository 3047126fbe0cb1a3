// SPDX-License-Identifier: GPL-2.0
/* reconcile: check that all counters of the same thing agree. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "measure.h"
#include "reconcile.h"

static bool agrees(enum reconcile_relation relation, uint64_t expected,
		   uint64_t counted)
{
	switch (relation) {
	case RECONCILE_AT_LEAST:
		return counted >= expected;
	case RECONCILE_AT_MOST:
		return counted <= expected;
	default:
		return counted == expected;
	}
}

static struct reconcile_item *add(struct reconcile *to,
				  const struct reconcile_item *kind,
				  uint64_t expected, uint64_t counted,
				  const char *where)
{
	struct reconcile_item *item = &to->items[to->count++];

	assert(to->count <= RECONCILE_MAX);
	*item = *kind;
	item->expected = expected;
	item->counted = counted;
	item->agrees = agrees(item->relation, expected, counted);
	snprintf(item->where, sizeof(item->where), "%s", where);
	return item;
}

/* Two counts of one stream: its own, and that of TCP. */
typedef uint64_t (*tcp_count)(const struct client_stream *stream);

/* SYN and FIN take sequence numbers, but are not payload. */
static uint64_t less(uint64_t sequence_numbers, uint64_t bytes,
		     uint64_t at_most)
{
	return sequence_numbers >= bytes &&
	       sequence_numbers - bytes <= at_most ? bytes : sequence_numbers;
}

static uint64_t acknowledged(const struct client_stream *stream)
{
	return less(stream->tcp.bytes_acked, stream->counters.bytes, 2);
}

static uint64_t taken(const struct client_stream *stream)
{
	return stream->counters.bytes;
}

/* A socket whose stream ended before it had drained still held the rest. */
static uint64_t to_be_sent(const struct client_stream *stream)
{
	return measure_undrained(stream) ? measure_acknowledged(stream) :
					   stream->counters.bytes;
}

static uint64_t sent_once(const struct client_stream *stream)
{
	return stream->tcp.bytes_sent - stream->tcp.bytes_retransmitted;
}

static uint64_t received(const struct client_stream *stream)
{
	return less(stream->tcp.bytes_received, stream->counters.bytes, 1);
}

/* The sum of the streams; if one of them disagrees, that stream alone. */
static void add_streams(struct reconcile *to,
			const struct reconcile_item *kind,
			const struct client_snapshot *snapshot,
			tcp_count expect, tcp_count count, const char *end)
{
	uint64_t expected = 0, counted = 0;
	char where[64];

	for (size_t i = 0; i < snapshot->stream_count; i++) {
		const struct client_stream *stream = &snapshot->streams[i];

		if (!agrees(kind->relation, expect(stream), count(stream))) {
			snprintf(where, sizeof(where), "%s, stream %" PRIu32,
				 end, stream->id);
			add(to, kind, expect(stream), count(stream), where);
			return;
		}
		expected += expect(stream);
		counted += count(stream);
	}
	add(to, kind, expected, counted, end);
}

/*
 * Streams and CPUs of an end. The streams of a TCP sink restart their counters
 * with each connection.
 */
static void add_cpus(struct reconcile *to,
		     const struct client_snapshot *snapshot, bool datagrams,
		     const char *end)
{
	struct client_counters streams = measure_streams_total(snapshot);
	struct client_counters cpus = measure_total(snapshot);
	struct reconcile_item kind = {
		.what = "bytes of streams and CPUs",
		.unit = "bytes",
		.expecting = "the streams count",
		.counting = "the CPUs",
	};

	if (!datagrams && snapshot->run.accepted > snapshot->stream_count)
		kind.relation = RECONCILE_AT_LEAST;
	add(to, &kind, streams.bytes, cpus.bytes, end);
	if (!datagrams)
		return;
	kind.what = "datagrams of streams and CPUs";
	kind.unit = "datagrams";
	add(to, &kind, streams.messages, cpus.messages, end);
}

static const struct reconcile_item acknowledged_bytes = {
	.what = "bytes acknowledged",
	.unit = "bytes",
	.expecting = "the source sent",
	.counting = "TCP has acknowledgements for",
};

/* TCP does not count retransmitting a segment that the host's queue dropped. */
static const struct reconcile_item sent_bytes = {
	.what = "bytes sent by TCP, once",
	.unit = "bytes",
	.expecting = "the source sent",
	.counting = "TCP",
	.relation = RECONCILE_AT_LEAST,
};

static const struct reconcile_item arrived_bytes = {
	.what = "bytes of source and sink",
	.unit = "bytes",
	.expecting = "the source sent",
	.counting = "the sink received",
};

/* The sink may not have counted payload in flight at the end. */
static void add_foreign_tcp(struct reconcile *to,
			    const struct reconcile_facts *facts)
{
	struct reconcile_item arrived = arrived_bytes;

	arrived.relation = RECONCILE_AT_MOST;
	if (facts->source)
		add_cpus(to, facts->source, false, "source");
	if (facts->sink)
		add_cpus(to, facts->sink, false, "sink");
	/*
	 * An engine that is stopped does not count its current buffer, and each end
	 * leaves out a warm-up when its own clock says so.
	 */
	if (facts->source && facts->sink && !facts->warm_up &&
	    facts->source->run.reason != KTPUT_REASON_STOPPED)
		add(to, &arrived,
		    measure_streams_total(facts->source).bytes,
		    measure_streams_total(facts->sink).bytes,
		    "source to sink");
}

static uint64_t to_be_sent_total(const struct client_snapshot *source)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < source->stream_count; i++)
		sum += to_be_sent(&source->streams[i]);
	return sum;
}

/*
 * What is under way when a source is reset may arrive or not. What is acknowledged by
 * then is in the sink's socket, where the reset may discard it.
 */
static void add_tcp_source(struct reconcile *to,
			   const struct reconcile_facts *facts, bool drained)
{
	struct reconcile_item acked = acknowledged_bytes;

	if (!drained)
		acked.relation = RECONCILE_AT_MOST;
	add_cpus(to, facts->source, false, "source");
	/* A subflow's counters are not those of the connection. */
	if (facts->source->run.mptcp)
		return;
	add_streams(to, &acked, facts->source, taken, acknowledged, "source");
	add_streams(to, &sent_bytes, facts->source, to_be_sent, sent_once,
		    "source");
}

static void add_tcp(struct reconcile *to, const struct reconcile_facts *facts)
{
	struct reconcile_item arrived = arrived_bytes;
	struct reconcile_item received_bytes = {
		.what = "bytes received by TCP",
		.unit = "bytes",
		.expecting = "the sink received",
		.counting = "TCP",
	};
	bool drained = true;

	if (facts->source) {
		const struct client_snapshot *source = facts->source;

		for (size_t i = 0; i < source->stream_count; i++)
			drained &= source->run.mptcp ||
				   !measure_undrained(&source->streams[i]);
		add_tcp_source(to, facts, drained);
	}
	/* Without a source that drains, the sink may end before it has read all. */
	if (!facts->source || !drained)
		received_bytes.relation = RECONCILE_AT_LEAST;
	if (facts->sink) {
		add_cpus(to, facts->sink, false, "sink");
		if (!facts->sink->run.mptcp)
			add_streams(to, &received_bytes, facts->sink, taken,
				    received, "sink");
	}
	if (!drained)
		arrived.relation = RECONCILE_AT_MOST;
	if (facts->source && facts->sink)
		add(to, &arrived,
		    measure_streams_total(facts->source).bytes,
		    measure_streams_total(facts->sink).bytes,
		    "source to sink");
}

/*
 * Least number of packets that the source's device must have sent. Packets that it
 * refused are in its drops, not in its sent packets. On loopback a sent packet is
 * also a received one, so packets refused by the backlog are in its receive drops.
 */
static uint64_t least_sent_packets(const struct reconcile_facts *facts)
{
	const struct device_counters *device = &facts->source_device.counters;
	const struct arrivals *arrivals = facts->arrivals;
	uint64_t segments = facts->segments ? facts->segments : 1;
	uint64_t packets = (arrivals->sent + segments - 1) / segments;
	uint64_t dropped = units_beyond(device->ingress_drops + device->queue_drops +
					device->sent_drops,
					arrivals->source_refused);

	if (device->loopback)
		dropped += device->received_drops;
	if (dropped < facts->reasons)
		dropped = facts->reasons;
	return units_beyond(packets, dropped + arrivals->unreturned);
}

/* All payload of TCP, since it is acknowledged. */
static void add_source_device(struct reconcile *to,
			      const struct reconcile_facts *facts)
{
	const struct reconcile_device *device = &facts->source_device;
	const struct reconcile_item packets = {
		.what = "packets sent by the device",
		.unit = "packets",
		.expecting = "the source sent",
		.counting = "its device",
		.relation = RECONCILE_AT_LEAST,
	};
	const struct reconcile_item bytes = {
		.what = "bytes sent by the device",
		.unit = "bytes",
		.expecting = "the source sent",
		.counting = "its device",
		.relation = RECONCILE_AT_LEAST,
	};
	char where[64];

	if (!facts->source || !device->certain || !device->counters.known ||
	    (facts->foreign && !facts->arrivals))
		return;
	snprintf(where, sizeof(where), "source, %s", device->name);
	if (facts->arrivals)
		add(to, &packets, least_sent_packets(facts),
		    device->counters.sent_packets, where);
	else
		add(to, &bytes, to_be_sent_total(facts->source),
		    device->counters.sent_bytes, where);
}

static void add_sink_device(struct reconcile *to,
			    const struct reconcile_facts *facts)
{
	const struct reconcile_device *device = &facts->sink_device;
	const struct reconcile_item bytes = {
		.what = "bytes received by the device",
		.unit = "bytes",
		.expecting = "the sink received",
		.counting = "its device",
		.relation = RECONCILE_AT_LEAST,
	};
	const struct reconcile_item packets = {
		.what = "packets received by the device",
		.unit = "packets",
		.expecting = "the sink received",
		.counting = "its device",
		.relation = RECONCILE_AT_LEAST,
	};
	char where[64];

	if (!facts->sink || !device->certain || !device->counters.known)
		return;
	snprintf(where, sizeof(where), "sink, %s", device->name);
	add(to, &bytes, measure_streams_total(facts->sink).bytes,
	    device->counters.received_bytes, where);
	/* A remote source may have sent several datagrams as one packet. */
	if (facts->arrivals && facts->source && facts->segments <= 1)
		add(to, &packets, facts->arrivals->received,
		    device->counters.received_packets, where);
}

/* Where what no counter has was lost, according to the devices. */
static const char *lost_where(const struct reconcile_facts *facts)
{
	const struct reconcile_device *from = &facts->source_device;

	if (facts->arrivals->missing_on_link && from->certain &&
	    from->counters.known && facts->segments <= 1 &&
	    from->counters.sent_packets < least_sent_packets(facts))
		return "before the source's device";
	return "source to sink";
}

static void add_udp(struct reconcile *to, const struct reconcile_facts *facts)
{
	static const struct reconcile_item different = {
		.what = "different datagrams received",
		.unit = "datagrams",
		.expecting = "the source sent",
		.counting = "the sink received different",
		.relation = RECONCILE_AT_MOST,
	};
	static const struct reconcile_item lost = {
		.what = "datagrams lost and accounted",
		.unit = "datagrams",
		.expecting = "there are lost",
		.counting = "counts of drops, and what is behind the sink's device, have",
		.relation = RECONCILE_AT_LEAST,
	};
	const struct arrivals *arrivals = facts->arrivals;

	if (facts->source)
		add_cpus(to, facts->source, true, "source");
	if (facts->sink)
		add_cpus(to, facts->sink, true, "sink");
	if (!facts->source || !facts->sink)
		return;
	add(to, &different, arrivals->sent,
	    arrivals->received - arrivals->duplicates - arrivals->late,
	    "source to sink");
	/* What a firewall drops behind the sink's device is lost, and no contradiction. */
	if (facts->nothing_between && !facts->foreign)
		add(to, &lost, arrivals->lost,
		    arrivals->lost - arrivals->missing_on_link,
		    lost_where(facts));
}

/**
 * reconcile_compute() - compare all counts
 * @facts: the counts to compare
 * @reconcile: filled in
 */
void reconcile_compute(const struct reconcile_facts *facts,
		       struct reconcile *reconcile)
{
	reconcile->count = 0;
	if (facts->arrivals)
		add_udp(reconcile, facts);
	else if (facts->foreign)
		add_foreign_tcp(reconcile, facts);
	else
		add_tcp(reconcile, facts);
	add_source_device(reconcile, facts);
	add_sink_device(reconcile, facts);
}

/**
 * reconcile_devices() - compare what devices counted, and nothing else
 * @facts: the counts to compare
 * @reconcile: filled in
 */
void reconcile_devices(const struct reconcile_facts *facts,
		       struct reconcile *reconcile)
{
	reconcile->count = 0;
	add_source_device(reconcile, facts);
	add_sink_device(reconcile, facts);
}

/**
 * reconcile_agrees() - whether all counts agree
 * @reconcile: the comparisons
 * @why: the first disagreement, and where
 *
 * Return: true if all agree.
 */
bool reconcile_agrees(const struct reconcile *reconcile,
		      struct units_error *why)
{
	for (size_t i = 0; i < reconcile->count; i++) {
		const struct reconcile_item *item = &reconcile->items[i];

		if (item->agrees)
			continue;
		units_refuse(why, "%s: %s %" PRIu64 " %s, %s %" PRIu64,
			     item->where, item->expecting, item->expected,
			     item->unit, item->counting, item->counted);
		return false;
	}
	return true;
}
