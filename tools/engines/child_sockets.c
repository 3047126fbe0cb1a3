// SPDX-License-Identifier: GPL-2.0
/* child_sockets: what TCP tells of the connections of another program. */
#include <dirent.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "child_sockets.h"

/* More than a client has; of others nothing is told. */
#define SOCKETS_MAX	1024

/* The sockets of a process, and where its connections are kept. */
struct look {
	uint32_t inodes[SOCKETS_MAX];
	size_t count;
	struct child_sockets *to;
};

static void find_inodes(struct look *look, pid_t pid)
{
	const struct dirent *entry;
	char path[32];
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	fds = opendir(path);
	if (!fds)
		return;
	while (look->count < SOCKETS_MAX && (entry = readdir(fds))) {
		char name[32];
		const ssize_t length = readlinkat(dirfd(fds), entry->d_name, name,
						  sizeof(name) - 1);

		name[length > 0 ? length : 0] = '\0';
		if (sscanf(name, "socket:[%u]", &look->inodes[look->count]) == 1)
			look->count++;
	}
	closedir(fds);
}

static bool is_of_process(const struct look *look, uint32_t inode)
{
	for (size_t i = 0; i < look->count; i++)
		if (look->inodes[i] == inode)
			return true;
	return false;
}

/* Where it is kept, added if it is new; NULL without memory. */
static struct child_socket *kept(struct child_sockets *sockets, uint32_t inode)
{
	struct child_socket *more;

	for (size_t i = 0; i < sockets->count; i++)
		if (sockets->socket[i].inode == inode)
			return &sockets->socket[i];
	more = reallocarray(sockets->socket, sockets->count + 1, sizeof(*more));
	if (!more)
		return NULL;
	sockets->socket = more;
	more += sockets->count++;
	more->inode = inode;
	return more;
}

static void take_socket(struct nlmsghdr *message, void *data)
{
	const struct inet_diag_msg *header = nlmsg_data(message);
	struct nlattr *tb[INET_DIAG_MAX + 1];
	struct child_socket *socket;
	struct look *look = data;

	if (message->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    nlmsg_parse(message, sizeof(*header), tb, INET_DIAG_MAX, NULL) ||
	    !tb[INET_DIAG_INFO] || !is_of_process(look, header->idiag_inode))
		return;
	socket = kept(look->to, header->idiag_inode);
	if (socket)
		tcpinfo_parse(&socket->tcp, nla_data(tb[INET_DIAG_INFO]),
			      nla_len(tb[INET_DIAG_INFO]));
}

/**
 * child_sockets_begin() - look at the connections of a process from now on
 * @sockets: zeroed; release with child_sockets_end()
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @remote: address and port of its server
 */
void child_sockets_begin(struct child_sockets *sockets, const char *netns,
			 const struct address *remote)
{
	struct units_error ignored;

	sockets->remote = *remote;
	sockets->looks = !netlink_open(&sockets->nl, NETLINK_SOCK_DIAG, netns,
				       &ignored);
}

/**
 * child_sockets_look() - look at them
 * @sockets: the connections
 * @pid: the process
 */
void child_sockets_look(struct child_sockets *sockets, pid_t pid)
{
	const struct inet_diag_req_v2 request = {
		.sdiag_family = address_family(&sockets->remote),
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_ext = 1 << (INET_DIAG_INFO - 1),
		.idiag_states = 1 << TCPINFO_ESTABLISHED,
		.id.idiag_dport = htons(address_port(&sockets->remote)),
	};
	struct look look = { .to = sockets };

	if (!sockets->looks)
		return;
	find_inodes(&look, pid);
	sockets->looks = netlink_ask(&sockets->nl, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP,
				     &request, sizeof(request), take_socket, &look);
}

/* Those that sent most are first. */
static int by_bytes(const void *one, const void *other)
{
	const uint64_t a = ((const struct child_socket *)one)->tcp.bytes_sent;
	const uint64_t b = ((const struct child_socket *)other)->tcp.bytes_sent;

	return (a < b) - (a > b);
}

/**
 * child_sockets_rank() - sort them by what they have sent, the most first
 * @sockets: the connections
 *
 * One that the program controls its server by, with next to nothing, comes last.
 */
void child_sockets_rank(struct child_sockets *sockets)
{
	if (sockets->count)
		qsort(sockets->socket, sockets->count, sizeof(*sockets->socket),
		      by_bytes);
}

/**
 * child_sockets_end() - look at them no more
 * @sockets: the connections
 */
void child_sockets_end(struct child_sockets *sockets)
{
	if (sockets->nl.sock)
		netlink_close(&sockets->nl);
	free(sockets->socket);
	*sockets = (struct child_sockets) { 0 };
}
