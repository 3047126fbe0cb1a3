// SPDX-License-Identifier: GPL-2.0
/* driver_queue: how long the transmit queues of a device were full. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver_queue.h"
#include "environment.h"

/* More queues than these are not looked at: a look takes some 20 us for each. */
#define QUEUES	64

/* Bytes in a file of a queue; false if there is no such queue, or no number. */
static bool read_bytes(const struct driver_queue *queue, int index, const char *file,
		       uint64_t *bytes)
{
	char *line = environment_read_line("%s/tx-%d/byte_queue_limits/%s",
					   queue->directory, index, file);
	const bool known = line && sscanf(line, "%" SCNu64, bytes) == 1;

	free(line);
	return known;
}

/**
 * driver_queue_begin() - look at the queues of a device from now on
 * @queue: zeroed
 * @devices: directory of all devices, of the caller's network namespace
 * @name: name of the device
 */
void driver_queue_begin(struct driver_queue *queue, const char *devices, const char *name)
{
	const int length = snprintf(queue->directory, sizeof(queue->directory),
				    "%s/%s/queues", devices, name);

	if (length >= (int)sizeof(queue->directory))
		queue->directory[0] = '\0';
}

/**
 * driver_queue_look() - look at them
 * @queue: the queues
 *
 * A limit is 0 where the driver has none, and before its first packet.
 */
void driver_queue_look(struct driver_queue *queue)
{
	bool limited = false, full = false;
	uint64_t inflight, limit;

	for (int i = 0; queue->directory[0] && i < QUEUES; i++) {
		if (!read_bytes(queue, i, "inflight", &inflight) ||
		    !read_bytes(queue, i, "limit", &limit))
			break;
		limited |= limit > 0;
		full |= limit && inflight >= limit;
	}
	queue->samples += limited;
	queue->standing += full;
}

/**
 * driver_queue_share() - share of the time that a queue was full
 * @queue: the queues
 *
 * Return: 0 to 1; NaN if the driver does not tell.
 */
double driver_queue_share(const struct driver_queue *queue)
{
	return queue->samples ? (double)queue->standing / queue->samples : NAN;
}
