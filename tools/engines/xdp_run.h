/* SPDX-License-Identifier: GPL-2.0 */
/*
 * xdp_run: an XDP sink with the interface of a run of the module.
 *
 * It is a BPF program of this process (tools/engines/xdp.h): it needs no module and
 * ends with the process. Its clock is CLOCK_MONOTONIC: the cycles of a snapshot are
 * nanoseconds of that clock.
 */
#ifndef KTPUT_CTL_XDP_RUN_H
#define KTPUT_CTL_XDP_RUN_H

#include "../module/client.h"
#include "xdp.h"

/* Name of the clock in records. */
#define XDP_RUN_CLOCK	"CLOCK_MONOTONIC"

/**
 * struct xdp_run - an XDP sink
 * @xdp: the program
 * @local: address and first port of the datagrams
 * @run: its state
 * @timer: timerfd that fires when its time is over, -1 for none
 */
struct xdp_run {
	struct xdp xdp;
	struct address local;
	struct client_run run;
	int timer;
};

bool xdp_run_wanted(const struct config *config);

#endif
