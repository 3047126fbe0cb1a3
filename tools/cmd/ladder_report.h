/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder_report: what a ladder came to.
 */
#ifndef KTPUT_CTL_LADDER_REPORT_H
#define KTPUT_CTL_LADDER_REPORT_H

#include "../base/output.h"
#include "ladder.h"

void ladder_report_print(struct output *out, const struct ladder *ladder);

#endif
