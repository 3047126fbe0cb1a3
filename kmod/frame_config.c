// SPDX-License-Identifier: GPL-2.0
/*
 * Frame settings of a configuration.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktput_datagram.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/netlink.h>

#include "address.h"
#include "config.h"
#include "frame_config.h"

/* Every text is a string literal, as extack requires. */
static int refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		  int error, const char *text)
{
	NL_SET_BAD_ATTR(extack, attr);
	if (extack)
		extack->_msg = text;
	return error;
}

static bool is_ipv6(const struct ktput_config *config)
{
	return config->remote.ss_family == AF_INET6;
}

/**
 * ktput_frame_headers() - bytes of a frame's headers
 * @config: configuration of a source below the socket layer
 *
 * Return: bytes of all headers, ktput's included.
 */
u32 ktput_frame_headers(const struct ktput_config *config)
{
	return ETH_HLEN + config->frame.tags * VLAN_HLEN +
	       (is_ipv6(config) ? sizeof(struct ipv6hdr) :
				  sizeof(struct iphdr)) +
	       sizeof(struct udphdr) + sizeof(struct ktput_datagram);
}

/* Refuses attributes that only a source below the socket layer has. */
static int refuse_frames(struct nlattr **tb, struct netlink_ext_ack *extack)
{
#define FOR_FRAMES(type, name) { KTPUT_A_CONFIG_##type,			\
	name " is for a source at the queue, driver or XDP layer" }
	static const struct {
		int type;
		const char *text;
	} all[] = {
		FOR_FRAMES(FROM_MAC, "from-mac"),
		FOR_FRAMES(MAC, "mac"),
		FOR_FRAMES(VLAN, "vlan"),
		FOR_FRAMES(VLAN_INNER, "vlan-inner"),
		FOR_FRAMES(BURST, "burst"),
		FOR_FRAMES(SIZE_MIN, "size-min"),
		FOR_FRAMES(SIZE_MAX, "size-max"),
		FOR_FRAMES(MIX, "mix"),
		FOR_FRAMES(FROM_PORTS, "from-ports"),
		FOR_FRAMES(PORTS, "ports"),
		FOR_FRAMES(FROM_ADDRESSES, "from-addresses"),
		FOR_FRAMES(ADDRESSES, "addresses"),
		FOR_FRAMES(FLOW_SEED, "flow-seed"),
		FOR_FRAMES(QUEUES, "queues"),
		FOR_FRAMES(REUSE, "reuse"),
		FOR_FRAMES(PACE_ONLY, "pace-only"),
	};
#undef FOR_FRAMES
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (tb[all[i].type])
			return refuse(extack, tb[all[i].type], -EINVAL,
				      all[i].text);
	return 0;
}

static int parse_ends(struct ktput_config *config, struct nlattr **tb,
		      struct netlink_ext_ack *extack)
{
	struct ktput_frame_config *frame = &config->frame;
	const struct nlattr *attr;

	if (!tb[KTPUT_A_CONFIG_LOCAL_IPV4] && !tb[KTPUT_A_CONFIG_LOCAL_IPV6])
		return refuse(extack, NULL, -EINVAL,
			      "a source below the socket layer needs a local address");

	attr = tb[KTPUT_A_CONFIG_MAC];
	if (!attr)
		return refuse(extack, NULL, -EDESTADDRREQ,
			      "a source below the socket layer needs a mac");
	ether_addr_copy(frame->destination_mac, nla_data(attr));
	if (is_zero_ether_addr(frame->destination_mac))
		return refuse(extack, attr, -EINVAL,
			      "mac must not be all zero");
	attr = tb[KTPUT_A_CONFIG_FROM_MAC];
	if (attr) {
		ether_addr_copy(frame->source_mac, nla_data(attr));
		if (!is_valid_ether_addr(frame->source_mac))
			return refuse(extack, attr, -EINVAL,
				      "from-mac must be the address of one station, and not all zero");
	}

