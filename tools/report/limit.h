/* SPDX-License-Identifier: GPL-2.0 */
/* limit: the ceilings that a record has for its goodput. */
#ifndef KTPUT_REPORT_LIMIT_H
#define KTPUT_REPORT_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "record.h"

/**
 * struct limit - one ceiling
 * @name: what sets it
 * @bps: goodput that it permits, bit/s; NAN where it is not known
 * @share: goodput over @bps
 * @binds: it is what holds the run back
 * @because: why it binds, or why it is not known, or NULL
 *
 * The record owns the strings.
 */
struct limit {
	const char *name;
	double bps;
	double share;
	bool binds;
	const char *because;
};

/**
 * struct limits - of one run
 * @count: how many
 * @limit: in the order of the record
 */
struct limits {
	size_t count;
	struct limit *limit;
};

void limit_get(const struct record *record, struct limits *limits);
void limit_free(struct limits *limits);

#endif
