/* SPDX-License-Identifier: GPL-2.0 */
/*
 * draining: follow a source of TCP that has sent all and waits for its peer.
 */
#ifndef KTPUT_CTL_DRAINING_H
#define KTPUT_CTL_DRAINING_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/units.h"

struct session;
struct session_end;

/* How often to look at a source that drains. */
#define DRAINING_LOOK_NS	(50 * 1000000ULL)

/**
 * struct draining - how far a source has drained
 * @looked_ns: CLOCK_MONOTONIC of the last look, 0 at first
 * @acknowledged: bytes acknowledged by then
 * @tell_ns: CLOCK_MONOTONIC when progress is printed next
 * @device_ns: CLOCK_MONOTONIC when the device is looked for next
 * @device_gone: it was removed, and the run told to end
 * @given_up: likewise the source not to wait any longer
 */
struct draining {
	uint64_t looked_ns;
	uint64_t acknowledged;
	uint64_t tell_ns;
	uint64_t device_ns;
	bool device_gone;
	bool given_up;
};

bool draining_is(const struct session *session);
int draining_look(struct session *session, struct units_error *err);
int draining_check_device(struct session *session, struct units_error *err);

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
