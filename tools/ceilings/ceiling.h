/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceiling: limits of a run that follow from its configuration, side by side.
 *
 * How high each is, the files ceiling_*.c compute; Documentation/measure/ceilings.rst
 * has the formulas and their sources.
 */
#ifndef KTPUT_TOOLS_CEILING_H
#define KTPUT_TOOLS_CEILING_H

#include <stddef.h>

#define CEILING_NONE	((size_t)-1)

/**
 * struct ceiling - one limit
 * @name: what limits
 * @title: the same for people
 * @layer: where
 * @bps: goodput in bit/s that is not exceeded; 0 where there is no limit, or it
 *	is not known
 * @because: how it comes about, or why there is none
 */
struct ceiling {
	const char *name;
	const char *title;
	const char *layer;
	double bps;
	char because[200];
};

void ceiling_set(struct ceiling *ceiling, double bps, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void ceiling_unknown(struct ceiling *ceiling, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
size_t ceiling_binding(const struct ceiling *ceilings, size_t count);

#endif
