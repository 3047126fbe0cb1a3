/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine_run: an end of a session run by another program, as a process.
 */
#ifndef KTPUT_CTL_ENGINE_RUN_H
#define KTPUT_CTL_ENGINE_RUN_H

#include "../module/client.h"
#include "../module/config.h"
#include "child.h"
#include "engine.h"

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

#endif
