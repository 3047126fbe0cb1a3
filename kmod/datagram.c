// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams: receive statistics of a stream.
 */
#include <linux/compiler.h>
#include <linux/spinlock.h>

#include "datagram.h"

/**
 * ktput_arrivals_init() - begin receive statistics
 * @arrivals: zeroed statistics
 */
void ktput_arrivals_init(struct ktput_arrivals *arrivals)
{
	spin_lock_init(&arrivals->lock);
	ktput_rx_stats_init(&arrivals->stats);
}

/**
 * ktput_arrivals_add() - account a received datagram
 * @arrivals: statistics of its stream; the caller holds the lock
 * @header: its header, with the cookie of the run
 * @length: payload bytes
 * @now: from ktput_datagram_now()
 */
void ktput_arrivals_add(struct ktput_arrivals *arrivals,
			const struct ktput_datagram *header, u32 length,
			u64 now)
{
	lockdep_assert_held(&arrivals->lock);
	ktput_rx_stats_add(&arrivals->stats, be32_to_cpu(header->sequence),
			   now - be64_to_cpu(header->time));
	arrivals->bytes += length;
}

/**
 * ktput_arrivals_read() - copy statistics that another CPU may be writing
 * @to: the copy, whose lock is unusable
 * @from: arrivals
 */
void ktput_arrivals_read(struct ktput_arrivals *to,
			 struct ktput_arrivals *from)
{
	spin_lock_bh(&from->lock);
	/* CPUs that do not hold the lock write to it. */
	*to = data_race(*from);
	spin_unlock_bh(&from->lock);
}
