// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams: what those of a stream that arrive come to.
 *
 * At any time datagrams - duplicates - late + lost is the highest number that
 * has arrived plus one, modulo 2^32.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "datagram.h"

#define WORD(sequence)	(((sequence) / 64) % KTPUT_WINDOW_WORDS)
#define MASK(sequence)	BIT_ULL((sequence) % 64)

/**
 * ktput_arrivals_alloc() - make room for what will arrive
 *
 * Return: nothing has arrived, to be freed with kfree(); or NULL.
 */
struct ktput_arrivals *ktput_arrivals_alloc(void)
{
	struct ktput_arrivals *arrivals = kzalloc(sizeof(*arrivals),
						  GFP_KERNEL_ACCOUNT);

	if (!arrivals)
		return NULL;
	spin_lock_init(&arrivals->lock);
	arrivals->delay_min = S64_MAX;
	arrivals->delay_max = S64_MIN;
	return arrivals;
}

/* Has the window reach up to a number that was passed over until now. */
static void pass(struct ktput_arrivals *arrivals, u32 sequence)
{
	const u32 latest = arrivals->next - 1;
	u32 words = (sequence / 64 - latest / 64) % (U32_MAX / 64 + 1);

	arrivals->lost += sequence - arrivals->next;
	for (words = min_t(u32, words, KTPUT_WINDOW_WORDS); words; words--)
		arrivals->seen[(sequence / 64 - words + 1) %
			       KTPUT_WINDOW_WORDS] = 0;
}

static void came_behind(struct ktput_arrivals *arrivals, u32 sequence)
{
	const u32 latest = arrivals->next - 1;
	const bool within = latest - sequence <=
			    64 * (KTPUT_WINDOW_WORDS - 1) + latest % 64;
	u64 *word = &arrivals->seen[WORD(sequence)];

	if (within && *word & MASK(sequence)) {
		arrivals->duplicates++;
	} else if (within && arrivals->lost) {
		*word |= MASK(sequence);
		arrivals->reordered++;
		arrivals->lost--;
	} else {
		/* Or before number 0: the source began before the sink. */
		arrivals->late++;
	}
}

/**
 * ktput_arrivals_add() - account a datagram that has arrived
 * @arrivals: of its stream; the caller holds the lock
 * @header: its header, with the cookie of the run
 * @length: payload bytes
 * @now: from ktput_datagram_now()
 */
void ktput_arrivals_add(struct ktput_arrivals *arrivals,
			const struct ktput_datagram *header, u32 length,
			u64 now)
{
	const u32 sequence = be32_to_cpu(header->sequence);
	const s64 transit = now - be64_to_cpu(header->time);

	lockdep_assert_held(&arrivals->lock);
	if (arrivals->datagrams)
		arrivals->jitter += abs(transit - arrivals->transit) -
				    ((arrivals->jitter + 8) >> 4);
	arrivals->transit = transit;
	arrivals->delay_min = min(arrivals->delay_min, transit);
	arrivals->delay_max = max(arrivals->delay_max, transit);
	arrivals->delay_sum += transit;
	arrivals->datagrams++;
	arrivals->bytes += length;

	if ((s32)(sequence - arrivals->next) < 0) {
		came_behind(arrivals, sequence);
		return;
	}
	if (sequence != arrivals->next)
		pass(arrivals, sequence);
	else if (!(sequence % 64))
		arrivals->seen[WORD(sequence)] = 0;
	arrivals->seen[WORD(sequence)] |= MASK(sequence);
	arrivals->next = sequence + 1;
}

/**
 * ktput_arrivals_read() - copy what another CPU may be writing
 * @to: the copy, whose lock is of no use
 * @from: arrivals
 */
void ktput_arrivals_read(struct ktput_arrivals *to,
			 struct ktput_arrivals *from)
{
	spin_lock_bh(&from->lock);
	/* The lock itself is written by others, who do not have it. */
	*to = data_race(*from);
	spin_unlock_bh(&from->lock);
}
