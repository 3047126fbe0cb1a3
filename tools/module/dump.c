// SPDX-License-Identifier: GPL-2.0
/* dump: put the messages of a dump together. */
#include <stdlib.h>

#include "dump.h"

/**
 * dump_take_run() - add a run to a list
 * @message: a message of the reply
 * @data: struct dump_listing
 */
void dump_take_run(struct nlmsghdr *message, void *data)
{
	struct dump_listing *runs = data;
	struct client_listing *list;

	list = reallocarray(runs->list, runs->count + 1, sizeof(*list));
	if (!list) {
		runs->no_memory = true;
		return;
	}
	runs->list = list;
	if (!parse_listing(message, &list[runs->count]))
		runs->count++;
}

/* Room for one more element, NULL if out of memory. */
static void *grow(struct dump_snapshot *dump, void *list, size_t count,
		  size_t *room, size_t size)
{
	void *larger;

	if (count < *room)
		return list;
	larger = reallocarray(list, *room ? *room * 2 : 16, size);
	if (larger)
		*room = *room ? *room * 2 : 16;
	else
		dump->no_memory = true;
	return larger;
}

/* True if the message was part of a histogram. */
static bool take_latency(struct nlmsghdr *message, struct dump_snapshot *dump)
{
	struct client_snapshot *snapshot = dump->snapshot;
	struct histogram part;

	if (parse_latency(message, &part))
		return false;
	if (!snapshot->latency) {
		snapshot->latency = malloc(sizeof(*snapshot->latency));
		if (!snapshot->latency) {
			dump->no_memory = true;
			return true;
		}
		histogram_init(snapshot->latency);
	}
	histogram_merge(snapshot->latency, &part);
	return true;
}

/**
 * dump_take_part() - add a run, CPU, stream, peer or part of a histogram to a snapshot
 * @message: a message of the reply
 * @data: struct dump_snapshot
 */
void dump_take_part(struct nlmsghdr *message, void *data)
{
	struct dump_snapshot *dump = data;
	struct client_snapshot *snapshot = dump->snapshot;
	struct client_stream *streams;
	struct client_cpu *cpus;
	struct client_peer peer;

	if (!parse_run(message, &snapshot->run) ||
	    take_latency(message, dump))
		return;
	if (!parse_peer(message, &peer)) {
		dump->no_memory |= client_snapshot_add_peer(snapshot, &peer);
		return;
	}
	cpus = grow(dump, snapshot->cpus, snapshot->cpu_count, &dump->cpu_room,
		    sizeof(*cpus));
	if (!cpus)
		return;
	snapshot->cpus = cpus;
	if (!parse_cpu(message, &cpus[snapshot->cpu_count])) {
		snapshot->cpu_count++;
		return;
	}
	streams = grow(dump, snapshot->streams, snapshot->stream_count,
		       &dump->stream_room, sizeof(*streams));
	if (!streams)
		return;
	snapshot->streams = streams;
	if (!parse_stream(message, &streams[snapshot->stream_count]))
		snapshot->stream_count++;
}
