/* SPDX-License-Identifier: GPL-2.0 */
/*
 * datagram: the header that each begins with, and what those come to that
 * arrive; see Documentation/layers/datagram.rst.
 */
#ifndef KTPUT_USER_DATAGRAM_H
#define KTPUT_USER_DATAGRAM_H

#include <linux/ktput_peers.h>
#include <linux/ktput_rx_stats.h>
#include <stddef.h>
#include <stdint.h>

#include "../../module/client.h"

/**
 * struct user_arrivals - what the datagrams of a stream that arrive come to
 * @stats: what their headers tell
 * @peers: who sent them, or NULL
 */
struct user_arrivals {
	struct ktput_rx_stats stats;
	struct ktput_peers *peers;
};

void user_datagram_fill(void *payload, uint32_t cookie, uint32_t sequence,
			uint64_t now);
void user_arrivals_init(struct user_arrivals *arrivals);
bool user_arrivals_add(struct user_arrivals *arrivals, const void *payload,
		       size_t length, uint32_t cookie, uint64_t now,
		       struct ktput_peer *from);
struct client_datagrams
user_arrivals_show(const struct user_arrivals *arrivals);

#endif
