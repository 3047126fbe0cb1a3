// SPDX-License-Identifier: GPL-2.0
/*
 * datagram: the header that each begins with, and what those come to that
 * arrive.
 */
#include <endian.h>
#include <linux/ktput_datagram.h>
#include <string.h>

#include "stream.h"

/**
 * user_datagram_fill() - write the header of a datagram
 * @payload: payload, of any alignment
 * @cookie: of the run
 * @sequence: number in the stream
 * @now: CLOCK_REALTIME in nanoseconds
 */
void user_datagram_fill(void *payload, uint32_t cookie, uint32_t sequence,
			uint64_t now)
{
	const struct ktput_datagram header = {
		.cookie = htobe32(cookie),
		.sequence = htobe32(sequence),
		.time = htobe64(now),
	};

	memcpy(payload, &header, sizeof(header));
}

/**
 * user_arrivals_init() - nothing has arrived
 * @arrivals: filled in
 */
void user_arrivals_init(struct user_arrivals *arrivals)
{
	*arrivals = (struct user_arrivals) { 0 };
	ktput_rx_stats_init(&arrivals->stats);
}

/**
 * user_arrivals_add() - account a datagram that has arrived
 * @arrivals: of its stream
 * @payload: its payload, of which the header is read
 * @length: bytes of its payload
 * @cookie: of the run
 * @now: CLOCK_REALTIME in nanoseconds
 * @from: its sender, and CLOCK_MONOTONIC, where the peers are told apart
 *
 * Return: false where it is not of the run.
 */
bool user_arrivals_add(struct user_arrivals *arrivals, const void *payload,
		       size_t length, uint32_t cookie, uint64_t now,
		       struct ktput_peer *from)
{
	struct ktput_datagram header;

	if (length < sizeof(header)) {
		arrivals->stats.foreign++;
		return false;
	}
	memcpy(&header, payload, sizeof(header));
	if (be32toh(header.cookie) != cookie) {
		arrivals->stats.foreign++;
		return false;
	}
	ktput_rx_stats_add(&arrivals->stats, be32toh(header.sequence),
			   now - be64toh(header.time));
	if (arrivals->peers) {
		from->next = be32toh(header.sequence);
		from->bytes = length;
		ktput_peers_add(arrivals->peers, from);
	}
	return true;
}

/**
 * user_arrivals_show() - what has arrived until now
 * @arrivals: arrivals
 *
 * Return: the counts.
 */
struct client_datagrams
user_arrivals_show(const struct user_arrivals *arrivals)
{
	const struct ktput_rx_stats *stats = &arrivals->stats;
	struct client_datagrams counts = {
		.present = true,
		.received = stats->received,
		.lost = stats->lost,
		.reordered = stats->reordered,
		.duplicates = stats->duplicates,
		.late = stats->late,
		.foreign = stats->foreign,
		.jitter_ns = stats->jitter >> 4,
		.delay_known = stats->received > 0,
	};

	if (counts.delay_known) {
		counts.delay_min_ns = stats->delay_min;
		counts.delay_max_ns = stats->delay_max;
		counts.delay_sum_ns = stats->delay_sum;
	}
	return counts;
}
