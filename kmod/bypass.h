/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ping-pong below the socket layer: frames that are turned round.
 */
#ifndef KTPUT_BYPASS_H
#define KTPUT_BYPASS_H

#include <linux/types.h>

struct ktput_stream;
struct sk_buff;

extern const struct ktput_ops ktput_bypass_ops;

unsigned int ktput_bypass_take(struct ktput_stream *stream, struct sk_buff *skb,
			       int offset);

#endif /* KTPUT_BYPASS_H */
