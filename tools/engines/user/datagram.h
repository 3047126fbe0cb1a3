/* SPDX-License-Identifier: GPL-2.0 */
/*
 * datagram: the header that each begins with, and what those come to that
 * arrive; see Documentation/layers/datagram.rst.
 */
#ifndef KTPUT_USER_DATAGRAM_H
#define KTPUT_USER_DATAGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "../../module/client.h"

/* Words of the window of sequence numbers, the module's; a power of two. */
#define USER_WINDOW_WORDS	16

/**
 * struct user_arrivals - what the datagrams of a stream that arrive come to
 * @next: sequence number after the highest that has arrived
 * @transit: nanoseconds from sender to here of the latest, by both clocks
 * @jitter: mean deviation of @transit, RFC 3550 6.4.1, in 1/16 ns
 * @seen: bit n is set where the number has arrived, for those of the latest
 *	USER_WINDOW_WORDS times 64, by their last bits
 * @counts: what is counted; @jitter is not in it yet
 */
struct user_arrivals {
	uint32_t next;
	int64_t transit;
	uint64_t jitter;
	uint64_t seen[USER_WINDOW_WORDS];
	struct client_datagrams counts;
};

void user_datagram_fill(void *payload, uint32_t cookie, uint32_t sequence,
			uint64_t now);
void user_arrivals_init(struct user_arrivals *arrivals);
bool user_arrivals_add(struct user_arrivals *arrivals, const void *payload,
		       size_t length, uint32_t cookie, uint64_t now);
struct client_datagrams
user_arrivals_show(const struct user_arrivals *arrivals);

#endif