	if (tb[KTPUT_A_CONFIG_VLAN])
		frame->tci[frame->tags++] =
			nla_get_u16(tb[KTPUT_A_CONFIG_VLAN]);
	attr = tb[KTPUT_A_CONFIG_VLAN_INNER];
	if (!attr)
		return 0;
	if (!frame->tags)
		return refuse(extack, attr, -EINVAL,
			      "vlan-inner needs vlan, which is the outer tag");
	frame->tci[frame->tags++] = nla_get_u16(attr);
	return 0;
}

/* Reads SIZE:WEIGHT,... */
static int parse_mix(struct ktput_frame_config *frame, char *text)
{
	u32 weights = 0;
	char *item;

	while ((item = strsep(&text, ","))) {
		struct ktput_mix *mix = &frame->mix[frame->mix_count];
		char *weight = strchr(item, ':');

		if (!weight || frame->mix_count == KTPUT_MIX_SIZES)
			return -EINVAL;
		*weight++ = '\0';
		if (kstrtou16(item, 10, &mix->size) ||
		    kstrtou16(weight, 10, &mix->weight) || !mix->weight)
			return -EINVAL;
		weights += mix->weight;
		if (weights > KTPUT_MAX_MIX)
			return -ERANGE;
		frame->size_min = frame->mix_count ?
			min_t(u32, frame->size_min, mix->size) : mix->size;
		frame->size_max = max_t(u32, frame->size_max, mix->size);
		frame->mix_count++;
	}
	return 0;
}

static int parse_sizes(struct ktput_config *config, struct nlattr **tb,
		       struct netlink_ext_ack *extack)
{
#define TOO_SMALL(bytes, with)						\
	"a frame " with " has " __stringify(bytes)			\
	" bytes at least, without FCS: size-min and mix"
	static const char * const too_small[2][3] = {
		{ TOO_SMALL(60, "of IPv4"), TOO_SMALL(62, "of IPv4 with a tag"),
		  TOO_SMALL(66, "of IPv4 with two tags") },
		{ TOO_SMALL(78, "of IPv6"), TOO_SMALL(82, "of IPv6 with a tag"),
		  TOO_SMALL(86, "of IPv6 with two tags") },
	};
#undef TOO_SMALL
	const struct nlattr *min = tb[KTPUT_A_CONFIG_SIZE_MIN];
	const struct nlattr *max = tb[KTPUT_A_CONFIG_SIZE_MAX];
	const struct nlattr *mix = tb[KTPUT_A_CONFIG_MIX];
	struct ktput_frame_config *frame = &config->frame;
	const u32 least = max_t(u32, ETH_ZLEN, ktput_frame_headers(config));

	if (tb[KTPUT_A_CONFIG_SIZE])
		return refuse(extack, tb[KTPUT_A_CONFIG_SIZE], -EINVAL,
			      "size is for the socket layer; give size-min or mix");
	if (mix) {
		char *text;
		int error;

		if (min || max)
			return refuse(extack, min ?: max, -EINVAL,
				      "size-min and size-max contradict mix");
		text = nla_strdup(mix, GFP_KERNEL);
		if (!text)
			return -ENOMEM;
		error = parse_mix(frame, text);
		kfree(text);
		if (error == -ERANGE)
			return refuse(extack, mix, error,
				      "the weights of mix must not add up to more than "
				      __stringify(KTPUT_MAX_MIX));
		if (error)
			return refuse(extack, mix, error,
				      "mix must be up to 16 sizes with weights, such as 60:7,590:4,1514:1");
	} else {
		frame->size_min = min ? nla_get_u32(min) : least;
		frame->size_max = max ? nla_get_u32(max) : frame->size_min;
	}
	if (frame->size_min < least)
		return refuse(extack, min ?: mix, -ERANGE,
			      too_small[is_ipv6(config)][frame->tags]);
	if (frame->size_max < frame->size_min)
		return refuse(extack, max, -ERANGE,
			      "size-max must not be less than size-min");
	if (frame->size_max > KTPUT_MAX_FRAME)
		return refuse(extack, max ?: min, -ERANGE,
			      "a frame must not have more than "
			      __stringify(KTPUT_MAX_FRAME)
			      " bytes: size-min, size-max");
	/* Size of the first datagram, which pacing begins with. */
	config->message_size = frame->size_min - ktput_frame_headers(config) +
			       sizeof(struct ktput_datagram);
	return 0;
}

