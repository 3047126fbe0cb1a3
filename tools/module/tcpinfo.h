/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcpinfo: TCP state of a connection.
 *
 * A structure of its own, since the headers of the kernel and of the C library that
 * declare struct tcp_info conflict.
 */
#ifndef KTPUT_TOOLS_TCPINFO_H
#define KTPUT_TOOLS_TCPINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers of a connection: row(type, member, member of the kernel's struct tcp_info
 * after tcpi_, key in records).
 *
 * @send_mss_bytes: payload of a full segment
 * @path_mtu_bytes: MTU of the path
 * @congestion_window: in segments
 * @slow_start_threshold: in segments
 * @rtt_us: smoothed round-trip time
 * @rtt_deviation_us: its mean deviation
 * @rtt_min_us: minimum round-trip time of the last minutes
 * @retransmissions: retransmitted segments
 * @bytes_acked: acknowledged by the peer, including SYN and FIN
 * @bytes_received: received in order, including FIN
 * @bytes_sent: payload sent, including retransmissions
 * @bytes_retransmitted: part of @bytes_sent that was retransmitted
 * @segments_out: segments sent, including those without payload
 * @segments_in: segments received
 * @delivery_rate: bytes per second, as TCP estimates it
 * @busy_us: time with data in flight, or waiting to be sent
 * @receive_window_limited_us: part of it waiting for the peer's window
 * @send_buffer_limited_us: part of it with all data in flight and no room for more
 * @send_window_bytes: latest window advertised by the peer
 * @in_flight: segments in flight
 * @delivered: segments acknowledged
 * @delivered_ce: segments acknowledged as marked by a queue that is congested (ECN)
 * @duplicates: segments that the peer has received twice, as it reports (DSACK): they
 *	were sent again in vain
 * @reorderings: times that segments were found to have overtaken others
 * @state: state of the connection, enum tcpinfo_state
 */
#define TCPINFO_EACH(row) \
	row(uint32_t, send_mss_bytes, snd_mss, "send_mss_bytes") \
	row(uint32_t, path_mtu_bytes, pmtu, "path_mtu_bytes") \
	row(uint32_t, congestion_window, snd_cwnd, "congestion_window_segments") \
	row(uint32_t, slow_start_threshold, snd_ssthresh, \
	    "slow_start_threshold_segments") \
	row(uint32_t, rtt_us, rtt, "rtt_us") \
	row(uint32_t, rtt_deviation_us, rttvar, "rtt_deviation_us") \
	row(uint32_t, rtt_min_us, min_rtt, "rtt_min_us") \
	row(uint32_t, retransmissions, total_retrans, "retransmissions") \
	row(uint64_t, bytes_acked, bytes_acked, "bytes_acked") \
	row(uint64_t, bytes_received, bytes_received, "bytes_received") \
	row(uint64_t, bytes_sent, bytes_sent, "bytes_sent") \
	row(uint64_t, bytes_retransmitted, bytes_retrans, "bytes_retransmitted") \
	row(uint32_t, segments_out, segs_out, "segments_out") \
	row(uint32_t, segments_in, segs_in, "segments_in") \
	row(uint64_t, delivery_rate, delivery_rate, "delivery_bytes_per_s") \
	row(uint64_t, busy_us, busy_time, "busy_us") \
	row(uint64_t, receive_window_limited_us, rwnd_limited, \
	    "receive_window_limited_us") \
	row(uint64_t, send_buffer_limited_us, sndbuf_limited, \
	    "send_buffer_limited_us") \
	row(uint32_t, send_window_bytes, snd_wnd, "send_window_bytes") \
	row(uint32_t, in_flight, unacked, "in_flight_segments") \
	row(uint32_t, delivered, delivered, "delivered_segments") \
	row(uint32_t, delivered_ce, delivered_ce, "delivered_ce_segments") \
	row(uint32_t, duplicates, dsack_dups, "duplicate_segments") \
	row(uint32_t, reorderings, reord_seen, "reorderings") \
	row(uint32_t, state, state, "state")

/* States of a connection, as in the kernel's net/tcp_states.h; 0 if unknown. */
enum tcpinfo_state {
	TCPINFO_ESTABLISHED = 1,
	TCPINFO_FIN_WAIT1 = 4,
	TCPINFO_CLOSE_WAIT = 8,
	TCPINFO_LAST_ACK = 9,
	TCPINFO_CLOSING = 11,
};

#define TCPINFO_MEMBER(type, member, from, key)	type member;

/*
 * The members of the kernel's struct tcp_info that are used: those above, and
 * whether segments carry timestamps (RFC 7323), and whether the latest delivery_rate
 * was measured while there was not enough to send.
 */
struct tcpinfo {
	TCPINFO_EACH(TCPINFO_MEMBER)
	bool timestamps;
	bool application_limited;
};

void tcpinfo_parse(struct tcpinfo *to, const void *raw, size_t size);

#endif
