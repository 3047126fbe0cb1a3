/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frame settings of a configuration.
 */
#ifndef KTPUT_FRAME_CONFIG_H
#define KTPUT_FRAME_CONFIG_H

#include <linux/bitmap.h>
#include <linux/if_ether.h>
#include <linux/types.h>
#include <linux/ktput.h>

struct ktput_config;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;

/** KTPUT_MIX_SIZES - most distinct sizes in a mix */
#define KTPUT_MIX_SIZES	16

/**
 * struct ktput_mix - a size in a mix of frame sizes
 * @size: bytes of a frame, without FCS
 * @weight: frames of this size in a round
 */
struct ktput_mix {
	u16 size;
	u16 weight;
};

/**
 * struct ktput_frame_config - frame settings of a configuration
 * @source_mac: source MAC address; all zero for the device's own
 * @destination_mac: destination MAC address
 * @tags: VLAN tags, 0 to 2
 * @tci: control information of the tags, the outer one first, host order
 * @burst: frames handed to a transmit queue at a time
 * @size_min: bytes of the smallest frame, without FCS
 * @size_max: bytes of the largest frame, without FCS
 * @mix: the mix of sizes
 * @mix_count: number of @mix, 0 without a mix
 * @local_ports: consecutive local ports of each stream
 * @remote_ports: consecutive remote ports
 * @local_addresses: consecutive local addresses
 * @remote_addresses: consecutive remote addresses
 * @queues: transmit queues; a stream for each
 * @flow_seed: what the order of random flows follows from
 * @random_flows: draw ports and addresses at random
 * @reuse: send one buffer repeatedly
 * @pace_only: wait for frames, and send none
 */
struct ktput_frame_config {
	u8 source_mac[ETH_ALEN];
	u8 destination_mac[ETH_ALEN];
	u8 tags;
	u16 tci[2];
	u32 burst;
	u32 size_min;
	u32 size_max;
	struct ktput_mix mix[KTPUT_MIX_SIZES];
	u32 mix_count;
	u32 local_ports;
	u32 remote_ports;
	u32 local_addresses;
	u32 remote_addresses;
	u32 flow_seed;
	DECLARE_BITMAP(queues, KTPUT_MAX_QUEUES);
	bool random_flows;
	bool reuse;
	bool pace_only;
};

u32 ktput_frame_headers(const struct ktput_config *config);
int ktput_frame_config_parse(struct ktput_config *config, struct nlattr **tb,
			     struct netlink_ext_ack *extack);
int ktput_frame_config_put(struct sk_buff *skb,
			   const struct ktput_config *config);

#endif /* KTPUT_FRAME_CONFIG_H */
