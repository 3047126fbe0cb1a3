/* SPDX-License-Identifier: GPL-2.0 */
/*
 * series: what the statistics need of each interval of a run.
 *
 * Memory is bounded however long a run lasts: where there are SERIES_MAX entries,
 * neighbours are joined, which gives what intervals of twice the length would
 * have given. No byte gets lost thereby.
 *
 * Statistics leave out the warm-up, and an interval at the end whose length is
 * not that of the others: it ends with the run, and not when it is full.
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
 * @from_ns: when it began, since the run did
 * @to_ns: when it ended
 * @bytes: payload in it
 * @packets: datagrams in it, 0 where they are not counted
 * @busy_cycles: cycles in which CPUs were not idle, NaN where not known
 */
struct series_interval {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t bytes;
	uint64_t packets;
	double busy_cycles;
};

/**
 * struct series - the intervals of a run
 * @interval: after the warm-up, in their order
 * @count: how many
 * @size: how many there is memory for
 * @joined: intervals that one entry stands for
 * @open: intervals that the last entry stands for
 * @warm_up: how many were left out since they were warm-up
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
 * enum series_quantity - what there are statistics of
 * @SERIES_GOODPUT_BPS: payload, in bit/s
 * @SERIES_PACKETS_PER_S: datagrams
 * @SERIES_BUSY_CYCLES_PER_BYTE: busy cycles of all CPUs; not of an interval
 *	without payload
 */
enum series_quantity {
	SERIES_GOODPUT_BPS,
	SERIES_PACKETS_PER_S,
	SERIES_BUSY_CYCLES_PER_BYTE,
};

void series_add(struct series *series, const struct series_interval *interval,
		bool warm_up);
bool series_leaves_out_last(const struct series *series, uint64_t interval_ns);
void series_statistics(const struct series *series, uint64_t interval_ns,
		       enum series_quantity quantity, struct statistics *to);
void series_free(struct series *series);

#endif
