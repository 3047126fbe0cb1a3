/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child_sockets: what TCP tells of the connections of another program.
 *
 * Their sockets are the process's own (/proc/PID/fd); sock_diag(7) tells the state of each.
 * Nothing is told of one that is closed, so what was told last is kept.
 */
#ifndef KTPUT_TOOLS_CHILD_SOCKETS_H
#define KTPUT_TOOLS_CHILD_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../host/address.h"
#include "../host/netlink.h"
#include "../module/tcpinfo.h"

/**
 * struct child_socket - a connection
 * @inode: number of its socket
 * @tcp: what was told of it last
 */
struct child_socket {
	uint32_t inode;
	struct tcpinfo tcp;
};

/**
 * struct child_sockets - the connections of a process to one address
 * @remote: address and port
 * @nl: socket in the network namespace of the process, if @looks
 * @looks: they are looked at
 * @socket: the connections, for free()
 * @count: number of those
 */
struct child_sockets {
	struct address remote;
	struct netlink nl;
	bool looks;
	struct child_socket *socket;
	size_t count;
};

void child_sockets_begin(struct child_sockets *sockets, const char *netns,
			 const struct address *remote);
void child_sockets_look(struct child_sockets *sockets, pid_t pid);
void child_sockets_rank(struct child_sockets *sockets);
void child_sockets_end(struct child_sockets *sockets);

#endif
