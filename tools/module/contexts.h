/* SPDX-License-Identifier: GPL-2.0 */
/*
 * contexts: cycles of a CPU by context.
 *
 * Each cycle is charged to one context, so the contexts of a CPU between two
 * snapshots add up to its cycles. A context that the kernel does not report is
 * unknown, and its cycles are charged to another.
 */
#ifndef KTPUT_TOOLS_CONTEXTS_H
#define KTPUT_TOOLS_CONTEXTS_H

#include <linux/ktput.h>
#include <stdbool.h>
#include <stdint.h>

/* Contexts have the numbers of their attributes, from first to last. */
#define CONTEXTS_FIRST	KTPUT_A_CONTEXTS_SOURCE
#define CONTEXTS_LAST	KTPUT_A_CONTEXTS_IDLE

/**
 * struct contexts - cycles of a CPU by context
 * @known: whether the kernel reports a context
 * @cycles: cycles in it, 0 if unknown
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
