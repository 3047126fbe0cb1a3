/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loss: where the datagrams of a run were lost, by the counters of each place.
 *
 * Each lost datagram has one place, so that the places add up to the loss. Counters of
 * the run's own sockets come first. Those of devices, queueing disciplines, backlogs
 * and protocols cover all traffic, and have what is left. A loss without a counter
 * happened on the way: in a network, or in a component that does not count; if nothing
 * lies between the ends, behind the sink's device as far as that has received more than
 * the sink.
 */
#ifndef KTPUT_TOOLS_LOSS_H
#define KTPUT_TOOLS_LOSS_H

#include <stdint.h>

#include "arrivals.h"
#include "chain.h"
#include "remedy.h"

/* In the order in which a datagram passes them. */
enum loss_place {
	LOSS_TOLD,
	LOSS_SOURCE_FILTER,
	LOSS_QUEUE,
	LOSS_SOURCE_DEVICE,
	LOSS_KEPT,
	LOSS_WAY,
	LOSS_SINK_DEVICE,
	LOSS_BACKLOG,
	LOSS_FILTER,
	LOSS_HOST,
	LOSS_PROTOCOL,
	LOSS_CHECKSUM,
	LOSS_MEMORY,
	LOSS_SOCKET,
	LOSS_SOCKET_OTHER,
	LOSS_PLACES,
};

/* Share of what was sent from which a loss affects the result. */
#define LOSS_MATTERS	0.001
/* Segments of a packet of GSO_MAX_SIZE: one dropped packet loses all of them. */
#define LOSS_SEGMENTS_MAX	45

/**
 * struct losses - where datagrams were lost
 * @count: of each place; they add up to the loss
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
enum loss_place loss_of_segments(const struct arrivals_terms *terms,
				 uint64_t resent);
const char *loss_key(enum loss_place place);
const char *loss_where(enum loss_place place);
const struct remedy *loss_remedies(enum loss_place place, bool tcp);
enum chain_place loss_link(enum loss_place place);

#endif
