/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: their headers, from Ethernet to ktput's own, built once and kept.
 */
#ifndef KTPUT_FRAME_H
#define KTPUT_FRAME_H

#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/in6.h>
#include <linux/ipv6.h>
#include <linux/ktput_datagram.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/udp.h>
#include <net/checksum.h>

struct ktput_config;
struct net_device;

/* Room for all headers: two tags, IPv6. */
#define KTPUT_FRAME_HEADERS						\
	(ETH_HLEN + 2 * VLAN_HLEN + sizeof(struct ipv6hdr) +		\
	 sizeof(struct udphdr) + sizeof(struct ktput_datagram))

/**
 * enum ktput_frame_counter - ranges that a source iterates over, the fastest first
 * @KTPUT_FRAME_LOCAL_PORT: source port
 * @KTPUT_FRAME_REMOTE_PORT: destination port
 * @KTPUT_FRAME_LOCAL_ADDRESS: source address
 * @KTPUT_FRAME_REMOTE_ADDRESS: destination address
 * @KTPUT_FRAME_COUNTERS: number of them
 */
enum ktput_frame_counter {
	KTPUT_FRAME_LOCAL_PORT,
	KTPUT_FRAME_REMOTE_PORT,
	KTPUT_FRAME_LOCAL_ADDRESS,
	KTPUT_FRAME_REMOTE_ADDRESS,
	KTPUT_FRAME_COUNTERS
};

/**
 * struct ktput_frame_range - ports or addresses that a source iterates over
 * @first: the first, in host order; of an address, its last 32 bits
 * @count: how many
 * @at: index of the current one, from 0
 */
struct ktput_frame_range {
	u32 first;
	u32 count;
	u32 at;
};

/**
 * struct ktput_frame - the next frame of a stream
 * @headers: its headers; sequence, time and checksum are filled in last
 * @length: bytes of @headers in use
 * @network: offset of the IP header in @headers
 * @transport: offset of the UDP header in @headers
 * @protocol: EtherType of the frame, network order
 * @ipv6: it is IPv6
 * @offload: the device completes the UDP checksum
 * @fixed: neither size nor addresses nor ports change
 * @random_flows: addresses and ports are drawn, not counted
 * @size: bytes of the frame without FCS
 * @size_min: smallest @size, if sizes vary one by one
 * @size_max: largest @size, likewise
 * @sizes: sizes of a mix in the order in which they are sent, or NULL
 * @size_count: number of @sizes
 * @size_at: index of the current one
 * @sum: checksum of everything it covers except sequence and time; with
 *	@offload, of the pseudo header
 * @ranges: ports and addresses
 * @random: what the next draw follows from
 * @sequences: next sequence for each remote port
 *
 * Only the stream's worker uses it.
 */
struct ktput_frame {
	u8 headers[ALIGN(KTPUT_FRAME_HEADERS, 8)] __aligned(8);
	u32 length;
	u16 network;
	u16 transport;
	__be16 protocol;
	bool ipv6;
	bool offload;
	bool fixed;
	bool random_flows;
	u32 size;
	u32 size_min;
	u32 size_max;
	u16 *sizes;
	u32 size_count;
	u32 size_at;
	__wsum sum;
	struct ktput_frame_range ranges[KTPUT_FRAME_COUNTERS];
	u32 random;
	u32 *sequences;
};

int ktput_frame_create(struct ktput_frame *frame,
		       const struct ktput_config *config);
void ktput_frame_begin(struct ktput_frame *frame,
		       const struct ktput_config *config,
		       const struct net_device *dev, u32 slot);
void ktput_frame_destroy(struct ktput_frame *frame);
void ktput_frame_describe(const struct ktput_frame *frame, struct sk_buff *skb);
void ktput_frame_advance(struct ktput_frame *frame);

/**
 * ktput_frame_datagram() - find ktput's header in the headers of a frame
 * @frame: frame
 *
 * Return: the header behind that of UDP.
 */
static inline struct ktput_datagram *
ktput_frame_datagram(struct ktput_frame *frame)
{
	return (struct ktput_datagram *)(frame->headers + frame->transport +
					 sizeof(struct udphdr));
}

/**
 * ktput_frame_sum() - compute the checksum of a frame, and clear its payload
 * @frame: frame, complete but for this
 * @data: buffer that the headers are copied to, with all their room
 */
static __always_inline
void ktput_frame_sum(struct ktput_frame *frame, u8 *data)
{
	struct udphdr *udp = (struct udphdr *)(frame->headers + frame->transport);
	const struct ktput_datagram *datagram = ktput_frame_datagram(frame);
	const __be32 *halves = (const __be32 *)&datagram->time;
	const u32 room = sizeof(frame->headers);
	__wsum sum = frame->sum;

	sum = csum_add(sum, (__force __wsum)datagram->sequence);
	sum = csum_add(sum, (__force __wsum)halves[0]);
	sum = csum_add(sum, (__force __wsum)halves[1]);
	/* All zero would mean that there is no checksum. */
	udp->check = csum_fold(sum) ?: CSUM_MANGLED_0;
	if (frame->size > room)
		memset(data + room, 0, frame->size - room);
}

/**
 * ktput_frame_write() - write the frame into a buffer, and go on to the next one
 * @frame: frame
 * @data: buffer with room for the frame, and for &ktput_frame.headers
 * @time: CLOCK_REALTIME in nanoseconds for its header
 *
 * Inline, and the headers are copied with all the room that they may have, of which
 * the rest is zero, as payload is: it is done for each frame.
 *
 * Return: bytes of the frame.
 */
static __always_inline
u32 ktput_frame_write(struct ktput_frame *frame, u8 *data, u64 time)
{
	const u32 port = frame->ranges[KTPUT_FRAME_REMOTE_PORT].at;
	struct ktput_datagram *datagram = ktput_frame_datagram(frame);
	const u32 size = frame->size;

	datagram->sequence = htonl(frame->sequences[port]++);
	datagram->time = cpu_to_be64(time);
	if (!frame->offload)
		ktput_frame_sum(frame, data);
	memcpy(data, frame->headers, sizeof(frame->headers));
	if (unlikely(!frame->fixed))
		ktput_frame_advance(frame);
	return size;
}

#endif /* KTPUT_FRAME_H */