static int parse_count(u32 *to, const struct nlattr *attr)
{
	*to = attr ? nla_get_u32(attr) : 1;
	return *to < 1 || *to > KTPUT_MAX_FLOWS ? -ERANGE : 0;
}

/* The last 32 bits of an address, which ranges iterate over. */
static u32 low_word(const struct sockaddr_storage *address)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
	const struct sockaddr_in *in = (const struct sockaddr_in *)address;

	return ntohl(address->ss_family == AF_INET6 ?
		     in6->sin6_addr.s6_addr32[3] : in->sin_addr.s_addr);
}

static int parse_flows(struct ktput_config *config, struct nlattr **tb,
		       struct netlink_ext_ack *extack)
{
	struct ktput_frame_config *frame = &config->frame;
	const struct nlattr *attr;

	attr = tb[KTPUT_A_CONFIG_FROM_PORTS];
	if (parse_count(&frame->local_ports, attr) ||
	    ktput_address_port(&config->local) +
			    (u64)config->streams * frame->local_ports >
		    U16_MAX + 1)
		return refuse(extack, attr, -ERANGE,
			      "local-port plus from-ports for each stream must not pass 65535");
	attr = tb[KTPUT_A_CONFIG_PORTS];
	if (parse_count(&frame->remote_ports, attr) ||
	    ktput_address_port(&config->remote) +
			    (u64)config->streams * frame->remote_ports >
		    U16_MAX + 1)
		return refuse(extack, attr, -ERANGE,
			      "remote-port plus ports for each stream must not pass 65535");
	attr = tb[KTPUT_A_CONFIG_FROM_ADDRESSES];
	if (parse_count(&frame->local_addresses, attr) ||
	    low_word(&config->local) > U32_MAX - (frame->local_addresses - 1))
		return refuse(extack, attr, -ERANGE,
			      "from-addresses must be 1 to " __stringify(KTPUT_MAX_FLOWS)
			      ", and the last 32 bits of the address must not overflow");
	attr = tb[KTPUT_A_CONFIG_ADDRESSES];
	if (parse_count(&frame->remote_addresses, attr) ||
	    low_word(&config->remote) >
		    U32_MAX - (frame->remote_addresses - 1))
		return refuse(extack, attr, -ERANGE,
			      "addresses must be 1 to " __stringify(KTPUT_MAX_FLOWS)
			      ", and the last 32 bits of the address must not overflow");
	return 0;
}

static bool one_flow(const struct ktput_frame_config *frame)
{
	return frame->local_ports == 1 && frame->remote_ports == 1 &&
	       frame->local_addresses == 1 && frame->remote_addresses == 1;
}

static int parse_flow_seed(struct ktput_frame_config *frame,
			   const struct nlattr *attr,
			   struct netlink_ext_ack *extack)
{
	frame->random_flows = attr;
	if (!attr)
		return 0;
	if (one_flow(frame))
		return refuse(extack, attr, -EINVAL,
			      "flow-seed needs a range: from-ports, ports, from-addresses or addresses");
	frame->flow_seed = nla_get_u32(attr);
	return 0;
}

static int parse_queues(struct ktput_config *config, const struct nlattr *attr,
			const struct nlattr *streams,
			struct netlink_ext_ack *extack)
{
	struct ktput_frame_config *frame = &config->frame;
	char *list;
	int error;

