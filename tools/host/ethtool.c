// SPDX-License-Identifier: GPL-2.0
/* ethtool: ethtool netlink requests. */
#include <linux/ethtool_netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/msg.h>

#include "ethtool.h"

/**
 * ethtool_ask() - send a request for a device
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @index: its index
 * @command: of ETHTOOL_MSG_...
 * @header_type: attribute of the request that names the device
 * @reply: called with the reply, unless there is none
 * @data: passed to @reply
 */
void ethtool_ask(const char *netns, uint32_t index, int command,
		 int header_type, netlink_reply reply, void *data)
{
	struct netlink_call call = { .reply = reply, .data = data };
	struct units_error ignored;
	struct nlattr *header;
	struct netlink nl;
	int family;

	if (netlink_open(&nl, NETLINK_GENERIC, netns, &ignored))
		return;
	family = genl_ctrl_resolve(nl.sock, ETHTOOL_GENL_NAME);
	call.message = family < 0 ? NULL : nlmsg_alloc();
	if (call.message) {
		genlmsg_put(call.message, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0,
			    0, command, ETHTOOL_GENL_VERSION);
		header = nla_nest_start(call.message,
					header_type | NLA_F_NESTED);
		nla_put_u32(call.message, ETHTOOL_A_HEADER_DEV_INDEX, index);
		nla_nest_end(call.message, header);
		netlink_call(&nl, &call, &ignored);
	}
	netlink_close(&nl);
}
