/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder_agreement: what the ladder says costs, beside what samples say.
 */
#ifndef KTPUT_CTL_LADDER_AGREEMENT_H
#define KTPUT_CTL_LADDER_AGREEMENT_H

#include "../base/output.h"
#include "ladder.h"

void ladder_agreement_record(struct output *out, const struct ladder *ladder,
			     size_t rung);
void ladder_agreement_print(struct output *out, const struct ladder *ladder);

#endif
