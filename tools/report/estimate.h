/* SPDX-License-Identifier: GPL-2.0 */
/* estimate: a figure with its uncertainty, from one run or from several. */
#ifndef KTPUT_REPORT_ESTIMATE_H
#define KTPUT_REPORT_ESTIMATE_H

#include "../lib/statistics.h"
#include "figures.h"

void estimate_run(const struct record *record, enum figure figure,
		  struct statistics *to);
void estimate_runs(const struct record *record, size_t count,
		   enum figure figure, struct statistics *to);

#endif
