/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loss: where the datagrams of a run were lost, by the counters of each place.
 *
 * Counters of devices, queueing disciplines and backlogs cover all traffic, so the
 * loss of a place is limited to the total loss. A loss without a counter happened
 * on the way: in a network, or in a component that does not count.
 */
#ifndef KTPUT_TOOLS_LOSS_H
#define KTPUT_TOOLS_LOSS_H

#include <stdint.h>

#include "arrivals.h"

/* In the order in which a datagram passes them. */
enum loss_place {
	LOSS_TOLD,
	LOSS_QUEUE,
	LOSS_SOURCE_DEVICE,
	LOSS_KEPT,
	LOSS_WAY,
	LOSS_SINK_DEVICE,
	LOSS_BACKLOG,
	LOSS_FILTER,
	LOSS_SOCKET,
	LOSS_PLACES,
};

/* Share of what was sent from which a loss affects the result. */
#define LOSS_MATTERS	0.001

/**
 * struct losses - where datagrams were lost
 * @count: of each place; the sum may exceed the loss
 * @most: place of the largest loss, LOSS_PLACES if nothing was lost
 * @share: share of sent datagrams that were lost
 */
struct losses {
	uint64_t count[LOSS_PLACES];
	enum loss_place most;
	double share;
};

void loss_compute(const struct arrivals *arrivals,
		  const struct arrivals_terms *terms, struct losses *to);
const char *loss_key(enum loss_place place);
const char *loss_where(enum loss_place place);
const char *loss_remedy(enum loss_place place);

#endif
