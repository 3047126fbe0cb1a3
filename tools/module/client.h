/* SPDX-License-Identifier: GPL-2.0 */
/*
 * client: the commands of the ktput module in one network namespace.
 *
 * A run belongs to the client that started it: it ends when the client is closed,
 * unless it is detached.
 */
#ifndef KTPUT_TOOLS_CLIENT_H
#define KTPUT_TOOLS_CLIENT_H

#include <linux/ktput.h>
#include <linux/ktput_counters.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../host/address.h"
#include "../host/netlink.h"
#include "config.h"
#include "cpu_times.h"
#include "events.h"
#include "histogram.h"
#include "tcpinfo.h"

/*
 * contexts: cycles of a CPU by context.
 *
 * Each cycle is charged to one context, so the contexts of a CPU between two
 * snapshots add up to its cycles. A context that the kernel does not report is
 * unknown, and its cycles are charged to another.
 */
/* Contexts have the numbers of their attributes, from first to last. */
#define CONTEXTS_FIRST	KTPUT_A_CONTEXTS_SOURCE
#define CONTEXTS_LAST	KTPUT_A_CONTEXTS_IDLE

/**
 * struct contexts - cycles of a CPU by context
 * @known: whether the kernel reports a context
 * @cycles: cycles in it, 0 if unknown
 */
struct contexts {
	bool known[CONTEXTS_LAST + 1];
	uint64_t cycles[CONTEXTS_LAST + 1];
};

const char *contexts_key(int context);
bool contexts_known(const struct contexts *contexts);
struct contexts contexts_difference(const struct contexts *later,
				    const struct contexts *earlier);
uint64_t contexts_limit_idle(struct contexts *contexts, uint64_t idle_cycles);

/*
 * Parts of a snapshot, of enum ktput_part: all of them, and those that cost the same
 * for any number of streams and peers.
 */
#define CLIENT_ALL	(KTPUT_PART_STREAMS | KTPUT_PART_PEERS |	\
			 KTPUT_PART_LATENCY | KTPUT_PART_CONTEXTS)
#define CLIENT_SUMS	(KTPUT_PART_LATENCY | KTPUT_PART_CONTEXTS)

/**
 * struct client - the module in one network namespace
 * @requests: socket for requests; owns the runs it starts
 * @events: socket subscribed to the ends of runs
 * @family: number of the generic netlink family
 */
struct client {
	struct netlink requests;
	struct netlink events;
	int family;
};

/**
 * struct client_module - capabilities of the module on this kernel
 * @version: version of the module
 * @clock: name of the counter that cycles are read from
 * @clock_hz: its frequency, 0 if unknown
 * @transmit_layers: bit n for enum ktput_layer n
 * @receive_layers: likewise
 * @transmit_methods: bit n for enum ktput_method n
 * @receive_methods: likewise
 * @transports: bit n for enum ktput_transport n
 * @max_streams: maximum streams of one run
 * @max_runs: maximum runs of one network namespace
 * @max_message_bytes: maximum size of a message
 * @max_buffer_bytes: maximum size of a socket buffer
 */
struct client_module {
	char version[32];
	char clock[32];
	uint64_t clock_hz;
	uint32_t transmit_layers;
	uint32_t receive_layers;
	uint32_t transmit_methods;
	uint32_t receive_methods;
	uint32_t transports;
	uint32_t max_streams;
	uint32_t max_runs;
	uint32_t max_message_bytes;
	uint32_t max_buffer_bytes;
};

/**
 * struct client_run - a run and its state
 * @id: number in its network namespace
 * @role: source or sink
 * @state: its state
 * @reason: why it has ended, or is ending
 * @error: errno, positive, for the reason
 * @now_ns: CLOCK_MONOTONIC at the snapshot
 * @begun_ns: CLOCK_MONOTONIC when it began
 * @ended_ns: CLOCK_MONOTONIC of the first reason to end, 0 before
 * @streams: number of streams
 * @accepted: connections accepted by a sink
 * @refused: connections refused by a sink
 * @closed: streams of a sink that have ended
 * @local_port: port that a sink listens on
 * @mptcp: its sockets are of MPTCP: the kernel tells TCP's counters of a subflow, not of
 *	the connection
 * @refusal: why a source could not connect, or empty
 */
struct client_run {
	uint32_t id;
	enum ktput_role role;
	enum ktput_state state;
	enum ktput_reason reason;
	int error;
	uint64_t now_ns;
	uint64_t begun_ns;
	uint64_t ended_ns;
	uint32_t streams;
	uint64_t accepted;
	uint64_t refused;
	uint64_t closed;
	uint16_t local_port;
	bool mptcp;
	char refusal[128];
};

/*
 * Raw counters of a stream or of a CPU, by name and by number.
 * linux/ktput_counters.h documents each.
 */
struct client_counters {
	union {
		struct {
			KTPUT_COUNTERS_MEMBERS(uint64_t);
		};
		uint64_t each[KTPUT_COUNTERS];
	};
};

/**
 * struct client_datagrams - datagram counters of a stream
 * @present: it is a stream of datagrams
 * @received: received by a sink, including duplicates and late ones
 * @lost: skipped sequence numbers that have not arrived since
 * @reordered: received after a higher sequence number
 * @duplicates: received again
 * @late: received too late to tell whether they are duplicates
 * @foreign: received without our header, or with another cookie
 * @drops: dropped at the socket, for lack of room or due to a wrong checksum
 * @refusals: errors to a source that nobody receives
 * @failures: other errors of calls of a source, which the network made, and which did
 *	not end it
 * @failure: errno, positive, of the latest
 * @jitter_ns: interarrival jitter, RFC 3550
 * @delay_known: delays were measured
 * @delay_min_ns: shortest one-way delay, by the clocks of both ends
 * @delay_max_ns: longest
 * @delay_sum_ns: sum over all received datagrams
 */
