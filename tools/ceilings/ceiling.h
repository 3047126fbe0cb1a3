/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ceiling: limits of a run that follow from its configuration.
 *
 * The files ceiling_*.c compute the limits. Documentation/measure/ceilings.rst has
 * the formulas and their sources.
 */
#ifndef KTPUT_TOOLS_CEILING_H
#define KTPUT_TOOLS_CEILING_H

#include <stddef.h>
#include <stdint.h>

#define CEILING_NONE	((size_t)-1)

/**
 * struct ceiling - one limit
 * @name: its key
 * @title: its name in text
 * @layer: its layer
 * @bps: maximum goodput in bit/s; 0 if there is no limit, or if it is unknown
 * @because: how it is derived, or why there is none
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

double ceiling_cpu_bps(double cycles_per_s, double cycles_per_byte);

/* Maximum of the sysctl tcp_adv_win_scale; the minimum is its negative. */
#define CEILING_WINDOW_SCALE_MAX	31

uint64_t ceiling_window_share(uint64_t buffer_bytes, int scale);
double ceiling_window_bps(uint64_t window_bytes, uint64_t rtt_ns);
double ceiling_window_needed(double bps, uint64_t rtt_ns);

#endif
