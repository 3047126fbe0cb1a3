/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paragraph: a sentence beside its heading, folded.
 */
#ifndef KTPUT_CTL_PARAGRAPH_H
#define KTPUT_CTL_PARAGRAPH_H

#include "../lib/output.h"

void paragraph_print(struct output *out, const char *heading,
		     const char *sentence);

#endif