struct client_datagrams {
	bool present;
	uint64_t received;
	uint64_t lost;
	uint64_t reordered;
	uint64_t duplicates;
	uint64_t late;
	uint64_t foreign;
	uint64_t drops;
	uint64_t refusals;
	uint64_t failures;
	uint32_t failure;
	uint64_t jitter_ns;
	bool delay_known;
	int64_t delay_min_ns;
	int64_t delay_max_ns;
	int64_t delay_sum_ns;
};

/**
 * struct client_cpu - a CPU in a snapshot
 * @id: number
 * @time_ns: CLOCK_MONOTONIC when it was read; 0 if the CPU was offline, only
 *	@counters are valid then
 * @cycles: its cycle counter at that time
 * @idle_ns: idle time since boot
 * @idle_known: the kernel measures the idle time
 * @counters: counters of the run there
 * @contexts: cycles of the CPU by context, for the run and all else
 * @events: perf events there, for the run and all else
 * @times: times of the CPU from /proc
 * @thread_ns: CPU time of the thread that serves the run there, 0 without one. In the
 *	kernel it serves all runs.
 * @delay_known: the kernel tells how long that thread was delayed
 * @delay_ns: time that it was ready to run and did not, since it began (run delay)
 */
struct client_cpu {
	uint32_t id;
	uint64_t time_ns;
	uint64_t cycles;
	uint64_t idle_ns;
	bool idle_known;
	struct client_counters counters;
	struct contexts contexts;
	struct events events;
	struct cpu_times times;
	uint64_t thread_ns;
	bool delay_known;
	uint64_t delay_ns;
};

/**
 * struct client_stream - a stream in a snapshot
 * @id: number in its run
 * @cpu: CPU that serves it
 * @state: its state
 * @error: errno, positive, that ended it
 * @local: address on this side
 * @remote: address of the peer
 * @first_cycles: cycle counter of @cpu before the first payload, or of a source,
 *	the first call; 0 before
 * @last_cycles: cycle counter of @cpu after the latest, 0 before; of a TCP source
 *	that has drained, when the peer had acknowledged all
 * @copied: zero-copy was requested, but pages are copied
 * @counters: counters of the stream
 * @tcp: TCP state; for a stream that has ended, the last one
 * @datagrams: its datagram counters
 * @unreturned: buffers that a device had not returned at the end
 * @recycled: frames are sent in sk_buffs that were sent before
 */
struct client_stream {
	uint32_t id;
	uint32_t cpu;
	enum ktput_state state;
	int error;
	struct address local;
	struct address remote;
	uint64_t first_cycles;
	uint64_t last_cycles;
	bool copied;
	struct client_counters counters;
	struct tcpinfo tcp;
	struct client_datagrams datagrams;
	uint32_t unreturned;
	bool recycled;
};

/**
 * struct client_peer - an address and port that has sent to a stream of a UDP sink
 * @id: number among the peers of the stream
 * @stream: number of the stream
 * @remote: its address and port
 * @first_ns: CLOCK_MONOTONIC when its first datagram was taken
 * @last_ns: likewise its latest
 * @bytes: payload bytes
 * @datagrams: datagrams
 * @lost: sequence numbers in between that have not arrived
 */
struct client_peer {
	uint32_t id;
	uint32_t stream;
	struct address remote;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t bytes;
	uint64_t datagrams;
	uint64_t lost;
};

/**
 * struct client_snapshot - a run on all CPUs at one instant
 * @run: the run
 * @cpus: CPUs that are online
 * @cpu_count: number of CPUs
 * @streams: its streams, if they are read
 * @stream_count: number of streams
 * @peers: peers of a sink that tells them apart
 * @peer_count: number of peers
 * @latency: round trips on all CPUs, NULL if the run measures none
 */
struct client_snapshot {
	struct client_run run;
	struct client_cpu *cpus;
	size_t cpu_count;
	struct client_stream *streams;
	size_t stream_count;
	struct client_peer *peers;
	size_t peer_count;
	struct histogram *latency;
};

/**
 * struct client_listing - a run in the list of runs
 * @run: its state
 * @config: its configuration in effect
 */
struct client_listing {
	struct client_run run;
	struct config config;
};

int client_open(struct client *client, const char *netns,
		struct units_error *err);
void client_close(struct client *client);

int client_module_get(struct client *client, struct client_module *module,
		      struct units_error *err);
int client_run_start(struct client *client, const struct config *config,
		     int interrupt, struct client_run *run,
		     struct units_error *err);
int client_run_stop(struct client *client, uint32_t id,
		    struct units_error *err);
int client_run_delete(struct client *client, uint32_t id,
		      struct units_error *err);
int client_runs(struct client *client, struct client_listing **runs,
		size_t *count, struct units_error *err);
int client_snapshot(struct client *client, uint32_t id, uint32_t parts,
		    struct client_snapshot *snapshot, struct units_error *err);
int client_snapshot_copy(const struct client_snapshot *from,
			 struct client_snapshot *to, struct units_error *err);
int client_snapshot_add_peer(struct client_snapshot *snapshot,
			     const struct client_peer *peer);
void client_snapshot_free(struct client_snapshot *snapshot);

int client_subscribe(struct client *client, const char *netns,
		     struct units_error *err);
int client_event_fd(const struct client *client);
int client_event(struct client *client, struct client_run *run);

#endif
