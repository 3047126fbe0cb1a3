/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcp_verdict: what held a TCP stream back, in words.
 *
 * Pure arithmetic on two readings of struct tcp_info of the sending socket. What
 * the kernel counts (enum tcp_chrono, in ticks of the jiffies clock):
 *
 *   busy time    there is something under way, or waiting to be sent
 *   thereof      the next segment does not fit into the window that the
 *                receiver has advertised (receive window limited), or
 *                everything is under way, neither window is full, and the
 *                sender has no room for more (send buffer limited)
 *
 * The rest of the busy time is not told apart: congestion window, pacing, queues
 * below TCP. The congestion window is named where it explains the rate. The
 * kernel notices a full send buffer only when it sends something while a sender
 * waits; so a send buffer of a given size is named too where that explains the
 * rate.
 *
 * A window of W bytes is sent once a round trip: W x 8 / RTT bit/s. A rate of B
 * bit/s on a path with a round trip of RTT seconds takes a window of B x RTT / 8
 * bytes, the bandwidth-delay product: RFC 6349, 3.1 and 3.3.1; RFC 7323, 1.1.
 */
#ifndef KTPUT_TOOLS_TCP_VERDICT_H
#define KTPUT_TOOLS_TCP_VERDICT_H

#include <stdint.h>

#include "../module/tcpinfo.h"

/**
 * enum tcp_verdict_kind - what held it back
 * @TCP_VERDICT_UNKNOWN: busy for too few ticks of the kernel's clock
 * @TCP_VERDICT_RECEIVE_WINDOW: the receiver's window, that is its buffer
 * @TCP_VERDICT_SEND_BUFFER: the sender's buffer
 * @TCP_VERDICT_CONGESTION_WINDOW: the congestion window
 * @TCP_VERDICT_PACE: the rate that was asked for
 * @TCP_VERDICT_CPU: a CPU that was never idle
 * @TCP_VERDICT_APPLICATION: there was nothing to send
 * @TCP_VERDICT_LINK: what all streams share on the way is full
 * @TCP_VERDICT_PATH: none of these: the path, or a queue below TCP
 */
enum tcp_verdict_kind {
	TCP_VERDICT_UNKNOWN,
	TCP_VERDICT_RECEIVE_WINDOW,
	TCP_VERDICT_SEND_BUFFER,
	TCP_VERDICT_CONGESTION_WINDOW,
	TCP_VERDICT_PACE,
	TCP_VERDICT_CPU,
	TCP_VERDICT_APPLICATION,
	TCP_VERDICT_LINK,
	TCP_VERDICT_PATH,
};

/**
 * struct tcp_verdict_facts - what a verdict is made from
 * @from: the earlier reading, all 0 for the begin
 * @to: the later one
 * @span_ns: how long payload was sent between the two
 * @goodput_bps: payload of this stream
 * @send_buffer_bytes: what the send buffer holds, 0 where the kernel tunes it
 * @pace_bps: rate that it must not exceed, 0 for none
 * @wanted_bps: rate that the path could carry, 0 where not known
 * @source_busy: share of the time that its CPU was not idle, NaN where not known
 * @sink_busy: the same of the sink's CPU
 * @link: bus, framing or link, where the run reaches it, else NULL
 * @link_share: how much of it
 */
struct tcp_verdict_facts {
	struct tcpinfo from;
	struct tcpinfo to;
	uint64_t span_ns;
	double goodput_bps;
	double send_buffer_bytes;
	double pace_bps;
	double wanted_bps;
	double source_busy;
	double sink_busy;
	const char *link;
	double link_share;
};

/**
 * struct tcp_verdict - what held it back
 * @kind: what did
 * @waited_share: waiting for it over the busy time, where the kernel has counted
 *	that, and most of the time, else 0; a send buffer is named without that too,
 *	where it explains the rate
 * @busy_share: busy time over the span, 0 to 1
 * @receive_window_share: receive window limited time over the busy time
 * @send_buffer_share: send buffer limited time over the busy time
 * @window_bps: what the receiver's window allows
 * @congestion_window_bps: what the congestion window allows
 * @wanted_window_bytes: what the wanted rate takes, 0 where not known
 * @text: the same as a sentence
 *
 * Shares and rates are NaN where they are not known.
 */
struct tcp_verdict {
	enum tcp_verdict_kind kind;
	double waited_share;
	double busy_share;
	double receive_window_share;
	double send_buffer_share;
	double window_bps;
	double congestion_window_bps;
	double wanted_window_bytes;
	char text[256];
};

const char *tcp_verdict_name(enum tcp_verdict_kind kind);
void tcp_verdict(const struct tcp_verdict_facts *facts,
		 struct tcp_verdict *verdict);

#endif
