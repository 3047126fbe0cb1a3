/* SPDX-License-Identifier: GPL-2.0 */
/*
 * work: what a run did, and the cycles that it took.
 *
 * All over the time in which the CPUs are measured: after the warm-up, until the
 * snapshot after the end. What a record does not have is NAN.
 */
#ifndef KTPUT_REPORT_WORK_H
#define KTPUT_REPORT_WORK_H

#include <stdbool.h>

#include "record.h"

/**
 * struct work - of one run
 * @bytes: payload that arrived
 * @packets: datagrams or frames that arrived; of TCP segments that were sent,
 *	or where the record has no streams, @bytes over a segment's payload
 * @calls: of both ends, as far as the record has them
 * @busy_cycles: cycles that the CPUs were not idle, all together
 * @loss_share: share of the datagrams that were lost, 0 with TCP
 * @counted: @packets is a counter
 */
struct work {
	double bytes;
	double packets;
	double calls;
	double busy_cycles;
	double loss_share;
	bool counted;
};

void work_get(const struct record *record, struct work *work);
const char *work_missing(const struct work *work);

#endif
