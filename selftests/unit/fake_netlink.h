/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fake_netlink: a test is the kernel that netlink sockets lead to.
 *
 * Definitions in a program come before those of libraries, so that libnl calls these.
 * A netlink socket is one of a pair of UNIX sockets, whose other is the kernel's: poll()
 * and flags of descriptors are the real ones. A test includes this once.
 */
#ifndef KTPUT_UNIT_FAKE_NETLINK_H
#define KTPUT_UNIT_FAKE_NETLINK_H

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

#define FAKE_SOCKETS	8

/* A socket of the program, that of the kernel, and what was asked for. */
struct fake_socket {
	int fd, kernel;
	int protocol;
	uint32_t group;
	/* Errors of the next call to receive. */
	int error;
};

static struct fake_socket fake_sockets[FAKE_SOCKETS];
/* The test answers a request, with fake_send(). */
static void (*fake_request)(struct fake_socket *from, struct nlmsghdr *request);

static inline struct fake_socket *fake_find(int fd)
{
	for (int i = 0; i < FAKE_SOCKETS; i++)
		if (fake_sockets[i].kernel && fake_sockets[i].fd == fd)
			return &fake_sockets[i];
	return NULL;
}

int socket(int family, int type, int protocol)
{
	struct fake_socket *of;
	int pair[2];

	if (family != AF_NETLINK)
		return syscall(SYS_socket, family, type, protocol);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | (type & SOCK_CLOEXEC), 0, pair))
		return -1;
	for (of = fake_sockets; of->kernel; of++)
		if (of == &fake_sockets[FAKE_SOCKETS - 1])
			abort();
	*of = (struct fake_socket) {
		.fd = pair[0], .kernel = pair[1], .protocol = protocol,
	};
	return of->fd;
}

int close(int fd)
{
	struct fake_socket *of = fake_find(fd);

	if (of) {
		syscall(SYS_close, of->kernel);
		*of = (struct fake_socket) { 0 };
	}
	return syscall(SYS_close, fd);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	return fake_find(fd) ? 0 : syscall(SYS_bind, fd, address, size);
}

int getsockname(int fd, struct sockaddr *address, socklen_t *size)
{
	if (!fake_find(fd))
		return syscall(SYS_getsockname, fd, address, size);
	*(struct sockaddr_nl *)address = (struct sockaddr_nl) {
		.nl_family = AF_NETLINK, .nl_pid = 1000 + fd,
	};
	*size = sizeof(struct sockaddr_nl);
	return 0;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	struct fake_socket *of = fake_find(fd);

	if (!of)
		return syscall(SYS_setsockopt, fd, level, name, value, size);
	if (level == SOL_NETLINK && name == NETLINK_ADD_MEMBERSHIP)
		of->group = *(const uint32_t *)value;
	return 0;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct fake_socket *of = fake_find(fd);

	if (!of)
		return syscall(SYS_sendmsg, fd, message, flags);
	fake_request(of, message->msg_iov->iov_base);
	return message->msg_iov->iov_len;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	struct fake_socket *of = fake_find(fd);
	ssize_t length;

	if (of && of->error) {
		errno = of->error;
		of->error = 0;
		return -1;
	}
	length = syscall(SYS_recvmsg, fd, message, flags);
	if (of && length > 0 && message->msg_name) {
		*(struct sockaddr_nl *)message->msg_name = (struct sockaddr_nl) {
			.nl_family = AF_NETLINK,
		};
		message->msg_namelen = sizeof(struct sockaddr_nl);
	}
	return length;
}

/* A message for a socket, as an answer to a request or, of NULL, without being asked. */
static inline void fake_send(const struct fake_socket *to, struct nl_msg *msg,
			     const struct nlmsghdr *request)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);

	header->nlmsg_pid = 1000 + to->fd;
	header->nlmsg_seq = request ? request->nlmsg_seq : 0;
	if (send(to->kernel, header, header->nlmsg_len, MSG_NOSIGNAL) < 0)
		TEST_FAIL("cannot be sent: %s", strerror(errno));
	nlmsg_free(msg);
}

/* A message of a generic family, to be filled. */
static inline struct nl_msg *fake_message(int family, int command, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 0, family, 0, flags, command, 1);
	return msg;
}

/*
 * struct fake_refusal - what the kernel says to a request
 * @error: errno, negative; 0 acknowledges
 * @sentence: of the extended acknowledgment, or NULL
 * @offset: of the attribute that is meant, or 0
 * @least: least number that the attribute takes, told if @most is
 * @most: greatest
 * @whole: the request comes back with it, as without NETLINK_CAP_ACK
 */
struct fake_refusal {
	int error;
	const char *sentence;
	uint32_t offset;
	uint64_t least, most;
	bool whole;
};

static inline void fake_tell(struct nl_msg *msg, const struct fake_refusal *refusal)
{
	struct nlattr *policy;

	if (refusal->sentence)
		nla_put_string(msg, NLMSGERR_ATTR_MSG, refusal->sentence);
	if (refusal->offset)
		nla_put_u32(msg, NLMSGERR_ATTR_OFFS, refusal->offset);
	if (!refusal->most)
		return;
	policy = nla_nest_start(msg, NLMSGERR_ATTR_POLICY);
	nla_put_u64(msg, NL_POLICY_TYPE_ATTR_MIN_VALUE_U, refusal->least);
	nla_put_u64(msg, NL_POLICY_TYPE_ATTR_MAX_VALUE_U, refusal->most);
	nla_nest_end(msg, policy);
}

/* An acknowledgment, or an error. */
static inline void fake_acknowledge(const struct fake_socket *to,
				    const struct nlmsghdr *request,
				    const struct fake_refusal *refusal)
{
	const bool tells = refusal->sentence || refusal->offset || refusal->most;
	struct nl_msg *msg = nlmsg_alloc_simple(NLMSG_ERROR,
		(tells ? NLM_F_ACK_TLVS : 0) | (refusal->whole ? 0 : NLM_F_CAPPED));
	const struct nlmsgerr error = { .error = refusal->error, .msg = *request };

	nlmsg_append(msg, (void *)&error, sizeof(error), NLMSG_ALIGNTO);
	if (refusal->whole)
		nlmsg_append(msg, (char *)request + NLMSG_HDRLEN,
			     request->nlmsg_len - NLMSG_HDRLEN, NLMSG_ALIGNTO);
	fake_tell(msg, refusal);
	fake_send(to, msg, request);
}

/* The end of a dump, or its failure. */
static inline void fake_finish(const struct fake_socket *to,
			       const struct nlmsghdr *request,
			       const struct fake_refusal *refusal, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_simple(NLMSG_DONE, NLM_F_MULTI | flags |
		(refusal->sentence ? NLM_F_ACK_TLVS : 0));

	nlmsg_append(msg, (void *)&refusal->error, sizeof(refusal->error), NLMSG_ALIGNTO);
	fake_tell(msg, refusal);
	fake_send(to, msg, request);
}

#endif
