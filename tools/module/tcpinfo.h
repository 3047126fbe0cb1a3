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

/**
 * struct tcpinfo - the fields of the kernel's struct tcp_info that are used
 * @timestamps: segments carry timestamps (RFC 7323)
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
 * @application_limited: the latest @delivery_rate was measured while there was
 *	not enough to send
 */
struct tcpinfo {
	bool timestamps;
	uint32_t send_mss_bytes;
	uint32_t path_mtu_bytes;
	uint32_t congestion_window;
	uint32_t slow_start_threshold;
	uint32_t rtt_us;
	uint32_t rtt_deviation_us;
	uint32_t rtt_min_us;
	uint32_t retransmissions;
	uint64_t bytes_acked;
	uint64_t bytes_received;
	uint64_t bytes_sent;
	uint64_t bytes_retransmitted;
	uint32_t segments_out;
	uint32_t segments_in;
	uint64_t delivery_rate;
	uint64_t busy_us;
	uint64_t receive_window_limited_us;
	uint64_t send_buffer_limited_us;
	uint32_t send_window_bytes;
	uint32_t in_flight;
	bool application_limited;
};

void tcpinfo_parse(struct tcpinfo *to, const void *raw, size_t size);

#endif
