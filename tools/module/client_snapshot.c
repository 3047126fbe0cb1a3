// SPDX-License-Identifier: GPL-2.0
/* client_snapshot: the memory of a snapshot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"

/* NULL only if out of memory: malloc(0) may return NULL otherwise. */
static void *copy_of(const void *from, size_t count, size_t size)
{
	void *copy = reallocarray(NULL, count + 1, size);

	return copy && count ? memcpy(copy, from, count * size) : copy;
}

/**
 * client_snapshot_copy() - copy a snapshot
 * @from: the snapshot
 * @to: the copy; client_snapshot_free() frees it
 * @err: why there is none
 *
 * Return: 0, or a negative errno with a message in @err.
 */
int client_snapshot_copy(const struct client_snapshot *from,
			 struct client_snapshot *to, struct units_error *err)
{
	*to = *from;
	to->cpus = copy_of(from->cpus, from->cpu_count, sizeof(*to->cpus));
	to->streams = copy_of(from->streams, from->stream_count,
			      sizeof(*to->streams));
	to->peers = copy_of(from->peers, from->peer_count, sizeof(*to->peers));
	if (from->latency)
		to->latency = copy_of(from->latency, 1, sizeof(*to->latency));
	if (to->cpus && to->streams && to->peers &&
	    !from->latency == !to->latency)
		return 0;
	client_snapshot_free(to);
	units_refuse(err, "out of memory");
	return -ENOMEM;
}

/**
 * client_snapshot_add_peer() - add a peer
 * @snapshot: the snapshot
 * @peer: the peer
 *
 * Return: 0, or -1 if out of memory.
 */
int client_snapshot_add_peer(struct client_snapshot *snapshot,
			     const struct client_peer *peer)
{
	struct client_peer *peers;

	peers = reallocarray(snapshot->peers, snapshot->peer_count + 1,
			     sizeof(*peers));
	if (!peers)
		return -1;
	snapshot->peers = peers;
	peers[snapshot->peer_count++] = *peer;
	return 0;
}

/**
 * client_snapshot_free() - free what a snapshot points to
 * @snapshot: the snapshot, or all zero
 */
void client_snapshot_free(struct client_snapshot *snapshot)
{
	free(snapshot->cpus);
	free(snapshot->streams);
	free(snapshot->peers);
	free(snapshot->latency);
	*snapshot = (struct client_snapshot) { 0 };
}
