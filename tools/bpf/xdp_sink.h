/* SPDX-License-Identifier: GPL-2.0 */
/*
 * xdp_sink: what the XDP sink counts of each stream, one value for each CPU that
 * frames arrive on. A CPU writes its own values only, so nothing is locked.
 */
#ifndef KTPUT_BPF_XDP_SINK_H
#define KTPUT_BPF_XDP_SINK_H

#include <linux/types.h>

/**
 * struct xdp_sink_stream - what a CPU has taken of a stream
 * @datagrams: datagrams, duplicates among them
 * @bytes: their payload
 * @behind: arrived on this CPU after the same or a higher sequence number
 * @foreign: datagrams to its port without the run's cookie; they went on
 * @first_ns: CLOCK_MONOTONIC when it took the first, 0 before
 * @last_ns: CLOCK_MONOTONIC when it took the latest, 0 before
 * @next: highest sequence number on this CPU plus one, modulo 2^32; valid with
 *	@datagrams
 * @reserved: 0
 */
struct xdp_sink_stream {
	__u64 datagrams;
	__u64 bytes;
	__u64 behind;
	__u64 foreign;
	__u64 first_ns;
	__u64 last_ns;
	__u32 next;
	__u32 reserved;
};

#endif
