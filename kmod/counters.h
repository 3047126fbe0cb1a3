/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Raw 64-bit counters of a stream, or of a CPU.
 */
#ifndef KTPUT_COUNTERS_H
#define KTPUT_COUNTERS_H

#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/ktput_counters.h>
#include <linux/timex.h>
#include <linux/types.h>

#include "compat/softirq.h"

#ifndef CONFIG_64BIT
#error "ktput counts in 64 bits, which this kernel writes in two halves"
#endif

/*
 * Counters of turns, by name and by index; linux/ktput_counters.h documents
 * each. One CPU writes and any CPU reads, without a lock: each counter is
 * written whole.
 */
struct ktput_counters {
	union {
		struct {
			KTPUT_COUNTERS_MEMBERS(u64);
		};
		u64 each[KTPUT_COUNTERS];
	};
};

/**
 * struct ktput_tally - sums over all turns of a stream
 * @counters: sums
 * @first_cycles: cycle counter before the first turn that moved payload, or of
 *	a source, that tried to; 0 before
 * @last_cycles: cycle counter after the latest of them, 0 before; of a TCP
 *	source that has drained, when the peer had acknowledged all
 *
 * Only the thread that takes the turns writes.
 */
struct ktput_tally {
	struct ktput_counters counters;
	u64 first_cycles;
	u64 last_cycles;
};

/**
 * ktput_counters_add() - account a turn
 * @to: counters that only the calling CPU writes
 * @turn: counters of the turn
 *
 * WRITE_ONCE, because a snapshot may interrupt or read at any time. A module
 * built with CONFIG_KTPUT_UNCOUNTED counts nothing, to measure the cost of
 * counting.
 */
static inline void ktput_counters_add(struct ktput_counters *to,
				      const struct ktput_counters *turn)
{
	unsigned int i;

	if (IS_ENABLED(CONFIG_KTPUT_UNCOUNTED))
		return;
	/*
	 * Compilers do not unroll it at -O2 on their own, and it runs for each
	 * frame.
	 */
#pragma GCC unroll 16
	for (i = 0; i < KTPUT_COUNTERS; i++)
		WRITE_ONCE(to->each[i], to->each[i] + turn->each[i]);
}

/**
 * ktput_counters_wake_up() - account a wake-up
 * @to: counters that only the calling CPU writes
 */
static inline void ktput_counters_wake_up(struct ktput_counters *to)
{
	if (IS_ENABLED(CONFIG_KTPUT_UNCOUNTED))
		return;
	WRITE_ONCE(to->wake_ups, to->wake_ups + 1);
}

/**
 * ktput_counters_clock() - clock that measures turns
 *
 * Return: the cycle counter.
 */
static inline u64 ktput_counters_clock(void)
{
	return IS_ENABLED(CONFIG_KTPUT_UNCOUNTED) ? 0 : get_cycles();
}

/**
 * ktput_counters_read() - copy counters that another CPU may be writing
 * @to: the copy
 * @from: counters
 */
static inline void ktput_counters_read(struct ktput_counters *to,
				       const struct ktput_counters *from)
{
	unsigned int i;

	for (i = 0; i < KTPUT_COUNTERS; i++)
		to->each[i] = READ_ONCE(from->each[i]);
}

/**
 * ktput_counters_subtract() - subtract an earlier reading
 * @from: counters
 * @earlier: the same counters, earlier
 */
static inline void ktput_counters_subtract(struct ktput_counters *from,
					   const struct ktput_counters *earlier)
{
	unsigned int i;

	for (i = 0; i < KTPUT_COUNTERS; i++)
		from->each[i] -= earlier->each[i];
}

#endif /* KTPUT_COUNTERS_H */
