/* SPDX-License-Identifier: GPL-2.0 */
/*
 * contexts: what a CPU spends its cycles on.
 *
 * Each cycle is charged to one context, so that between two snapshots those of
 * a CPU add up to its cycles. A context that the kernel does not tell of is not
 * known, and its cycles are in another.
 */
#ifndef KTPUT_TOOLS_CONTEXTS_H
#define KTPUT_TOOLS_CONTEXTS_H

#include <linux/ktput.h>
#include <stdbool.h>
#include <stdint.h>

/* Contexts are numbered as their attributes are, from the first to the last. */
#define CONTEXTS_FIRST	KTPUT_A_CONTEXTS_SOURCE
#define CONTEXTS_LAST	KTPUT_A_CONTEXTS_IDLE

/**
 * struct contexts - cycles of a CPU by context
 * @known: whether the kernel tells of a context
 * @cycles: cycles in it, 0 where that is not known
 */
struct contexts {
	bool known[CONTEXTS_LAST + 1];
	uint64_t cycles[CONTEXTS_LAST + 1];
};

const char *contexts_key(int context);
bool contexts_known(const struct contexts *contexts);
struct contexts contexts_difference(const struct contexts *later,
				    const struct contexts *earlier);
uint64_t contexts_total(const struct contexts *contexts);
uint64_t contexts_limit_idle(struct contexts *contexts, uint64_t idle_cycles);

#endif
