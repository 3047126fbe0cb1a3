// SPDX-License-Identifier: GPL-2.0
/*
 * Ping-pong settings of a configuration.
 */
#include <linux/if_ether.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/stringify.h>
#include <linux/time64.h>
#include <net/netlink.h>

#include "config.h"
#include "pingpong_config.h"

#define DEFAULT_REQUEST	64
#define DEFAULT_TIMEOUT	NSEC_PER_SEC

/* Every text is a string literal, as extack requires. */
static int refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		  int error, const char *text)
{
	NL_SET_BAD_ATTR(extack, attr);
	if (extack)
		extack->_msg = text;
	return error;
}

static int refuse_pingpong(struct nlattr **tb, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr =
		tb[KTPUT_A_CONFIG_REQUEST] ?:
		tb[KTPUT_A_CONFIG_RESPONSE] ?:
		tb[KTPUT_A_CONFIG_OUTSTANDING] ?:
		tb[KTPUT_A_CONFIG_THINK] ?: tb[KTPUT_A_CONFIG_REPLY] ?:
		tb[KTPUT_A_CONFIG_TIMEOUT] ?:
		tb[KTPUT_A_CONFIG_CONNECT_PER_REQUEST];

	if (!attr)
		return 0;
	return refuse(extack, attr, -EINVAL,
		      "request, response, outstanding, think, reply, timeout and connect-per-request are for pattern ping-pong");
}

/* Refuses frame settings that turning frames round does not support. */
static int refuse_frames(struct nlattr **tb, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr =
		tb[KTPUT_A_CONFIG_VLAN] ?: tb[KTPUT_A_CONFIG_BURST] ?:
		tb[KTPUT_A_CONFIG_SIZE_MIN] ?:
		tb[KTPUT_A_CONFIG_SIZE_MAX] ?: tb[KTPUT_A_CONFIG_MIX] ?:
		tb[KTPUT_A_CONFIG_FROM_PORTS] ?:
		tb[KTPUT_A_CONFIG_PORTS] ?:
		tb[KTPUT_A_CONFIG_FROM_ADDRESSES] ?:
		tb[KTPUT_A_CONFIG_ADDRESSES] ?: tb[KTPUT_A_CONFIG_REUSE] ?:
		tb[KTPUT_A_CONFIG_PACE_ONLY] ?: tb[KTPUT_A_CONFIG_FLOW_SEED];

	if (attr)
		return refuse(extack, attr, -EINVAL,
			      "vlan, burst, sizes of frames, ranges of ports and addresses, flow-seed, reuse and pace-only are not for pattern ping-pong");
	attr = tb[KTPUT_A_CONFIG_RESPONSE];
	if (attr)
		return refuse(extack, attr, -EINVAL,
			      "response: below the socket layer a request is turned round");
	attr = tb[KTPUT_A_CONFIG_REPLY];
	if (attr && nla_get_u32(attr) != KTPUT_REPLY_CALLBACK)
		return refuse(extack, attr, -EINVAL,
			      "reply: below the socket layer it is from the callback");
	return 0;
}

/* Raises frame sizes to the smallest frame that the device sends. */
static void size_frames(struct ktput_config *config)
{
	const u32 headers = ktput_frame_headers(config) - KTPUT_MIN_DATAGRAM;
	struct ktput_pingpong_config *pingpong = &config->pingpong;

	config->frame.size_min = max_t(u32, headers + pingpong->request_size,
				       ETH_ZLEN);
	config->frame.size_max = config->frame.size_min;
	pingpong->request_size = config->frame.size_min - headers;
	pingpong->response_size = pingpong->request_size;
}

