// SPDX-License-Identifier: GPL-2.0
/* peers: what each peer of a long-lived sink has sent. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/measure.h"
#include "../base/clocks.h"
#include "report.h"

/*
 * The streams of one address, in a snapshot of them alone. Those of datagrams are of
 * one port of the peer each, and have times in place of cycles.
 */
struct visit {
	struct client_snapshot snapshot;
	struct address_text address;
	bool over;
	/* By index in the snapshot of all: streams of this address or an earlier one. */
	bool *gathered;
};

static bool is_new(const struct peers *peers, const struct client_stream *stream)
{
	return stream->id >= peers->size || !peers->printed[stream->id];
}

static bool mark(struct peers *peers, uint32_t id)
{
	const size_t size = 2 * (size_t)id + 64;
	bool *printed = peers->printed;

	if (id >= peers->size) {
		printed = realloc(printed, size * sizeof(*printed));
		if (!printed)
			return false;
		memset(printed + peers->size, 0, size - peers->size);
		peers->printed = printed;
		peers->size = size;
	}
	printed[id] = true;
	return true;
}

/* Gather the new streams that have the address of the one at @first. */
static void gather(const struct peers *peers,
		   const struct client_snapshot *from, size_t first,
		   struct visit *visit)
{
	struct client_snapshot *to = &visit->snapshot;

	to->stream_count = 0;
	visit->address = address_show(&from->streams[first].remote);
	visit->over = true;
	for (size_t i = first; i < from->stream_count; i++) {
		const struct client_stream *stream = &from->streams[i];

		if (visit->gathered[i] || !is_new(peers, stream) ||
		    strcmp(address_show(&stream->remote).text,
			   visit->address.text))
			continue;
		visit->gathered[i] = true;
		to->streams[to->stream_count++] = *stream;
		visit->over &= stream->state == KTPUT_STATE_ENDED;
	}
}

static void add(struct json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_uint64(value));
}

/* From the first payload to the last. */
static uint64_t span_of(const struct session *session,
			const struct client_snapshot *snapshot)
{
	uint64_t first = UINT64_MAX, last = 0, ns = 0;

	if (!session->udp) {
		/* Without two readings there is no time, and no rate. */
		(void)measure_span(&session->sink.begin, snapshot, false, &ns);
		return ns;
	}
	for (size_t i = 0; i < snapshot->stream_count; i++) {
		const struct client_stream *stream = &snapshot->streams[i];

		if (stream->first_cycles < first)
			first = stream->first_cycles;
		if (stream->last_cycles > last)
			last = stream->last_cycles;
	}
	return last - first;
}

/* What a source of datagrams sent, and what of it did not arrive. */
static void print_datagrams(struct output *out, struct json_object *peer,
			    const struct visit *visit)
{
	const struct client_snapshot *snapshot = &visit->snapshot;
	uint64_t datagrams = 0, lost = 0;

	for (size_t i = 0; i < snapshot->stream_count; i++) {
		datagrams += snapshot->streams[i].counters.messages;
		lost += snapshot->streams[i].datagrams.lost;
	}
	add(peer, "packets", datagrams);
	add(peer, "lost_datagrams", lost);
	output_text(out, ", %" PRIu64 " of %" PRIu64 " datagrams lost", lost,
		    lost + datagrams);
}