	if (!attr) {
		if (config->streams > KTPUT_MAX_QUEUES)
			return refuse(extack, streams, -ERANGE,
				      "below the socket layer streams must be 1 to "
				      __stringify(KTPUT_MAX_QUEUES)
				      ", each has a transmit queue");
		bitmap_set(frame->queues, 0, config->streams);
		return 0;
	}
	if (config->layer == KTPUT_LAYER_XDP)
		return refuse(extack, attr, -EINVAL,
			      "queues is for the queue and driver layers; at the XDP layer the driver chooses one, mostly by the CPU");
	list = nla_strdup(attr, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	error = bitmap_parselist(list, frame->queues, KTPUT_MAX_QUEUES);
	kfree(list);
	if (error || bitmap_empty(frame->queues, KTPUT_MAX_QUEUES))
		return refuse(extack, attr, -EINVAL,
			      "queues must be a list of transmit queues below "
			      __stringify(KTPUT_MAX_QUEUES) ", such as 0-3,5");
	if (streams && bitmap_weight(frame->queues, KTPUT_MAX_QUEUES) !=
			       config->streams)
		return refuse(extack, streams, -EINVAL,
			      "streams must be as many as queues, or not be given");
	config->streams = bitmap_weight(frame->queues, KTPUT_MAX_QUEUES);
	return 0;
}

static int parse_driver(struct ktput_config *config, struct nlattr **tb,
			struct netlink_ext_ack *extack)
{
	const struct nlattr *burst = tb[KTPUT_A_CONFIG_BURST];
	const struct nlattr *reuse = tb[KTPUT_A_CONFIG_REUSE];
	const struct nlattr *pace_only = tb[KTPUT_A_CONFIG_PACE_ONLY];
	struct ktput_frame_config *frame = &config->frame;

