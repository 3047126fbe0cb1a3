/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong_sweep: latency and throughput against the size of messages.
 */
#ifndef KTPUT_CTL_PINGPONG_SWEEP_H
#define KTPUT_CTL_PINGPONG_SWEEP_H

#include "../run/run_options.h"

/**
 * struct pingpong_point - what a size came to
 * @bytes: the size
 * @min_ns: least round trip, 0 where the engine does not tell
 * @p50_ns: likewise the median
 * @mean_ns: likewise the mean
 * @throughput_bps: a message in half of the median, or of the mean without one
 */
struct pingpong_point {
	uint64_t bytes;
	uint64_t min_ns;
	uint64_t p50_ns;
	double mean_ns;
	double throughput_bps;
};

int pingpong_sweep(const struct command_context *context,
		   const struct run_options *options,
		   struct units_error *err);

#endif