static void print(const struct session *session, const struct visit *visit)
{
	const struct client_counters sum =
		measure_streams_total(&visit->snapshot);
	const size_t connections = visit->snapshot.stream_count;
	struct json_object *document = json_object_new_object();
	struct json_object *peer = json_object_new_object();
	struct output *out = session->out;
	const uint64_t span_ns = span_of(session, &visit->snapshot);
	const double per_s = span_ns ? UNITS_NSEC_PER_SEC / (double)span_ns : 0;

	output_text(out, "%15s  %s: ", "peer", visit->address.text);
	json_object_object_add(document, "peer", peer);
	json_object_object_add(peer, "address",
			       json_object_new_string(visit->address.text));
	add(peer, "connections", connections);
	add(peer, "printed_realtime_ns", clock_ns(CLOCK_REALTIME));
	add(peer, "span_ns", span_ns);
	if (session->pingpong) {
		add(peer, "round_trips", sum.messages);
		json_object_object_add(peer, "round_trips_per_s",
				       json_object_new_double(sum.messages * per_s));
		output_text(out, "%" PRIu64 " round trips, %s/s", sum.messages,
			    units_show_count(sum.messages * per_s).text);
	} else {
		add(peer, "bytes", sum.bytes);
		json_object_object_add(peer, "goodput_bps",
				       json_object_new_double(sum.bytes * 8 * per_s));
		output_text(out, "%" PRIu64 " bytes, %s", sum.bytes,
			    units_show_bitrate(sum.bytes * 8 * per_s).text);
	}
	output_text(out, " in %.6f s", span_ns / 1e9);
	if (session->udp)
		print_datagrams(out, peer, visit);
	output_text(out, ", %zu %s%s\n", connections,
		    session->udp ? "flow" : "connection",
		    connections > 1 ? "s" : "");
	output_aside(out, document);
	json_object_put(document);
}

/* A peer of datagrams as the stream that it would be with connections. */
static struct client_stream stream_of(const struct session *session,
				      const struct client_peer *peer)
{
	const struct client_snapshot *now = &session->sink.last;
	const uint64_t silence_ns =
		session->sink.config.number[KTPUT_A_CONFIG_PEER_SILENCE];
	const bool over = now->run.state == KTPUT_STATE_ENDED ||
			  now->run.now_ns >= peer->last_ns + silence_ns;

	return (struct client_stream) {
		.id = peer->id * now->run.streams + peer->stream,
		.state = over ? KTPUT_STATE_ENDED : KTPUT_STATE_RUNNING,
		.remote = peer->remote,
		.first_cycles = peer->first_ns,
		.last_cycles = peer->last_ns,
		.counters = { .bytes = peer->bytes,
			      .messages = peer->datagrams },
		.datagrams = { .lost = peer->lost },
	};
}

static void look(struct peers *peers, const struct session *session,
		 const struct client_snapshot *now)
{
	const size_t count = now->stream_count;
	struct visit visit = {
		.snapshot = *now,
		.gathered = calloc(count + 1, sizeof(*visit.gathered)),
	};

	visit.snapshot.streams = calloc(count + 1, sizeof(*visit.snapshot.streams));
	for (size_t i = 0; visit.gathered && visit.snapshot.streams && i < count; i++) {
		if (visit.gathered[i] || !is_new(peers, &now->streams[i]))
			continue;
		gather(peers, now, i, &visit);
		for (size_t j = 0; visit.over && j < visit.snapshot.stream_count; j++)
			visit.over = mark(peers, visit.snapshot.streams[j].id);
		if (visit.over)
			print(session, &visit);
	}
	free(visit.snapshot.streams);
	free(visit.gathered);
}

/**
 * peers_look() - print the peers that have gone since
 * @peers: zeroed before the first look; release with peers_free()
 * @session: session of a sink alone, after a snapshot
 */
void peers_look(struct peers *peers, const struct session *session)
{
	const struct client_snapshot *last = &session->sink.last;
	struct client_snapshot now = *last;

	if (!session->udp) {
		look(peers, session, last);
		return;
	}
	now.stream_count = last->peer_count;
	now.streams = calloc(last->peer_count + 1, sizeof(*now.streams));
	if (!now.streams)
		return;
	for (size_t i = 0; i < last->peer_count; i++)
		now.streams[i] = stream_of(session, &last->peers[i]);
	look(peers, session, &now);
	free(now.streams);
}

/**
 * peers_free() - release what peers_look() allocated
 * @peers: the peers
 */
void peers_free(struct peers *peers)
{
	free(peers->printed);
}
