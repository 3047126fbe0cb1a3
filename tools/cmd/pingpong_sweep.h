/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong_sweep: measure latency and throughput against message size.
 */
#ifndef KTPUT_CTL_PINGPONG_SWEEP_H
#define KTPUT_CTL_PINGPONG_SWEEP_H

#include "../run/run_options.h"

/**
 * struct pingpong_point - result of a size
 * @bytes: the size
 * @min_ns: shortest round trip, 0 if the engine does not report it
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
