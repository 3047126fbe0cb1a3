/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong_run: plan a session of round trips.
 */
#ifndef KTPUT_CTL_PINGPONG_RUN_H
#define KTPUT_CTL_PINGPONG_RUN_H

#include "run_options.h"
#include "start_plan.h"

void pingpong_run_place(struct run_options *options);
void pingpong_run_configure(struct config *config,
			    const struct run_options *options, uint64_t size);
int pingpong_run_plan(struct start_plan *plan,
		      const struct command_context *context,
		      const struct run_options *options, uint64_t size,
		      struct units_error *err);
int pingpong_run_begin(struct session *session, struct units_error *err);

#endif
