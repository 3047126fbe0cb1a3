/* SPDX-License-Identifier: GPL-2.0 */
/*
 * monitor_metrics: the counters of runs in the text format of Prometheus, as
 * node_exporter's textfile collector reads it.
 */
#ifndef KTPUT_CTL_MONITOR_METRICS_H
#define KTPUT_CTL_MONITOR_METRICS_H

#include <stddef.h>

#include "../module/client.h"

/**
 * struct metrics - runs that are to be written
 * @netns: their network namespace, as the user named it; NULL for this one
 * @runs: runs, which outlive this
 * @count: number of runs
 */
struct metrics {
	const char *netns;
	struct metrics_run {
		const struct config *config;
		const struct client_snapshot *snapshot;
	} runs[KTPUT_MAX_RUNS];
	size_t count;
};

void metrics_begin(struct metrics *metrics, const char *netns);
void metrics_add(struct metrics *metrics, const struct config *config,
		 const struct client_snapshot *snapshot);
int metrics_replace(const struct metrics *metrics, const char *file,
		    struct units_error *err);

#endif
