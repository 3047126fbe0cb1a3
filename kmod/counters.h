/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the turns of a stream come to: raw 64-bit counters.
 */
#ifndef KTPUT_COUNTERS_H
#define KTPUT_COUNTERS_H

#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/timex.h>
#include <linux/types.h>

#include "compat/softirq.h"

#ifndef CONFIG_64BIT
#error "ktput counts in 64 bits, which this kernel writes in two halves"
#endif

/**
 * struct ktput_counters - what turns came to
 * @bytes: payload bytes that the layer took or gave
 * @messages: whole messages
 * @calls: calls into the layer, those that would have blocked included
 * @would_blocks: calls that found no room or no data
 * @wake_ups: times that a worker was woken, or a stream made ready
 * @call_cycles: cycles (get_cycles()) spent in turns
 * @drops: frames that the layer has dropped, or taken in another's stead
 * @busy: frames that the driver gave back
 * @stopped: times that a queue was stopped, or a device without carrier
 *
 * One CPU writes, any CPU reads: no lock. Every member is a u64 that is
 * written whole.
 */
struct ktput_counters {
	u64 bytes;
	u64 messages;
	u64 calls;
	u64 would_blocks;
	u64 wake_ups;
	u64 call_cycles;
	u64 drops;
	u64 busy;
	u64 stopped;
};

/**
 * struct ktput_tally - what all turns of a stream came to
 * @counters: sums
 * @first_cycles: cycle counter before the first turn that moved payload, 0
 *	before
 * @last_cycles: cycle counter after the latest of them, 0 before
 *
 * The thread that takes the turns alone writes.
 */
struct ktput_tally {
	struct ktput_counters counters;
	u64 first_cycles;
	u64 last_cycles;
};

/**
 * ktput_counters_add() - account a turn
 * @to: counters that the calling CPU alone writes
 * @turn: what the turn came to
 *
 * WRITE_ONCE, because a snapshot may interrupt or read at any time. A module
 * built with CONFIG_KTPUT_UNCOUNTED counts nothing, which shows what counting costs.
 */
static inline void ktput_counters_add(struct ktput_counters *to,
				      const struct ktput_counters *turn)
{
	if (IS_ENABLED(CONFIG_KTPUT_UNCOUNTED))
		return;
	WRITE_ONCE(to->bytes, to->bytes + turn->bytes);
	WRITE_ONCE(to->messages, to->messages + turn->messages);
	WRITE_ONCE(to->calls, to->calls + turn->calls);
	WRITE_ONCE(to->would_blocks, to->would_blocks + turn->would_blocks);
	WRITE_ONCE(to->wake_ups, to->wake_ups + turn->wake_ups);
	WRITE_ONCE(to->call_cycles, to->call_cycles + turn->call_cycles);
	WRITE_ONCE(to->drops, to->drops + turn->drops);
	WRITE_ONCE(to->busy, to->busy + turn->busy);
	WRITE_ONCE(to->stopped, to->stopped + turn->stopped);
}

/**
 * ktput_counters_wake_up() - account a wake-up
 * @to: counters that the calling CPU alone writes
 */
static inline void ktput_counters_wake_up(struct ktput_counters *to)
{
	if (IS_ENABLED(CONFIG_KTPUT_UNCOUNTED))
		return;
	WRITE_ONCE(to->wake_ups, to->wake_ups + 1);
}

/**
 * ktput_counters_clock() - the clock that turns are measured with
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
	to->bytes = READ_ONCE(from->bytes);
	to->messages = READ_ONCE(from->messages);
	to->calls = READ_ONCE(from->calls);
	to->would_blocks = READ_ONCE(from->would_blocks);
	to->wake_ups = READ_ONCE(from->wake_ups);
	to->call_cycles = READ_ONCE(from->call_cycles);
	to->drops = READ_ONCE(from->drops);
	to->busy = READ_ONCE(from->busy);
	to->stopped = READ_ONCE(from->stopped);
}

/**
 * ktput_counters_subtract() - take away what was counted earlier
 * @from: counters
 * @earlier: the same counters, earlier
 */
static inline void ktput_counters_subtract(struct ktput_counters *from,
					   const struct ktput_counters *earlier)
{
	from->bytes -= earlier->bytes;
	from->messages -= earlier->messages;
	from->calls -= earlier->calls;
	from->would_blocks -= earlier->would_blocks;
	from->wake_ups -= earlier->wake_ups;
	from->call_cycles -= earlier->call_cycles;
	from->drops -= earlier->drops;
	from->busy -= earlier->busy;
	from->stopped -= earlier->stopped;
}

#endif /* KTPUT_COUNTERS_H */
