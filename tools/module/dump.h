/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dump: put the messages of a dump together.
 *
 * The module answers with one message for each run, CPU, stream, peer, and part of a
 * histogram.
 */
#ifndef KTPUT_TOOLS_DUMP_H
#define KTPUT_TOOLS_DUMP_H

#include "client.h"

/**
 * struct dump_listing - a list of runs that grows as it is received
 * @list: the runs, for free()
 * @count: number of runs
 * @no_memory: a run is missing, for lack of memory
 */
struct dump_listing {
	struct client_listing *list;
	size_t count;
	bool no_memory;
};

/**
 * struct dump_snapshot - a snapshot that grows as it is received
 * @snapshot: the snapshot, all zero before the first message
 * @cpu_room: number of CPUs that there is memory for
 * @stream_room: likewise of streams
 * @no_memory: a part is missing, for lack of memory
 */
struct dump_snapshot {
	struct client_snapshot *snapshot;
	size_t cpu_room;
	size_t stream_room;
	bool no_memory;
};

void dump_take_run(struct nlmsghdr *message, void *data);
void dump_take_part(struct nlmsghdr *message, void *data);

/*
 * parse: parse messages of the ktput module.
 *
 * Each returns 0, or -1 if the message lacks the requested data.
 */
int parse_module(struct nlmsghdr *message, struct client_module *module);
int parse_run(struct nlmsghdr *message, struct client_run *run);
int parse_listing(struct nlmsghdr *message, struct client_listing *listing);
int parse_cpu(struct nlmsghdr *message, struct client_cpu *cpu);
int parse_stream(struct nlmsghdr *message, struct client_stream *stream);
int parse_peer(struct nlmsghdr *message, struct client_peer *peer);
int parse_latency(struct nlmsghdr *message, struct histogram *latency);

#endif
