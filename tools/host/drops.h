/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drops: why this kernel dropped the datagrams of a run.
 *
 * This process owns the program: it ends with it.
 */
#ifndef KTPUT_TOOLS_DROPS_H
#define KTPUT_TOOLS_DROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/units.h"
#include "../bpf/drop_reasons.h"

struct drop_reasons;

/**
 * struct drops_reason - a reason of the kernel
 * @name: name in enum skb_drop_reason, without prefix, in lower case
 * @datagrams: datagrams that it was given for
 */
struct drops_reason {
	char name[48];
	uint64_t datagrams;
};

/**
 * struct drops - datagrams of a run that this kernel dropped
 * @known: they were counted, from before the first datagram until after the last
 * @count: number of reasons that were given
 * @reason: the reasons, most datagrams first; NULL for none
 * @program: the program while it counts, else NULL
 */
struct drops {
	bool known;
	size_t count;
	struct drops_reason *reason;
	struct drop_reasons *program;
};

int drops_begin(struct drops *drops, uint32_t cookie, bool detail,
		struct units_error *err);
void drops_ports(struct drops *drops, uint16_t port, uint32_t ports);
void drops_finish(struct drops *drops);
uint64_t drops_total(const struct drops *drops);
void drops_free(struct drops *drops);

#endif
