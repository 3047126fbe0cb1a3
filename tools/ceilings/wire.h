/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire: overhead of Ethernet, IP and the transport on a link.
 *
 * Pure arithmetic. Documentation/measure/wire.rst has the formulas and their sources.
 */
#ifndef KTPUT_TOOLS_WIRE_H
#define KTPUT_TOOLS_WIRE_H

#include <stdint.h>

#include "../base/units.h"

/* IEEE 802.3-2022 3.2.1 and 3.2.2: seven octets preamble, one SFD. */
#define WIRE_PREAMBLE_BYTES	8
/* IEEE 802.3-2022 4.4.2, table 4-2: interPacketGap of 96 bit times. */
#define WIRE_GAP_BYTES		12
/* IEEE 802.3-2022 3.2.3: two addresses of 48 bits. */
#define WIRE_ADDRESS_BYTES	12
/* IEEE 802.3-2022 3.2.6: type or length. */
#define WIRE_TYPE_BYTES		2
/* IEEE 802.1Q-2022 9.3: TPID and TCI of one tag. */
#define WIRE_TAG_BYTES		4
/* IEEE 802.3-2022 3.2.9: CRC-32. */
#define WIRE_FCS_BYTES		4
/* IEEE 802.3-2022 4.4.2: minFrameSize of 512 bits, addresses to FCS. */
#define WIRE_FRAME_MIN		64
/* RFC 791 3.1: header without options. */
#define WIRE_IPV4_BYTES		20
/* RFC 8200 3: header without extension headers. */
#define WIRE_IPV6_BYTES		40
/* RFC 791 3.2: every module forwards a datagram of 68 octets. */
#define WIRE_IPV4_MTU_MIN	68
/* RFC 8200 5: every link carries 1280 octets. */
#define WIRE_IPV6_MTU_MIN	1280
/* RFC 791 3.1: total length has 16 bits. */
#define WIRE_MTU_MAX		65535
/* RFC 9293 3.1: header without options. */
#define WIRE_TCP_BYTES		20
/* RFC 9293 3.1: data offset counts 4-octet words, at most 15 of them. */
#define WIRE_TCP_OPTIONS_MAX	40
/* RFC 7323 appendix A: two NOPs and the ten octets of the option. */
#define WIRE_TCP_TIMESTAMPS_BYTES	12
/* RFC 768. */
#define WIRE_UDP_BYTES		8
/* RFC 8200 4.5: fragment header. */
#define WIRE_IPV6_FRAGMENT_BYTES	8
/* RFC 791 3.1: fragments begin at multiples of eight octets. */
#define WIRE_FRAGMENT_STEP	8
/* Outer and inner tag, IEEE 802.1Q-2022 9.5. */
#define WIRE_TAGS_MAX		2

/**
 * enum wire_transport - what a frame carries
 * @WIRE_TCP: a TCP segment
 * @WIRE_UDP: a UDP datagram
 * @WIRE_FRAME: a UDP datagram, in a frame whose size is given
 */
enum wire_transport {
	WIRE_TCP,
	WIRE_UDP,
	WIRE_FRAME,
};

/**
 * struct wire_config - one kind of frame on one link
 * @transport: what the frame carries
 * @ip_version: 4 or 6
 * @vlan_tags: tags in the frame, 0 to WIRE_TAGS_MAX
 * @tcp_option_bytes: options of each TCP segment, a multiple of 4
 * @mtu_bytes: largest IP packet; not read for WIRE_FRAME
 * @size_bytes: WIRE_FRAME: frame from addresses to FCS; else payload of each
 *	packet, 0 for the maximum that the MTU permits
 * @rate_bps: link rate at layer 1, bit/s
 */
struct wire_config {
	enum wire_transport transport;
	unsigned int ip_version;
	unsigned int vlan_tags;
	uint64_t tcp_option_bytes;
	uint64_t mtu_bytes;
	uint64_t size_bytes;
	uint64_t rate_bps;
};

/**
 * struct wire_frame - one frame byte by byte, and the rates of a full link
 * @payload_bytes: payload of the application
 * @transport_bytes: TCP or UDP header with its options
 * @ip_bytes: IP header
 * @pad_bytes: padding to the minimum frame size
 * @tag_bytes: VLAN tags
 * @mac_overhead_bytes: all of layer 1 and 2 except the padding
 * @frame_bytes: addresses to FCS
 * @wire_bytes: frame, preamble and gap: the frame's share of the link
 * @frames_per_s: whole frames per second
 * @l1_bps: bit rate of wire bytes, the link rate
 * @l2_bps: bit rate of frame bytes
 * @l3_bps: bit rate of IP packets
 * @l4_bps: bit rate of TCP segments or UDP datagrams
 * @goodput_bps: bit rate of payload
 * @efficiency: goodput over the link rate, 0 to 1
 */
struct wire_frame {
	uint64_t payload_bytes;
	uint64_t transport_bytes;
	uint64_t ip_bytes;
	uint64_t pad_bytes;
	uint64_t tag_bytes;
	uint64_t mac_overhead_bytes;
	uint64_t frame_bytes;
	uint64_t wire_bytes;
	uint64_t frames_per_s;
	double l1_bps;
	double l2_bps;
	double l3_bps;
	double l4_bps;
	double goodput_bps;
	double efficiency;
};

/**
 * struct wire_datagrams - UDP datagrams of one size, or of several that need
 * neither fragments nor padding
 * @ip_version: 4 or 6
 * @vlan_tags: tags in each frame
 * @mtu_bytes: largest IP packet
 * @count: number of datagrams
 * @payload_bytes: total payload
 */
struct wire_datagrams {
	unsigned int ip_version;
	unsigned int vlan_tags;
	uint64_t mtu_bytes;
	uint64_t count;
	uint64_t payload_bytes;
};

/**
 * struct wire_fragments - IP packets that carry one datagram
 * @count: number of packets; all but the last are full
 * @full_bytes: length of a full one, 0 if there is only one
 * @last_bytes: length of the last one
 */
struct wire_fragments {
	uint64_t count;
	uint64_t full_bytes;
	uint64_t last_bytes;
};

/**
 * struct wire_load - load of datagrams on a link
 * @frames: number of frames, counting each fragment
 * @frame_bytes: addresses to FCS, layer 2
 * @wire_bytes: frames, preambles and gaps, layer 1
 */
struct wire_load {
	uint64_t frames;
	uint64_t frame_bytes;
	uint64_t wire_bytes;
};

int wire_compute(const struct wire_config *config, struct wire_frame *frame,
		 struct units_error *err);
void wire_fragment(const struct wire_datagrams *datagrams, uint64_t length,
		   struct wire_fragments *fragments);
void wire_load(const struct wire_datagrams *datagrams, struct wire_load *load);

#endif
