/* SPDX-License-Identifier: GPL-2.0 */
/*
 * netlink: one request at a time, and what the kernel says when it refuses.
 *
 * Errors are sentences: the kernel's own (extended acknowledgment) with the
 * attribute that it points at, or else the errno in words.
 */
#ifndef KTPUT_TOOLS_NETLINK_H
#define KTPUT_TOOLS_NETLINK_H

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdint.h>

#include "../base/units.h"

/**
 * struct netlink - a netlink socket
 * @sock: the socket of libnl
 */
struct netlink {
	struct nl_sock *sock;
};

/**
 * typedef netlink_reply - take a message of the reply
 * @message: one message; acknowledgments and errors are not among them
 * @data: what the caller gave
 */
typedef void (*netlink_reply)(struct nlmsghdr *message, void *data);

/**
 * struct netlink_call - a request
 * @message: request; given up to netlink_call()
 * @reply: called for each message of the reply, or NULL
 * @data: handed to @reply
 * @name: names the attribute that is refused, by the attribute types from the
 *	outermost to the one meant, and returns NULL where it has none; or NULL
 */
struct netlink_call {
	struct nl_msg *message;
	netlink_reply reply;
	void *data;
	const char *(*name)(const int *types, size_t depth);
};

int netlink_open(struct netlink *nl, int protocol, const char *netns,
		 struct units_error *err);
void netlink_close(struct netlink *nl);
int netlink_call(struct netlink *nl, const struct netlink_call *call,
		 struct units_error *err);

#endif
