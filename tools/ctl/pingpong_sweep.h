/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong_sweep: latency and throughput against the size of messages.
 */
#ifndef KTPUT_CTL_PINGPONG_SWEEP_H
#define KTPUT_CTL_PINGPONG_SWEEP_H

#include "pingpong_options.h"

int pingpong_sweep(const struct command_context *context,
		   const struct pingpong_options *options,
		   struct units_error *err);

#endif
