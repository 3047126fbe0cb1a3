/* SPDX-License-Identifier: GPL-2.0 */
/*
 * end: one end of a session, for any engine.
 */
#ifndef KTPUT_ENGINES_END_H
#define KTPUT_ENGINES_END_H

#include "../base/clocks.h"
#include "../base/output.h"
#include "../host/backlog.h"
#include "../host/device.h"
#include "../host/device_counters.h"
#include "../host/protocols.h"
#include "../host/tcp_memory.h"
#include "../module/client.h"
#include "../module/config.h"
#include "child.h"
#include "engine.h"
#include "user/user_engine.h"

/**
 * struct engine_run - an end run by another program
 * @engine: the program
 * @client: the end whose output has the counts of this one, or NULL
 * @config: requested configuration
 * @sender: this is the client, which sends
 * @child: the process
 * @times: its CPU time
 * @sockets: what TCP tells of its connections, of a client alone
 * @output: its output files, -1 before the start
 * @result: its result, without streams before the end
 * @run: its state
 * @cpu: CPU that its counters are charged to
 * @alone: the program may use no other CPU
 * @begin_ns: CLOCK_MONOTONIC of the first reading of the clock of cycles
 * @begin_cycles: that reading
 * @end_ns: CLOCK_MONOTONIC of the reading after the end
 * @end_cycles: that reading
 * @stopping: it was told to end
 * @patience_ns: CLOCK_MONOTONIC when a signal ends it, 0 for never
 */
struct engine_run {
	const struct engine *engine;
	const struct engine_run *client;
	struct config config;
	bool sender;
	struct child child;
	struct child_times times;
	struct child_sockets sockets;
	int output;
	struct engine_result result;
	struct client_run run;
	uint32_t cpu;
	bool alone;
	uint64_t begin_ns;
	uint64_t begin_cycles;
	uint64_t end_ns;
	uint64_t end_cycles;
	bool stopping;
	uint64_t patience_ns;
};

/*
 * backend: the implementation that runs an end of a session.
 *
 * A backend keeps its state in struct session_end. It updates the members common to
 * all ends: run, and config as in effect.
 */
struct session_end;

/**
 * struct backend_clock - the clock behind the cycles of a snapshot
 * @module_version: version of the module, empty if it does not run the end
 * @name: name of the clock in records
 * @hz: its frequency, 0 if unknown
 */
struct backend_clock {
	char module_version[32];
	char name[32];
	uint64_t hz;
};

/**
 * struct backend - operations on an end
 * @open: prepare for a start; -ENOENT if the module is not loaded. NULL for nothing
 * @start: start the run and set @run. @peer is the other end of the session, and
 *	@detail makes libraries print more, as text
 * @watch: read what nobody tells after the end, again and again; NULL for nothing
 * @snapshot: read the counters, and of enum ktput_part at least those that are asked
 *	for; release with client_snapshot_free()
 * @refresh: update its run and configuration
 * @stop: tell the run to end; it may take time to drain
 * @fd: descriptor that becomes readable when a refresh is due, or -1
 * @take_events: read from @fd; true if a refresh is due. NULL if a refresh reads all
 * @close: end the run unless it is detached, and release everything
 * @clock: the clock of its cycles; false if unknown
 * @describe: print which run it is
 * @record: add data of this backend alone to the record, or NULL
 * @read_host: read the counters of another host after the end, NULL for this host
 *
 * Those that return int return 0, or a negative number with a message.
 */
struct backend {
	int (*open)(struct session_end *end, struct units_error *err);
	int (*start)(struct session_end *end, const struct session_end *peer,
		     bool detail, struct units_error *err);
	void (*watch)(struct session_end *end);
	int (*snapshot)(struct session_end *end, uint32_t parts,
			struct client_snapshot *snapshot,
			struct units_error *err);
	int (*refresh)(struct session_end *end, struct units_error *err);
	int (*stop)(struct session_end *end, struct units_error *err);
	int (*fd)(const struct session_end *end);
	bool (*take_events)(struct session_end *end);
	void (*close)(struct session_end *end, bool delete_run);
	bool (*clock)(struct session_end *end, struct backend_clock *clock);
	void (*describe)(const struct session_end *end, struct output *out);
	void (*record)(const struct session_end *end, struct output *out);
	int (*read_host)(struct session_end *end, struct units_error *err);
};

