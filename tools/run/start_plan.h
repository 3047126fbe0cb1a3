/* SPDX-License-Identifier: GPL-2.0 */
/*
 * start_plan: turn the options of "start" into the configurations of its runs.
 */
#ifndef KTPUT_CTL_START_PLAN_H
#define KTPUT_CTL_START_PLAN_H

#include "../host/route.h"
#include "run_options.h"
#include "session.h"

/**
 * struct start_plan - a session to start, and its input
 * @context: the command's context
 * @options: parsed options
 * @to: address of the sink
 * @addresses: number of addresses that the sink's name has; 0 if it was no name
 * @attempt: which of them @to is
 * @from: address of the source, AF_UNSPEC for the route's
 * @device: number of the device that the source is bound to, or 0
 * @sink_device: number of the device that the sink is bound to, or 0
 * @route: route to @to; known before if the source is on another host
 * @mac: MAC address that frames go to
 * @queues: transmit queues for frames, if given
 * @session: the runs
 */
struct start_plan {
	const struct command_context *context;
	const struct run_options *options;
	struct address to;
	size_t addresses;
	size_t attempt;
	struct address from;
	uint32_t device;
	uint32_t sink_device;
	struct route route;
	struct ethernet_mac mac;
	struct units_cpus queues;
	struct session session;
};

int start_plan_make(struct start_plan *plan, struct units_error *err);
bool start_plan_again(struct start_plan *plan, struct units_error *err);
void start_plan_find_bus(struct route *route);
int start_plan_configure(struct start_plan *plan, struct units_error *err);
void start_plan_warn_rate(const struct command_context *context,
			  uint64_t asked, uint64_t each, uint64_t streams,
			  const char *unit);

#endif
