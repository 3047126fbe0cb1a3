/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iperf_run: an end of a session that iperf3 runs, as a process of its own.
 */
#ifndef KTPUT_CTL_IPERF_RUN_H
#define KTPUT_CTL_IPERF_RUN_H

#include "../lib/client.h"
#include "../lib/config.h"
#include "../lib/iperf.h"
#include "child.h"

/**
 * struct iperf_run - an end that iperf3 runs
 * @config: what it is asked for
 * @sender: it is the client, which sends
 * @child: the process
 * @output: what it prints, -1 before the start
 * @result: what it came to, without streams before that
 * @run: where it stands
 * @cpu: CPU that its counters are charged to
 * @begin_ns: CLOCK_MONOTONIC of the first reading of the clock of cycles
 * @begin_cycles: that reading
 * @end_ns: likewise, when it had ended
 * @end_cycles: that reading
 * @stopping: it was told to end
 * @patience_ns: CLOCK_MONOTONIC when it is ended by a signal
 */
struct iperf_run {
	struct config config;
	bool sender;
	struct child child;
	int output;
	struct iperf_result result;
	struct client_run run;
	uint32_t cpu;
	uint64_t begin_ns;
	uint64_t begin_cycles;
	uint64_t end_ns;
	uint64_t end_cycles;
	bool stopping;
	uint64_t patience_ns;
};

int iperf_run_start(struct iperf_run *iperf, const char *netns,
		    const struct config *config, struct units_error *err);
int iperf_run_look(struct iperf_run *iperf, struct units_error *err);
void iperf_run_stop(struct iperf_run *iperf);
int iperf_run_snapshot(const struct iperf_run *iperf,
		       struct client_snapshot *to, struct units_error *err);
void iperf_run_close(struct iperf_run *iperf);

#endif
