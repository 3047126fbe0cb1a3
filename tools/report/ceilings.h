/* SPDX-License-Identifier: GPL-2.0 */
/* ceilings: what was measured beside what would be possible. */
#ifndef KTPUT_REPORT_CEILINGS_H
#define KTPUT_REPORT_CEILINGS_H

#include "record.h"

void ceilings_print(struct output *out, const struct record *record);

#endif