extern const struct backend backend_module;
extern const struct backend backend_xdp;
extern const struct backend backend_user;
extern const struct backend backend_engine;

struct xdp_sink;

/**
 * struct xdp_run - a sink of datagrams in a program of BPF
 * @program: program and its maps, NULL if not open
 * @link: the BPF link, -1 if not attached
 * @socket: socket in the network namespace of the device, -1 for none
 * @device: index of the device
 * @native: it runs in the driver, before there is an sk_buff; else above the driver and
 *	GRO, where a packet merged by GRO counts as one
 * @local: address and first port of the datagrams, any of both families if AF_UNSPEC
 * @run: its state
 * @timer: timerfd that fires when its time is over, -1 for none
 */
struct xdp_run {
	struct xdp_sink *program;
	int link;
	int socket;
	uint32_t device;
	bool native;
	struct address local;
	struct client_run run;
	int timer;
};

bool xdp_run_wanted(const struct config *config);
const struct backend *backend_of(const struct config *config);
bool backend_is_due(struct session_end *end);
bool backend_user_clock(struct session_end *end, struct backend_clock *clock);
void backend_user_record(const struct session_end *end, struct output *out);

struct far;

/**
 * struct session_end - one end
 * @present: the session has this end
 * @host: name of its host for ssh, or NULL for this one
 * @netns: its network namespace as netns_enter() takes it, or NULL
 * @backend: its backend, NULL before session_open()
 * @client: the module there, open if @backend is backend_module
 * @config: configuration as requested; after the start, as in effect
 * @xdp: an XDP sink, if @backend is backend_xdp
 * @user: the run in user space, if @backend is backend_user
 * @engine: the process, if @backend is backend_engine
 * @far: the connection to @host, if @backend is backend_far
 * @run: latest state of the run
 * @begin: snapshot from which the result counts: at the start, or at the end of
 *	the warm-up
 * @last: latest snapshot; in the report the one after the end
 * @closed: streams of a sink that had ended when its streams were last read
 * @device: index of the device that its packets pass, 0 if unknown
 * @device_name: its name, or a placeholder
 * @device_certain: the packets cannot pass any other device
 * @device_begin: counters of @device before the start
 * @device_last: counters of @device after the end
 * @backlog: queueing discipline of @device, of a source
 * @driver_queue: transmit queues of @device, likewise
 * @tcp_memory_begin: TCP memory state before the start
 * @tcp_memory_last: TCP memory state after the end
 * @protocols_begin: drops of its network namespace's protocols before the start
 * @protocols_last: drops of its network namespace's protocols after the end
 * @clock_begin: clocks of its host before the start
 * @clock_last: clocks of its host after the end
 */
struct session_end {
	bool present;
	const char *host;
	const char *netns;
	const struct backend *backend;
	struct client client;
	struct config config;
	struct xdp_run xdp;
	struct user_engine *user;
	struct engine_run *engine;
	struct far *far;
	struct client_run run;
	struct client_snapshot begin;
	struct client_snapshot last;
	uint64_t closed;
	uint32_t device;
	char device_name[DEVICE_NAME_MAX];
	bool device_certain;
	struct device_counters device_begin;
	struct device_counters device_last;
	struct backlog backlog;
	struct driver_queue driver_queue;
	struct tcp_memory tcp_memory_begin;
	struct tcp_memory tcp_memory_last;
	struct protocols protocols_begin;
	struct protocols protocols_last;
	struct clock_offset clock_begin;
	struct clock_offset clock_last;
};

#endif
