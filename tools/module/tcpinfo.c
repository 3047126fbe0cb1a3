// SPDX-License-Identifier: GPL-2.0
/* tcpinfo: TCP state of a connection. */
#include <linux/tcp.h>
#include <string.h>

#include "tcpinfo.h"

/**
 * tcpinfo_parse() - parse the kernel's struct tcp_info
 * @to: filled in; 0 for fields that the running kernel lacks
 * @raw: the structure
 * @size: its size, which differs between kernels
 */
void tcpinfo_parse(struct tcpinfo *to, const void *raw, size_t size)
{
	struct tcp_info info = { 0 };

	memcpy(&info, raw, size < sizeof(info) ? size : sizeof(info));
	*to = (struct tcpinfo) {
		.timestamps = info.tcpi_options & TCPI_OPT_TIMESTAMPS,
		.send_mss_bytes = info.tcpi_snd_mss,
		.path_mtu_bytes = info.tcpi_pmtu,
		.congestion_window = info.tcpi_snd_cwnd,
		.slow_start_threshold = info.tcpi_snd_ssthresh,
		.rtt_us = info.tcpi_rtt,
		.rtt_deviation_us = info.tcpi_rttvar,
		.rtt_min_us = info.tcpi_min_rtt,
		.retransmissions = info.tcpi_total_retrans,
		.bytes_acked = info.tcpi_bytes_acked,
		.bytes_received = info.tcpi_bytes_received,
		.bytes_sent = info.tcpi_bytes_sent,
		.bytes_retransmitted = info.tcpi_bytes_retrans,
		.segments_out = info.tcpi_segs_out,
		.segments_in = info.tcpi_segs_in,
		.delivery_rate = info.tcpi_delivery_rate,
		.busy_us = info.tcpi_busy_time,
		.receive_window_limited_us = info.tcpi_rwnd_limited,
		.send_buffer_limited_us = info.tcpi_sndbuf_limited,
		.send_window_bytes = info.tcpi_snd_wnd,
		.in_flight = info.tcpi_unacked,
		.application_limited = info.tcpi_delivery_rate_app_limited,
	};
}