	frame->burst = burst ? nla_get_u32(burst) : 1;
	if (frame->burst < 1 || frame->burst > KTPUT_MAX_BURST)
		return refuse(extack, burst, -ERANGE,
			      "burst must be 1 to " __stringify(KTPUT_MAX_BURST));
	frame->reuse = nla_get_flag(reuse);
	frame->pace_only = nla_get_flag(pace_only);
	if (config->layer == KTPUT_LAYER_QUEUE && burst)
		return refuse(extack, burst, -EINVAL,
			      "burst is for the driver and XDP layers; the queueing discipline makes its own");
	if (config->layer != KTPUT_LAYER_DRIVER && reuse)
		return refuse(extack, reuse, -EINVAL,
			      "reuse is for the driver layer; others hold a buffer once");
	if (pace_only && config->layer != KTPUT_LAYER_DRIVER)
		return refuse(extack, pace_only, -EINVAL,
			      "pace-only is for the driver layer");
	if (pace_only && reuse)
		return refuse(extack, pace_only, -EINVAL,
			      "pace-only sends no frame, and reuse one");
	if (pace_only && !tb[KTPUT_A_CONFIG_PACKET_RATE] &&
	    !tb[KTPUT_A_CONFIG_PACE])
		return refuse(extack, pace_only, -EINVAL,
			      "pace-only needs packet-rate or pace");
	/* Whether a device tolerates it depends on its driver. */
	if (reuse && !config->privileged)
		return refuse(extack, reuse, -EPERM, "reuse" KTPUT_PRIVILEGED);
	if (frame->reuse &&
	    (frame->size_min != frame->size_max || !one_flow(frame)))
		return refuse(extack, reuse, -EINVAL,
			      "reuse sends one frame: one size, one port and one address on each side");
	return 0;
}

/**
 * ktput_frame_config_parse() - parse the frame settings
 * @config: configuration with role, layer, addresses and streams; the frame
 *	settings are filled in, and the number of streams is set to that of
 *	queues
 * @tb: attributes
 * @extack: gets the reason of a refusal
 *
 * Return: 0, or the errno of the refusal.
 */
int ktput_frame_config_parse(struct ktput_config *config, struct nlattr **tb,
			     struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	int error;

	if (config->layer == KTPUT_LAYER_SOCKET)
		return refuse_frames(tb, extack);
	if (!config->may_forge)
		return refuse(extack, tb[KTPUT_A_CONFIG_LAYER], -EPERM,
			      "below the socket layer it takes CAP_NET_RAW too, as packet sockets do");
	if (!tb[KTPUT_A_CONFIG_DEV])
		return refuse(extack, NULL, -EINVAL,
			      "dev is required below the socket layer");
	if (!ktput_address_port(&config->local))
		return refuse(extack, tb[KTPUT_A_CONFIG_LOCAL_PORT], -EINVAL,
			      "local-port is required below the socket layer, 1 to 65535");
	attr = tb[KTPUT_A_CONFIG_SEGMENTS] ?:
	       tb[KTPUT_A_CONFIG_SNDBUF] ?:
	       tb[KTPUT_A_CONFIG_RCVBUF];
	if (attr)
		return refuse(extack, attr, -EINVAL,
			      "segments, sndbuf and rcvbuf are for the socket layer");
	if (config->layer == KTPUT_LAYER_INGRESS) {
		if (tb[KTPUT_A_CONFIG_CPUS])
			return refuse(extack, tb[KTPUT_A_CONFIG_CPUS], -EINVAL,
				      "cpus: a sink at the ingress layer has those where the device's frames arrive");
		return refuse_frames(tb, extack);
	}
	error = parse_ends(config, tb, extack);
	if (!error)
		error = parse_sizes(config, tb, extack);
	if (!error)
		error = parse_queues(config, tb[KTPUT_A_CONFIG_QUEUES],
				     tb[KTPUT_A_CONFIG_STREAMS], extack);
	if (!error)
		error = parse_flows(config, tb, extack);
	if (!error)
		error = parse_flow_seed(&config->frame,
					tb[KTPUT_A_CONFIG_FLOW_SEED], extack);
	if (!error)
		error = parse_driver(config, tb, extack);
	return error;
}

static int put_mix(struct sk_buff *skb, const struct ktput_frame_config *frame)
{
	char text[KTPUT_MIX_SIZES * sizeof("65535:256,")];
	unsigned int i, length = 0;

	for (i = 0; i < frame->mix_count; i++)
		length += scnprintf(text + length, sizeof(text) - length,
				    "%s%u:%u", i ? "," : "",
				    frame->mix[i].size, frame->mix[i].weight);
	return nla_put_string(skb, KTPUT_A_CONFIG_MIX, text);
}

static int put_queues(struct sk_buff *skb,
		      const struct ktput_frame_config *frame)
{
	char *list = kasprintf(GFP_KERNEL, "%*pbl", KTPUT_MAX_QUEUES,
			       frame->queues);
	int error;

	if (!list)
		return -ENOMEM;
	error = nla_put_string(skb, KTPUT_A_CONFIG_QUEUES, list);
	kfree(list);
	return error;
}

/**
 * ktput_frame_config_put() - write the frame settings
 * @skb: message
 * @config: configuration
 *
 * Return: 0, -EMSGSIZE where @skb has no room, or -ENOMEM.
 */
int ktput_frame_config_put(struct sk_buff *skb,
			   const struct ktput_config *config)
{
	const struct ktput_frame_config *frame = &config->frame;

	if (config->layer == KTPUT_LAYER_SOCKET ||
	    config->layer == KTPUT_LAYER_INGRESS)
		return 0;
	if (nla_put(skb, KTPUT_A_CONFIG_FROM_MAC, ETH_ALEN,
		    frame->source_mac) ||
	    nla_put(skb, KTPUT_A_CONFIG_MAC, ETH_ALEN,
		    frame->destination_mac) ||
	    (frame->tags > 0 &&
	     nla_put_u16(skb, KTPUT_A_CONFIG_VLAN, frame->tci[0])) ||
	    (frame->tags > 1 &&
	     nla_put_u16(skb, KTPUT_A_CONFIG_VLAN_INNER, frame->tci[1])) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_BURST, frame->burst) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_SIZE_MIN, frame->size_min) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_SIZE_MAX, frame->size_max) ||
	    (frame->mix_count && put_mix(skb, frame)) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_FROM_PORTS, frame->local_ports) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_PORTS,
			frame->remote_ports) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_FROM_ADDRESSES,
			frame->local_addresses) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_ADDRESSES,
			frame->remote_addresses) ||
	    (frame->random_flows &&
	     nla_put_u32(skb, KTPUT_A_CONFIG_FLOW_SEED, frame->flow_seed)) ||
	    (config->layer != KTPUT_LAYER_XDP && put_queues(skb, frame)) ||
	    (frame->reuse && nla_put_flag(skb, KTPUT_A_CONFIG_REUSE)) ||
	    (frame->pace_only && nla_put_flag(skb, KTPUT_A_CONFIG_PACE_ONLY)))
		return -EMSGSIZE;
	return 0;
}