/* Refuses attributes of plain streams only, and of the other end only. */
static int refuse_foreign(const struct ktput_config *config,
			  struct nlattr **tb, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr =
		tb[KTPUT_A_CONFIG_SIZE] ?:
		tb[KTPUT_A_CONFIG_SEGMENTS] ?: tb[KTPUT_A_CONFIG_BYTES] ?:
		tb[KTPUT_A_CONFIG_PACE];

	if (attr)
		return refuse(extack, attr, -EINVAL,
			      "size, segments, bytes and pace are not for pattern ping-pong");
	attr = tb[KTPUT_A_CONFIG_OUTSTANDING] ?:
	       tb[KTPUT_A_CONFIG_THINK] ?: tb[KTPUT_A_CONFIG_TIMEOUT] ?:
	       tb[KTPUT_A_CONFIG_CONNECT_PER_REQUEST];
	if (attr && config->role == KTPUT_ROLE_SINK)
		return refuse(extack, attr, -EINVAL,
			      "outstanding, think, timeout and connect-per-request are for a source");
	attr = tb[KTPUT_A_CONFIG_CONNECT_PER_REQUEST];
	if (attr && config->transport != KTPUT_TRANSPORT_TCP)
		return refuse(extack, attr, -EINVAL,
			      "connect-per-request: UDP has no connections");
	/* The thread creates these sockets, so they belong to no control group. */
	if (attr && !config->privileged)
		return refuse(extack, attr, -EPERM,
			      "connect-per-request" KTPUT_PRIVILEGED);
	if (attr && (tb[KTPUT_A_CONFIG_LOCAL_PORT] ||
		     tb[KTPUT_A_CONFIG_CONNECT_TIMEOUT]))
		return refuse(extack, attr, -EINVAL,
			      "connect-per-request: local-port and connect-timeout do not go with it");
	attr = tb[KTPUT_A_CONFIG_TIMEOUT];
	if (attr && config->transport == KTPUT_TRANSPORT_TCP)
		return refuse(extack, attr, -EINVAL,
			      "timeout: TCP loses no request");
	attr = tb[KTPUT_A_CONFIG_THINK];
	if (attr && tb[KTPUT_A_CONFIG_PACKET_RATE])
		return refuse(extack, attr, -EINVAL,
			      "think and packet-rate contradict each other");
	return 0;
}

static int parse_size(const struct ktput_config *config, u32 *size,
		      const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const bool udp = config->transport == KTPUT_TRANSPORT_UDP;

	if (!attr)
		return 0;
	*size = nla_get_u32(attr);
	if (udp && (*size < KTPUT_MIN_DATAGRAM || *size > KTPUT_MAX_DATAGRAM))
		return refuse(extack, attr, -ERANGE,
			      "request and response must be "
			      __stringify(KTPUT_MIN_DATAGRAM) " to "
			      __stringify(KTPUT_MAX_DATAGRAM) " with UDP");
	if (!udp && (!*size || *size > KTPUT_MAX_MESSAGE))
		return refuse(extack, attr, -ERANGE,
			      "request and response must be 1 to "
			      __stringify(KTPUT_MAX_MESSAGE));
	return 0;
}

static int parse_times(struct ktput_config *config, struct nlattr **tb,
		       struct netlink_ext_ack *extack)
{
	struct ktput_pingpong_config *pingpong = &config->pingpong;
	const struct nlattr *attr = tb[KTPUT_A_CONFIG_THINK];

	if (attr)
		pingpong->think_time = nla_get_u64(attr);
	if (pingpong->think_time > KTPUT_MAX_TIME)
		return refuse(extack, attr, -ERANGE,
			      "think must be 0 ns to a week");
	if (config->role == KTPUT_ROLE_SINK ||
	    config->transport == KTPUT_TRANSPORT_TCP)
		return 0;
	attr = tb[KTPUT_A_CONFIG_TIMEOUT];
	pingpong->timeout = attr ? nla_get_u64(attr) : DEFAULT_TIMEOUT;
	if (pingpong->timeout < KTPUT_MIN_TIMEOUT ||
	    pingpong->timeout > KTPUT_MAX_CONNECT_TIME)
		return refuse(extack, attr, -ERANGE,
			      "timeout must be " __stringify(KTPUT_MIN_TIMEOUT)
			      " ns to a minute");
	return 0;
}

/**
 * ktput_pingpong_config_parse() - parse the ping-pong settings
 * @config: configuration with everything else parsed; the ping-pong settings
 *	and values derived from them are filled in
 * @tb: attributes
 * @extack: gets the reason of a refusal
 *
 * Return: 0, or the errno of the refusal.
 */
int ktput_pingpong_config_parse(struct ktput_config *config, struct nlattr **tb,
				struct netlink_ext_ack *extack)
{
	struct ktput_pingpong_config *pingpong = &config->pingpong;
	const struct nlattr *attr;
	int error;

