/* SPDX-License-Identifier: GPL-2.0 */
/*
 * netlink: send one request at a time, and report errors of the kernel.
 *
 * Error messages are those of the kernel (extended acknowledgment) with the
 * attribute in question, or else the text of the errno.
 */
#ifndef KTPUT_TOOLS_NETLINK_H
#define KTPUT_TOOLS_NETLINK_H

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdint.h>

#include "../base/units.h"

/**
 * struct netlink - a netlink socket
 * @sock: the libnl socket
 */
struct netlink {
	struct nl_sock *sock;
};

/**
 * typedef netlink_reply - handle a message of the reply
 * @message: one message, never an acknowledgment or an error
 * @data: argument of the caller
 */
typedef void (*netlink_reply)(struct nlmsghdr *message, void *data);

/**
 * struct netlink_call - a request
 * @message: request; netlink_call() frees it
 * @reply: called for each message of the reply, or NULL
 * @data: passed to @reply
 * @name: returns the name of a refused attribute, by the attribute types from the
 *	outermost to the attribute itself, NULL for no name; or NULL
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
bool netlink_ask(struct netlink *nl, int type, int flags, const void *header,
		 size_t size, netlink_reply reply, void *data);

void ethtool_ask(const char *netns, uint32_t index, int command,
		 int header_type, netlink_reply reply, void *data);

#endif
