/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ping-pong settings of a configuration.
 */
#ifndef KTPUT_PINGPONG_CONFIG_H
#define KTPUT_PINGPONG_CONFIG_H

#include <linux/types.h>
#include <linux/ktput.h>

struct ktput_config;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;

/**
 * struct ktput_pingpong_config - ping-pong settings
 * @request_size: bytes
 * @response_size: bytes
 * @outstanding: most requests of a stream under way at a time
 * @think_time: nanoseconds from a response to the next request in its place
 * @reply: context in which messages are answered
 * @reconnect: a source opens a connection for each request
 * @timeout: nanoseconds after which a request is given up, 0 for never
 */
struct ktput_pingpong_config {
	u32 request_size;
	u32 response_size;
	u32 outstanding;
	u64 think_time;
	enum ktput_reply reply;
	bool reconnect;
	u64 timeout;
};

int ktput_pingpong_config_parse(struct ktput_config *config, struct nlattr **tb,
				struct netlink_ext_ack *extack);
int ktput_pingpong_config_put(struct sk_buff *skb,
			      const struct ktput_config *config);

#endif /* KTPUT_PINGPONG_CONFIG_H */
