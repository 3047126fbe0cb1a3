/* SPDX-License-Identifier: GPL-2.0 */
/*
 * folded: sampled stacks as text, a line for each, as flame graphs are made of.
 */
#ifndef KTPUT_TOOLS_FOLDED_H
#define KTPUT_TOOLS_FOLDED_H

#include <stdio.h>

#include "../host/profiler.h"
#include "../host/symbols.h"

void folded_write(const struct profiler_stack *stacks, size_t count,
		  const struct symbols *symbols, FILE *to);

#endif
