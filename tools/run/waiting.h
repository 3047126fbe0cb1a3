/* SPDX-License-Identifier: GPL-2.0 */
/*
 * waiting: warn when a source waits for its device.
 */
#ifndef KTPUT_CTL_WAITING_H
#define KTPUT_CTL_WAITING_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/**
 * struct waiting - how long a source has made no progress
 * @since_ns: CLOCK_MONOTONIC of the last progress, 0 at first
 * @messages: messages sent by then
 * @would_blocks: times that it had found no buffer by then
 * @stopped: times that it had found every queue stopped by then
 * @draining: it was to send no more
 * @told: the user was warned
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
