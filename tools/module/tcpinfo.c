// SPDX-License-Identifier: GPL-2.0
/* tcpinfo: TCP state of a connection. */
#include <linux/tcp.h>
#include <string.h>

#include "tcpinfo.h"

#define TAKE(type, member, from, key)	.member = info.tcpi_##from,

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
		TCPINFO_EACH(TAKE)
		.timestamps = info.tcpi_options & TCPI_OPT_TIMESTAMPS,
		.application_limited = info.tcpi_delivery_rate_app_limited,
	};
}