	if (config->pattern != KTPUT_PATTERN_PING_PONG)
		return refuse_pingpong(tb, extack);
	error = refuse_foreign(config, tb, extack);
	if (!error && config->layer != KTPUT_LAYER_SOCKET)
		error = refuse_frames(tb, extack);
	if (error)
		return error;
	pingpong->request_size = DEFAULT_REQUEST;
	error = parse_size(config, &pingpong->request_size,
			   tb[KTPUT_A_CONFIG_REQUEST], extack);
	if (error)
		return error;
	pingpong->response_size = pingpong->request_size;
	error = parse_size(config, &pingpong->response_size,
			   tb[KTPUT_A_CONFIG_RESPONSE], extack);
	if (error)
		return error;

	attr = tb[KTPUT_A_CONFIG_OUTSTANDING];
	pingpong->outstanding = attr ? nla_get_u32(attr) : 1;
	if (!pingpong->outstanding ||
	    pingpong->outstanding > KTPUT_MAX_OUTSTANDING)
		return refuse(extack, attr, -ERANGE,
			      "outstanding must be 1 to "
			      __stringify(KTPUT_MAX_OUTSTANDING));
	attr = tb[KTPUT_A_CONFIG_REPLY];
	if (attr)
		pingpong->reply = nla_get_u32(attr);
	if (config->layer != KTPUT_LAYER_SOCKET)
		pingpong->reply = KTPUT_REPLY_CALLBACK;
	if (config->layer == KTPUT_LAYER_DRIVER)
		size_frames(config);

	attr = tb[KTPUT_A_CONFIG_CONNECT_PER_REQUEST];
	pingpong->reconnect = attr;
	if (attr && pingpong->outstanding > 1)
		return refuse(extack, attr, -EINVAL,
			      "connect-per-request: a connection has one request, outstanding must be 1");
	if (attr && pingpong->reply == KTPUT_REPLY_CALLBACK)
		return refuse(extack, attr, -EINVAL,
			      "connect-per-request: a callback cannot connect, reply must be worker");

	/* Each call handles a message, and no message waits for another. */
	config->message_size = max(pingpong->request_size,
				   pingpong->response_size);
	config->no_delay = config->transport == KTPUT_TRANSPORT_TCP;
	return parse_times(config, tb, extack);
}

/**
 * ktput_pingpong_config_put() - write the ping-pong settings
 * @skb: message
 * @config: configuration
 *
 * Return: 0, or -EMSGSIZE if @skb has no room.
 */
int ktput_pingpong_config_put(struct sk_buff *skb,
			      const struct ktput_config *config)
{
	const struct ktput_pingpong_config *pingpong = &config->pingpong;
	const int pad = KTPUT_A_CONFIG_PAD;

	if (config->pattern != KTPUT_PATTERN_PING_PONG)
		return 0;
	if (nla_put_u32(skb, KTPUT_A_CONFIG_PATTERN, config->pattern) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_REQUEST,
			pingpong->request_size) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_RESPONSE,
			pingpong->response_size) ||
	    nla_put_u32(skb, KTPUT_A_CONFIG_REPLY, pingpong->reply))
		return -EMSGSIZE;
	if (config->role == KTPUT_ROLE_SINK)
		return 0;
	if (nla_put_u32(skb, KTPUT_A_CONFIG_OUTSTANDING,
			pingpong->outstanding) ||
	    nla_put_u64_64bit(skb, KTPUT_A_CONFIG_THINK,
			      pingpong->think_time, pad) ||
	    (pingpong->reconnect &&
	     nla_put_flag(skb, KTPUT_A_CONFIG_CONNECT_PER_REQUEST)) ||
	    (pingpong->timeout &&
	     nla_put_u64_64bit(skb, KTPUT_A_CONFIG_TIMEOUT, pingpong->timeout,
			       pad)) ||
	    (config->transport == KTPUT_TRANSPORT_TCP && config->packet_rate &&
	     nla_put_u64_64bit(skb, KTPUT_A_CONFIG_PACKET_RATE,
			       config->packet_rate, pad)))
		return -EMSGSIZE;
	return 0;
}
