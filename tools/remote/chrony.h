/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chrony: what chronyd tells of the clock of this host.
 */
#ifndef KTPUT_REMOTE_CHRONY_H
#define KTPUT_REMOTE_CHRONY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct chrony - CLOCK_REALTIME against true time
 * @known: chronyd runs, and has synchronised the clock
 * @ahead_ns: how far it is ahead
 * @error_ns: that is wrong by no more: root dispersion and half of the root delay
 */
struct chrony {
	bool known;
	int64_t ahead_ns;
	uint64_t error_ns;
};

void chrony_parse(const char *text, struct chrony *to);
void chrony_read(struct chrony *to);

#endif
