/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Receive statistics of a stream of datagrams, by their sequence numbers and time
 * stamps: loss, order, delay and jitter. The module and the engine in user space
 * share this code; it has no locks.
 *
 * At any time received - duplicates - late + lost is the highest sequence number
 * that has arrived plus one, modulo 2^32.
 */
#ifndef _UAPI_LINUX_KTPUT_RX_STATS_H
#define _UAPI_LINUX_KTPUT_RX_STATS_H

#include <linux/types.h>

/* Words of the window of sequence numbers; a power of two. */
#define KTPUT_WINDOW_WORDS	16

/**
 * struct ktput_rx_stats - receive statistics of a stream of datagrams
 * @next: sequence number after the highest that has arrived
 * @transit: nanoseconds from sender to receiver of the latest, by both clocks
 * @jitter: mean deviation of @transit, RFC 3550 6.4.1, in 1/16 ns
 * @received: datagrams, duplicates and late ones among them
 * @lost: sequence numbers that were passed over and have not arrived since
 * @reordered: arrived after a higher sequence number, and are not lost
 * @duplicates: arrived again
 * @late: arrived behind the window, for the first time or again
 * @foreign: datagrams that are not of the run, dropped
 * @delay_min: smallest @transit; S64_MAX before the first datagram
 * @delay_max: largest @transit; S64_MIN before the first datagram
 * @delay_sum: sum of @transit, modulo 2^64
 * @seen: bit n is set where the number has arrived, for those of the latest
 *	KTPUT_WINDOW_WORDS times 64, by their last bits
 */
struct ktput_rx_stats {
	__u32 next;
	__s64 transit;
	__u64 jitter;
	__u64 received;
	__u64 lost;
	__u64 reordered;
	__u64 duplicates;
	__u64 late;
	__u64 foreign;
	__s64 delay_min;
	__s64 delay_max;
	__u64 delay_sum;
	__u64 seen[KTPUT_WINDOW_WORDS];
};

/**
 * ktput_rx_stats_init() - nothing has arrived
 * @stats: zeroed
 */
static inline void ktput_rx_stats_init(struct ktput_rx_stats *stats)
{
	stats->delay_min = (__s64)(~0ULL >> 1);
	stats->delay_max = -stats->delay_min - 1;
}

static inline __u64 *ktput_rx_stats_word(struct ktput_rx_stats *stats,
					 __u32 sequence)
{
	return &stats->seen[sequence / 64 % KTPUT_WINDOW_WORDS];
}

/* Moves the window up to a number; those between are lost until they arrive. */
static inline void ktput_rx_stats_skip(struct ktput_rx_stats *stats,
				       __u32 sequence)
{
	const __u32 latest = stats->next - 1;
	/* Modulo the words that all numbers have. */
	__u32 words = (sequence / 64 - latest / 64) % (~0U / 64 + 1);

	stats->lost += sequence - stats->next;
	if (words > KTPUT_WINDOW_WORDS)
		words = KTPUT_WINDOW_WORDS;
	for (; words; words--)
		*ktput_rx_stats_word(stats, sequence - 64 * (words - 1)) = 0;
}

/* A number below the highest that has arrived. */
static inline void ktput_rx_stats_add_behind(struct ktput_rx_stats *stats,
					     __u32 sequence)
{
	const __u32 latest = stats->next - 1;
	const int within = latest - sequence <=
			   64 * (KTPUT_WINDOW_WORDS - 1) + latest % 64;
	__u64 *word = ktput_rx_stats_word(stats, sequence);
	const __u64 mask = 1ULL << sequence % 64;

	if (within && *word & mask) {
		stats->duplicates++;
	} else if (within && stats->lost) {
		*word |= mask;
		stats->reordered++;
		stats->lost--;
	} else {
		/* Or before number 0: the source began before the sink. */
		stats->late++;
	}
}

/**
 * ktput_rx_stats_add() - account a datagram that has arrived
 * @stats: of its stream
 * @sequence: its number
 * @transit: nanoseconds from sender to receiver, by both clocks
 */
static inline void ktput_rx_stats_add(struct ktput_rx_stats *stats,
				      __u32 sequence, __s64 transit)
{
	const __s64 deviation = transit - stats->transit;

	if (stats->received)
		stats->jitter += (deviation < 0 ? -deviation : deviation) -
				 ((stats->jitter + 8) >> 4);
	stats->transit = transit;
	if (transit < stats->delay_min)
		stats->delay_min = transit;
	if (transit > stats->delay_max)
		stats->delay_max = transit;
	stats->delay_sum += transit;
	stats->received++;

	if ((__s32)(sequence - stats->next) < 0) {
		ktput_rx_stats_add_behind(stats, sequence);
		return;
	}
	if (sequence != stats->next)
		ktput_rx_stats_skip(stats, sequence);
	else if (!(sequence % 64))
		*ktput_rx_stats_word(stats, sequence) = 0;
	*ktput_rx_stats_word(stats, sequence) |= 1ULL << sequence % 64;
	stats->next = sequence + 1;
}

#endif /* _UAPI_LINUX_KTPUT_RX_STATS_H */
