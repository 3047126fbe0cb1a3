/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pingpong_nptcp: measure round trips with NetPIPE's NPtcp.
 */
#ifndef KTPUT_CTL_RUN_ENGINE_NPTCP_H
#define KTPUT_CTL_RUN_ENGINE_NPTCP_H

#include "../run/start_plan.h"
#include "pingpong_sweep.h"

int pingpong_nptcp_measure(const struct start_plan *plan,
			   struct pingpong_point *point, bool *interrupted,
			   struct units_error *err);

#endif
