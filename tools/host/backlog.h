/* SPDX-License-Identifier: GPL-2.0 */
/*
 * backlog: how long packets waited in the queueing discipline of a device.
 *
 * How many looks find a packet is the share of the time that its queue stood. A look costs
 * some 20 us. A device without a queueing discipline is looked at once.
 */
#ifndef KTPUT_TOOLS_BACKLOG_H
#define KTPUT_TOOLS_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"

/**
 * struct backlog - the queueing discipline of a device
 * @samples: number of looks
 * @standing: looks that found a packet that waits
 * @kind: its kind, empty if the device has none
 * @holds_rate: it, or one below it, may hold packets back for a rate
 * @nl: socket in the network namespace of the device, if @device is not 0
 * @device: index of the device, 0 if nothing is looked at
 */
struct backlog {
	uint32_t samples;
	uint32_t standing;
	char kind[16];
	bool holds_rate;
	struct netlink nl;
	uint32_t device;
};

bool backlog_holds_rate(const char *kind);
void backlog_begin(struct backlog *backlog, const char *netns, uint32_t device);
void backlog_look(struct backlog *backlog);
void backlog_end(struct backlog *backlog);
double backlog_share(const struct backlog *backlog);

/*
 * driver_queue: how long the transmit queues of a device were full.
 *
 * A driver with byte queue limits (BQL) counts what it has given to the device and not yet
 * got back, and takes no more from a limit on that it adapts to what the device needs. How
 * many looks find a queue at its limit is the share of the time that it was full.
 */

/**
 * struct driver_queue - the transmit queues of a device
 * @samples: number of looks at queues that have a limit
 * @standing: looks that found one of them at its limit
 * @directory: where sysfs has them, empty if nothing is looked at
 */
struct driver_queue {
	uint32_t samples;
	uint32_t standing;
	char directory[64];
};

void driver_queue_begin(struct driver_queue *queue, const char *devices,
			const char *name);
void driver_queue_look(struct driver_queue *queue);
double driver_queue_share(const struct driver_queue *queue);

#endif
