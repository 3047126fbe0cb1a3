/* SPDX-License-Identifier: GPL-2.0 */
/*
 * driver_queue: how long the transmit queues of a device were full.
 *
 * A driver with byte queue limits (BQL) counts what it has given to the device and not yet
 * got back, and takes no more from a limit on that it adapts to what the device needs. How
 * many looks find a queue at its limit is the share of the time that it was full.
 */
#ifndef KTPUT_TOOLS_DRIVER_QUEUE_H
#define KTPUT_TOOLS_DRIVER_QUEUE_H

#include <stdint.h>

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
