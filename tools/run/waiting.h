/* SPDX-License-Identifier: GPL-2.0 */
/*
 * waiting: a word where a source waits for its device.
 */
#ifndef KTPUT_CTL_WAITING_H
#define KTPUT_CTL_WAITING_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/**
 * struct waiting - how long a source has come no further
 * @since_ns: CLOCK_MONOTONIC when it last did, 0 at first
 * @messages: what it had sent then
 * @would_blocks: how often it had found no buffer then
 * @stopped: how often no queue that takes frames
 * @draining: it was to send no more
 * @told: the user knows
 */
struct waiting {
	uint64_t since_ns;
	uint64_t messages;
	uint64_t would_blocks;
	uint64_t stopped;
	bool draining;
	bool told;
};

void waiting_look(struct session *session, uint64_t now_ns);

#endif
