// SPDX-License-Identifier: GPL-2.0
/*
 * datagram: the header that each begins with, and what those come to that
 * arrive.
 *
 * At any time received - duplicates - late + lost is the highest number that
 * has arrived plus one, modulo 2^32.
 */
#include <endian.h>
#include <linux/ktput_datagram.h>
#include <stdlib.h>
#include <string.h>

#include "datagram.h"

#define WORD(sequence)	(((sequence) / 64) % USER_WINDOW_WORDS)
#define MASK(sequence)	(1ULL << (sequence) % 64)

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
	*arrivals = (struct user_arrivals) {
		.counts = {
			.present = true,
			.delay_min_ns = INT64_MAX,
			.delay_max_ns = INT64_MIN,
		},
	};
}

/* Has the window reach up to a number that was passed over until now. */
static void pass(struct user_arrivals *arrivals, uint32_t sequence)
{
	const uint32_t latest = arrivals->next - 1;
	uint32_t words = (sequence / 64 - latest / 64) % (UINT32_MAX / 64 + 1);

	arrivals->counts.lost += sequence - arrivals->next;
	if (words > USER_WINDOW_WORDS)
		words = USER_WINDOW_WORDS;
	for (; words; words--)
		arrivals->seen[(sequence / 64 - words + 1) %
			       USER_WINDOW_WORDS] = 0;
}

static void came_behind(struct user_arrivals *arrivals, uint32_t sequence)
{
	const uint32_t latest = arrivals->next - 1;
	const bool within = latest - sequence <=
			    64 * (USER_WINDOW_WORDS - 1) + latest % 64;
	uint64_t *word = &arrivals->seen[WORD(sequence)];

	if (within && *word & MASK(sequence)) {
		arrivals->counts.duplicates++;
	} else if (within && arrivals->counts.lost) {
		*word |= MASK(sequence);
		arrivals->counts.reordered++;
		arrivals->counts.lost--;
	} else {
		/* Or before number 0: the source began before the sink. */
		arrivals->counts.late++;
	}
}

static void add_transit(struct user_arrivals *arrivals, int64_t transit)
{
	struct client_datagrams *counts = &arrivals->counts;

	if (counts->received)
		arrivals->jitter += llabs(transit - arrivals->transit) -
				    ((arrivals->jitter + 8) >> 4);
	arrivals->transit = transit;
	if (transit < counts->delay_min_ns)
		counts->delay_min_ns = transit;
	if (transit > counts->delay_max_ns)
		counts->delay_max_ns = transit;
	/* Modulo 2^64, as the module does. */
	counts->delay_sum_ns = (uint64_t)counts->delay_sum_ns + transit;
}

/**
 * user_arrivals_add() - account a datagram that has arrived
 * @arrivals: of its stream
 * @payload: its payload, of which the header is read
 * @length: bytes of its payload
 * @cookie: of the run
 * @now: CLOCK_REALTIME in nanoseconds
 *
 * Return: false where it is not of the run.
 */
bool user_arrivals_add(struct user_arrivals *arrivals, const void *payload,
		       size_t length, uint32_t cookie, uint64_t now)
{
	struct ktput_datagram header;
	uint32_t sequence;

	if (length < sizeof(header)) {
		arrivals->counts.foreign++;
		return false;
	}
	memcpy(&header, payload, sizeof(header));
	if (be32toh(header.cookie) != cookie) {
		arrivals->counts.foreign++;
		return false;
	}
	add_transit(arrivals, now - be64toh(header.time));
	arrivals->counts.received++;
	sequence = be32toh(header.sequence);
	if ((int32_t)(sequence - arrivals->next) < 0) {
		came_behind(arrivals, sequence);
		return true;
	}
	if (sequence != arrivals->next)
		pass(arrivals, sequence);
	else if (!(sequence % 64))
		arrivals->seen[WORD(sequence)] = 0;
	arrivals->seen[WORD(sequence)] |= MASK(sequence);
	arrivals->next = sequence + 1;
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
	struct client_datagrams counts = arrivals->counts;

	counts.jitter_ns = arrivals->jitter >> 4;
	counts.delay_known = counts.received > 0;
	if (!counts.delay_known) {
		counts.delay_min_ns = 0;
		counts.delay_max_ns = 0;
	}
	return counts;
}
