/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong_sweep: measure latency and throughput against message size.
 */
#ifndef KTPUT_CTL_PINGPONG_SWEEP_H
#define KTPUT_CTL_PINGPONG_SWEEP_H

#include "../run/run_options.h"
#include "../run/start_plan.h"

/* Sizes of up to 2^24, with their neighbours, in all octaves. */
#define PINGPONG_SIZES_MAX	256

/**
 * struct pingpong_point - result of a size
 * @bytes: the size
 * @min_ns: shortest round trip, 0 if the engine does not report it
 * @p50_ns: likewise the median
 * @mean_ns: likewise the mean
 * @throughput_bps: a message in half of the median, or of the mean without one
 * @disturbed: other work took part of the CPUs
 */
struct pingpong_point {
	uint64_t bytes;
	uint64_t min_ns;
	uint64_t p50_ns;
	double mean_ns;
	double throughput_bps;
	bool disturbed;
};

/**
 * enum pingpong_average - what the throughput of a size is taken from
 * @PINGPONG_BY_MEDIAN: the median round trip
 * @PINGPONG_BY_MEAN: the mean, which stalls of a few round trips change too
 */
enum pingpong_average {
	PINGPONG_BY_MEDIAN,
	PINGPONG_BY_MEAN,
};

/**
 * struct pingpong_dropout - throughput of a size and of its neighbours
 * @have_bps: of the size
 * @below_bps: of the next smaller one
 * @above_bps: of the next larger one, 0 if there is none
 */
struct pingpong_dropout {
	double have_bps;
	double below_bps;
	double above_bps;
};

size_t pingpong_sizes(struct pingpong_point *points, const struct run_sizes *sizes,
		      uint64_t thin);
bool pingpong_dropout(const struct pingpong_point *points, size_t count,
		      size_t i, enum pingpong_average by,
		      struct pingpong_dropout *dropout);
int pingpong_sweep(const struct command_context *context,
		   const struct run_options *options,
		   struct units_error *err);

/* pingpong_nptcp: measure round trips with NetPIPE's NPtcp. */
int pingpong_nptcp_measure(const struct start_plan *plan,
			   struct pingpong_point *point, bool *interrupted,
			   struct units_error *err);

#endif
