/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loss: where the datagrams of a run were lost, by the counters of each place.
 *
 * Counters of devices, queueing disciplines and backlogs are of all traffic, so that
 * no place is said to have lost more than was lost. What no counter has was lost
 * on the way: by a network, or by somebody who does not count.
 */
#ifndef KTPUT_TOOLS_LOSS_H
#define KTPUT_TOOLS_LOSS_H

#include <stdint.h>

#include "arrivals.h"

/* In the order in which a datagram meets them. */
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

/* From this share of what was sent on, it is loss that a result is told by. */
#define LOSS_MATTERS	0.001

/**
 * struct losses - where datagrams were lost
 * @count: of each place; together they may be more than were lost
 * @most: the place of most of them, LOSS_PLACES where none was lost
 * @share: lost of those that were sent
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
