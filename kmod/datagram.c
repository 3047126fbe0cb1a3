// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams: receive statistics of a stream.
 */
#include <linux/compiler.h>
#include <linux/slab.h>

#include "datagram.h"

/**
 * ktput_arrivals_alloc() - allocate receive statistics
 *
 * Return: empty statistics, to be freed with kfree(); or NULL.
 */
struct ktput_arrivals *ktput_arrivals_alloc(void)
{
	struct ktput_arrivals *arrivals = kzalloc(sizeof(*arrivals),
						  GFP_KERNEL_ACCOUNT);

	if (!arrivals)
		return NULL;
	spin_lock_init(&arrivals->lock);
	ktput_rx_stats_init(&arrivals->stats);
	return arrivals;
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
