/* SPDX-License-Identifier: GPL-2.0 */
/*
 * series: intervals of a run as input of the statistics.
 *
 * Memory is bounded for a run of any length: once there are SERIES_MAX entries,
 * neighbours are joined. The result is that of intervals of twice the length. No
 * byte is lost.
 *
 * Statistics leave out the warm-up and a last interval of a different length: the
 * end of the run cut it short.
 */
#ifndef KTPUT_TOOLS_SERIES_H
#define KTPUT_TOOLS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statistics.h"

#define SERIES_MAX	65536

/**
 * struct series_interval - an interval
 * @from_ns: its begin, relative to that of the run
 * @to_ns: its end, likewise
 * @bytes: payload in it
 * @packets: datagrams in it, 0 if they are not counted
 * @busy_cycles: cycles in which CPUs were not idle, NaN if unknown
 * @own_cycles: cycles that the run itself used, NaN if unknown
 */
struct series_interval {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t bytes;
	uint64_t packets;
	double busy_cycles;
	double own_cycles;
};

/**
 * struct series - the intervals of a run
 * @interval: intervals after the warm-up, in order
 * @count: number of intervals
 * @size: allocated entries
 * @joined: intervals per entry
 * @open: intervals in the last entry
 * @warm_up: number of intervals left out as warm-up
 *
 * All zero is an empty series.
 */
struct series {
	struct series_interval *interval;
	size_t count;
	size_t size;
	size_t joined;
	size_t open;
	size_t warm_up;
};

/**
 * enum series_quantity - quantities with statistics
 * @SERIES_GOODPUT_BPS: payload, in bit/s
 * @SERIES_PACKETS_PER_S: datagrams
 * @SERIES_BUSY_CYCLES_PER_BYTE: busy cycles of all CPUs; intervals without payload
 *	are left out
 * @SERIES_OWN_CYCLES_PER_BYTE: likewise, those of the run itself
 */
enum series_quantity {
	SERIES_GOODPUT_BPS,
	SERIES_PACKETS_PER_S,
	SERIES_BUSY_CYCLES_PER_BYTE,
	SERIES_OWN_CYCLES_PER_BYTE,
};

void series_add(struct series *series, const struct series_interval *interval,
		bool warm_up);
bool series_leaves_out_last(const struct series *series, uint64_t interval_ns);
void series_statistics(const struct series *series, uint64_t interval_ns,
		       enum series_quantity quantity, struct statistics *to);
void series_free(struct series *series);

#endif
