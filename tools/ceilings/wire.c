// SPDX-License-Identifier: GPL-2.0
/* wire: overhead of Ethernet, IP and the transport on a link. */
#include <inttypes.h>
#include <stdbool.h>

#include "wire.h"

#define MAC_HEADER_BYTES	(WIRE_ADDRESS_BYTES + WIRE_TYPE_BYTES)
#define LAYER1_BYTES		(WIRE_PREAMBLE_BYTES + WIRE_GAP_BYTES)

static int check_config(const struct wire_config *config,
			struct units_error *err)
{
	if (config->ip_version != 4 && config->ip_version != 6)
		return units_refuse(err, "IP version %u is neither 4 nor 6",
				    config->ip_version);
	if (config->vlan_tags > WIRE_TAGS_MAX)
		return units_refuse(err, "%u VLAN tags are above the limit, %d",
				    config->vlan_tags, WIRE_TAGS_MAX);
	if (config->tcp_option_bytes > WIRE_TCP_OPTIONS_MAX ||
	    config->tcp_option_bytes % 4)
		return units_refuse(err, "%" PRIu64
				    " bytes of TCP options are not a multiple of 4 up to %d",
				    config->tcp_option_bytes,
				    WIRE_TCP_OPTIONS_MAX);
	if (!config->rate_bps)
		return units_refuse(err, "a link rate of 0 carries nothing");
	return 0;
}

static int fit_frame(const struct wire_config *config, uint64_t headers,
		     struct wire_frame *frame, struct units_error *err)
{
	uint64_t mac = MAC_HEADER_BYTES + frame->tag_bytes + WIRE_FCS_BYTES;
	uint64_t size = config->size_bytes;

	if (size < WIRE_FRAME_MIN || size < mac + headers)
		return units_refuse(err, "a frame of %" PRIu64
				    " bytes is below the least, %" PRIu64
				    " with FCS", size, mac + headers >
				    WIRE_FRAME_MIN ? mac + headers :
				    WIRE_FRAME_MIN);
	if (size > mac + WIRE_MTU_MAX)
		return units_refuse(err, "a frame of %" PRIu64
				    " bytes is above the limit, %" PRIu64, size,
				    mac + WIRE_MTU_MAX);
	frame->payload_bytes = size - mac - headers;
	return 0;
}

static int fit_packet(const struct wire_config *config, uint64_t headers,
		      struct wire_frame *frame, struct units_error *err)
{
	uint64_t least = config->ip_version == 6 ? WIRE_IPV6_MTU_MIN :
						   WIRE_IPV4_MTU_MIN;

	if (config->mtu_bytes < least || config->mtu_bytes > WIRE_MTU_MAX)
		return units_refuse(err, "MTU %" PRIu64 " is outside %" PRIu64
				    " to %d for IPv%u", config->mtu_bytes,
				    least, WIRE_MTU_MAX, config->ip_version);
	if (config->mtu_bytes <= headers)
		return units_refuse(err, "MTU %" PRIu64
				    " leaves no payload after %" PRIu64
				    " bytes of headers", config->mtu_bytes,
				    headers);
	frame->payload_bytes = config->mtu_bytes - headers;
	if (config->size_bytes > frame->payload_bytes)
		return units_refuse(err, "a payload of %" PRIu64
				    " bytes is above the %" PRIu64 " that MTU %"
				    PRIu64 " leaves", config->size_bytes,
				    frame->payload_bytes, config->mtu_bytes);
	if (config->size_bytes)
		frame->payload_bytes = config->size_bytes;
	return 0;
}

/**
 * wire_compute() - one frame and the rates of a link full of it
 * @config: the frame and the link
 * @frame: the result, written on success only
 * @err: why there is none
 */
int wire_compute(const struct wire_config *config, struct wire_frame *frame,
		 struct units_error *err)
{
	struct wire_frame out = { 0 };
	uint64_t headers, bare;
	double per_byte;
	int ret;

	if (check_config(config, err))
		return -1;
	out.ip_bytes = config->ip_version == 6 ? WIRE_IPV6_BYTES :
						 WIRE_IPV4_BYTES;
	if (config->transport == WIRE_TCP)
		out.transport_bytes = WIRE_TCP_BYTES + config->tcp_option_bytes;
	else
		out.transport_bytes = WIRE_UDP_BYTES;
	out.tag_bytes = config->vlan_tags * WIRE_TAG_BYTES;
	headers = out.ip_bytes + out.transport_bytes;
	if (config->transport == WIRE_FRAME)
		ret = fit_frame(config, headers, &out, err);
	else
		ret = fit_packet(config, headers, &out, err);
	if (ret)
		return -1;

