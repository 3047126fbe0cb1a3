/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcp_verdict: what limited a TCP stream, in words.
 *
 * Pure arithmetic on two readings of struct tcp_info of the sending socket. The
 * kernel counts (enum tcp_chrono, in jiffies):
 *
 *   busy time    data is in flight, or waiting to be sent
 *   thereof      the next segment does not fit into the window that the
 *                receiver has advertised (receive window limited), or
 *                all data is in flight, neither window is full, and the
 *                sender has no room for more (send buffer limited)
 *
 * The kernel does not divide the rest of the busy time: congestion window, pacing,
 * queues below TCP. The congestion window is reported if it explains the rate. The
 * kernel notices a full send buffer only when it sends something while a sender
 * waits. So a send buffer of fixed size is also reported if it explains the rate.
 *
 * A window of W bytes is sent once per round trip: W x 8 / RTT bit/s. A rate of B
 * bit/s on a path with a round-trip time of RTT seconds needs a window of
 * B x RTT / 8 bytes, the bandwidth-delay product: RFC 6349, 3.1 and 3.3.1;
 * RFC 7323, 1.1.
 */
#ifndef KTPUT_TOOLS_TCP_VERDICT_H
#define KTPUT_TOOLS_TCP_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "../module/tcpinfo.h"

/**
 * enum tcp_verdict_kind - what limited the stream
 * @TCP_VERDICT_UNKNOWN: busy for too few ticks of the kernel's clock
 * @TCP_VERDICT_RECEIVE_WINDOW: the receiver's window, that is its buffer
 * @TCP_VERDICT_SEND_BUFFER: the sender's buffer
 * @TCP_VERDICT_CONGESTION_WINDOW: the congestion window
 * @TCP_VERDICT_PACE: the requested rate
 * @TCP_VERDICT_CPU: a CPU that was never idle
 * @TCP_VERDICT_APPLICATION: there was nothing to send
 * @TCP_VERDICT_LINK: a resource shared by all streams is full
 * @TCP_VERDICT_OTHER_WORK: others filled a CPU of the run
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
	TCP_VERDICT_OTHER_WORK,
	TCP_VERDICT_PATH,
};

/**
 * struct tcp_verdict_facts - input of a verdict
 * @from: earlier reading, all 0 for the begin
 * @to: later reading
 * @span_ns: time in which payload was sent between the two
 * @goodput_bps: payload of this stream
 * @send_buffer_bytes: size of the send buffer, 0 if the kernel tunes it
 * @pace_bps: maximum rate of the stream, 0 for none
 * @wanted_bps: rate that the path could carry, 0 if unknown
 * @source_busy: share of the time that its CPU was not idle, NaN if unknown
 * @sink_busy: the same for the sink's CPU
 * @crowded: others filled a CPU of the run, so that it was late for all streams
 * @link: bus, framing or link, if the run reaches it, else NULL
 * @link_share: share of it that the run reaches
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
	bool crowded;
	const char *link;
	double link_share;
};

/**
 * struct tcp_verdict - what limited the stream
 * @kind: the limit
 * @busy_share: busy time over the span, 0 to 1
 * @receive_window_share: receive window limited time over the busy time
 * @send_buffer_share: send buffer limited time over the busy time
 * @window_bps: rate that the receiver's window permits
 * @congestion_window_bps: rate that the congestion window permits
 * @wanted_window_bytes: window that the wanted rate needs, 0 if unknown
 * @text: the same as a sentence
 *
 * Unknown shares and rates are NaN.
 */
struct tcp_verdict {
	enum tcp_verdict_kind kind;
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
