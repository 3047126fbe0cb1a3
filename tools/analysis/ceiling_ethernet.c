// SPDX-License-Identifier: GPL-2.0
/* ceiling_ethernet: what Ethernet permits on the route of a run. */
#include "ceiling_ethernet.h"

/**
 * ceiling_ethernet_compute() - full segments of a stream as frames on its link
 * @route: route of the stream
 * @ip_version: 4 or 6
 * @tcp: TCP state of the stream
 * @ceiling: the result
 * @err: why there is none
 *
 * The payload is that of the live socket: it includes the effect of an MSS set by
 * the peer or the user, and of the options in use. Without a known link rate only
 * the frame is meaningful.
 */
int ceiling_ethernet_compute(const struct route *route,
			     unsigned int ip_version,
			     const struct tcpinfo *tcp,
			     struct ceiling_ethernet *ceiling,
			     struct units_error *err)
{
	/* The MTU of loopback exceeds the IPv4 length field. */
	uint64_t mtu = route->mtu_bytes < WIRE_MTU_MAX ? route->mtu_bytes :
							 WIRE_MTU_MAX;
	struct wire_config config = {
		.transport = WIRE_TCP,
		.ip_version = ip_version,
		.vlan_tags = route->vlan_tags < WIRE_TAGS_MAX ?
			     route->vlan_tags : WIRE_TAGS_MAX,
		.tcp_option_bytes = tcp->timestamps ?
				    WIRE_TCP_TIMESTAMPS_BYTES : 0,
		.mtu_bytes = mtu,
		.rate_bps = route->rate_bps ? route->rate_bps : 1,
	};

	ceiling->timestamps = tcp->timestamps;
	ceiling->known = route->rate_bps && !route->atm;
	if (wire_compute(&config, &ceiling->frame, err))
		return -1;
	if (!tcp->send_mss_bytes ||
	    tcp->send_mss_bytes >= ceiling->frame.payload_bytes)
		return 0;
	config.size_bytes = tcp->send_mss_bytes;
	return wire_compute(&config, &ceiling->frame, err);
}

/**
 * ceiling_ethernet_absent() - why there is no ceiling
 * @route: route without a ceiling
 *
 * Return: the reason in words.
 */
const char *ceiling_ethernet_absent(const struct route *route)
{
	if (route->atm)
		return "the path is ATM";
	switch (route->medium) {
	case ROUTE_LOOPBACK:
		return "the loopback device has no wire";
	case ROUTE_VIRTUAL:
		return "a virtual device has no wire";
	default:
		return "the device does not tell its link speed";
	}
}