	bare = MAC_HEADER_BYTES + out.tag_bytes + headers + out.payload_bytes +
	       WIRE_FCS_BYTES;
	out.pad_bytes = bare < WIRE_FRAME_MIN ? WIRE_FRAME_MIN - bare : 0;
	out.frame_bytes = bare + out.pad_bytes;
	out.wire_bytes = out.frame_bytes + LAYER1_BYTES;
	out.mac_overhead_bytes = LAYER1_BYTES + MAC_HEADER_BYTES +
				 out.tag_bytes + WIRE_FCS_BYTES;

	out.frames_per_s = config->rate_bps / (out.wire_bytes * 8);
	per_byte = (double)config->rate_bps / out.wire_bytes;
	out.l1_bps = config->rate_bps;
	out.l2_bps = per_byte * out.frame_bytes;
	out.l3_bps = per_byte * (headers + out.payload_bytes);
	out.l4_bps = per_byte * (out.transport_bytes + out.payload_bytes);
	out.goodput_bps = per_byte * out.payload_bytes;
	out.efficiency = (double)out.payload_bytes / out.wire_bytes;
	*frame = out;
	return 0;
}

/**
 * wire_fragment() - split a datagram into IP packets
 * @datagrams: IP version and MTU
 * @length: UDP datagram with its header
 * @fragments: the result
 */
void wire_fragment(const struct wire_datagrams *datagrams, uint64_t length,
		   struct wire_fragments *fragments)
{
	bool ipv6 = datagrams->ip_version == 6;
	uint64_t ip = ipv6 ? WIRE_IPV6_BYTES : WIRE_IPV4_BYTES;
	uint64_t room;

	*fragments = (struct wire_fragments) {
		.count = 1, .last_bytes = ip + length,
	};
	if (ip + length <= datagrams->mtu_bytes)
		return;
	if (ipv6)
		ip += WIRE_IPV6_FRAGMENT_BYTES;
	if (datagrams->mtu_bytes < ip + WIRE_FRAGMENT_STEP)
		room = WIRE_FRAGMENT_STEP;
	else
		room = (datagrams->mtu_bytes - ip) / WIRE_FRAGMENT_STEP *
		       WIRE_FRAGMENT_STEP;
	fragments->count = (length + room - 1) / room;
	fragments->full_bytes = ip + room;
	fragments->last_bytes = ip + length - (fragments->count - 1) * room;
}

static uint64_t padded(uint64_t frame_bytes)
{
	return frame_bytes < WIRE_FRAME_MIN ? WIRE_FRAME_MIN : frame_bytes;
}

/* Layer 2 bytes of one datagram, in one frame or in fragments. */
static uint64_t datagram_frames(const struct wire_datagrams *datagrams,
				uint64_t length, uint64_t *bytes)
{
	uint64_t mac = MAC_HEADER_BYTES + WIRE_FCS_BYTES +
		       datagrams->vlan_tags * WIRE_TAG_BYTES;
	struct wire_fragments fragments;

	wire_fragment(datagrams, length, &fragments);
	*bytes = (fragments.count - 1) * padded(mac + fragments.full_bytes) +
		 padded(mac + fragments.last_bytes);
	return fragments.count;
}

/**
 * wire_load() - load of datagrams on a link
 * @datagrams: the datagrams
 * @load: the result
 */
void wire_load(const struct wire_datagrams *datagrams, struct wire_load *load)
{
	uint64_t mean, rest, bytes;

	*load = (struct wire_load) { 0 };
	if (!datagrams->count)
		return;
	mean = datagrams->payload_bytes / datagrams->count;
	/* For mixed sizes, add the bytes above the mean. */
	rest = datagrams->payload_bytes - mean * datagrams->count;
	load->frames = datagrams->count *
		       datagram_frames(datagrams, WIRE_UDP_BYTES + mean,
				       &bytes);
	load->frame_bytes = datagrams->count * bytes + rest;
	load->wire_bytes = load->frame_bytes + load->frames * LAYER1_BYTES;
}
