// SPDX-License-Identifier: GPL-2.0
/*
 * socket: sockets with the options of a run.
 *
 * All are non-blocking: a thread has streams of its CPU to serve, and must hear
 * at any time that it is to answer or to end. A write() that finds no room for
 * all of a message sends what there is room for, and the event that there is
 * more comes at the same fill level that would wake a blocking one. That costs
 * an epoll_wait() for a sleep, which a blocking call would not need, and saves
 * the select() of tools that wait before each call.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "socket.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP	262
#endif

/**
 * user_socket_set() - set an option that is a number
 * @fd: socket
 * @level: protocol
 * @option: option
 * @value: its value
 * @attribute: what a refusal is to name
 * @err: why it is refused
 */
int user_socket_set(int fd, int level, int option, int value,
		    const char *attribute, struct units_error *err)
{
	if (!setsockopt(fd, level, option, &value, sizeof(value)))
		return 0;
	return units_refuse(err, "refused: %s: %s", attribute, strerror(errno));
}

/* What is over net.core.*mem_max takes privilege, and is cut without a word. */
static int set_buffer(int fd, int force, int option, uint64_t bytes,
		      const char *attribute, struct units_error *err)
{
	int value = bytes, effect = 0;
	socklen_t size = sizeof(effect);

	if (!bytes || !setsockopt(fd, SOL_SOCKET, force, &value,
				  sizeof(value)))
		return 0;
	if (user_socket_set(fd, SOL_SOCKET, option, value, attribute, err))
		return -1;
	getsockopt(fd, SOL_SOCKET, option, &effect, &size);
	/* The kernel doubles it. */
	if ((uint64_t)effect / 2 >= bytes)
		return 0;
	return units_refuse(err,
			    "refused: %s: without privilege at most %d here (net.core.%s)",
			    attribute, effect / 2,
			    option == SO_SNDBUF ? "wmem_max" : "rmem_max");
}

/* Set after the receive buffer, by which the kernel silently clamps it. */
static int set_rcvlowat(int fd, const struct user_settings *settings,
			struct units_error *err)
{
	int bytes = user_settings_number(settings, KTPUT_A_CONFIG_RCVLOWAT);
	socklen_t size = sizeof(int);
	int effect = 0;

	if (!bytes)
		return 0;
	if (user_socket_set(fd, SOL_SOCKET, SO_RCVLOWAT, bytes, "rcvlowat",
			    err))
		return -1;
	getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &effect, &size);
	if (effect >= bytes)
		return 0;
	units_refuse(err, "refused: rcvlowat beyond half of the receive buffer");
	errno = ERANGE;
	return -1;
}

static int set_ip(int fd, int family, const struct user_settings *settings,
		  struct units_error *err)
{
	int tos = user_settings_number(settings, KTPUT_A_CONFIG_TOS);
	int priority = user_settings_number(settings, KTPUT_A_CONFIG_PRIORITY);

	if (tos && family == AF_INET &&
	    user_socket_set(fd, IPPROTO_IP, IP_TOS, tos, "tos", err))
		return -1;
	if (tos && family == AF_INET6 &&
	    user_socket_set(fd, IPPROTO_IPV6, IPV6_TCLASS, tos, "tos", err))
		return -1;
	/* After the type of service, which sets a priority of its own. */
	if (priority && user_socket_set(fd, SOL_SOCKET, SO_PRIORITY, priority,
					"priority", err))
		return -1;
	return 0;
}

static int set_tcp(int fd, const struct user_settings *settings,
		   struct units_error *err)
{
	const struct config *config = &settings->config;
	uint64_t rate = settings->pacing_rate;
	int mss = user_settings_number(settings, KTPUT_A_CONFIG_MSS);

	if (config->congestion[0] &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, config->congestion,
		       strlen(config->congestion)))
		return units_refuse(err, errno == ENOENT ?
				    "refused: congestion: no such congestion control"
				    :
				    "refused: congestion: this congestion control was refused");
	if (mss && user_socket_set(fd, IPPROTO_TCP, TCP_MAXSEG, mss, "mss",
				   err))
		return -1;
	if (config_has(config, KTPUT_A_CONFIG_NODELAY) &&
	    user_socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1, "nodelay", err))
		return -1;
	if (set_rcvlowat(fd, settings, err))
		return -1;
	if (!rate || !setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate,
				 sizeof(rate)))
		return 0;
	return units_refuse(err, "refused: pace: %s", strerror(errno));
}

static int set_options(int fd, int family,
		       const struct user_settings *settings,
		       struct units_error *err)
{
	int device = user_settings_number(settings, KTPUT_A_CONFIG_DEV);

	if (set_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF,
		       user_settings_number(settings,
					    KTPUT_A_CONFIG_SNDBUF),
		       "sndbuf", err) ||
	    set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF,
		       user_settings_number(settings,
					    KTPUT_A_CONFIG_RCVBUF),
		       "rcvbuf", err) ||
	    set_ip(fd, family, settings, err))
		return -1;
	if (device && user_socket_set(fd, SOL_SOCKET, SO_BINDTOIFINDEX, device,
				      "device", err))
		return -1;
	if (settings->source && settings->method == KTPUT_METHOD_ZEROCOPY &&
	    user_socket_set(fd, SOL_SOCKET, SO_ZEROCOPY, 1,
			    "method: zerocopy", err))
		return -1;
	if (settings->busy_poll_us &&
	    user_socket_set(fd, SOL_SOCKET, SO_BUSY_POLL,
			    settings->busy_poll_us, "busy-poll", err))
		return -1;
	return settings->udp ? 0 : set_tcp(fd, settings, err);
}

/* Make a socket with the options of a run; -1 with a sentence in @err, and errno. */
static int make(const struct user_settings *settings, int family,
		struct units_error *err)
{
	int fd = socket(family, (settings->udp ? SOCK_DGRAM : SOCK_STREAM) |
			SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return units_refuse(err, "no socket: %s", strerror(errno));
	if (!set_options(fd, family, settings, err))
		return fd;
	close(fd);
	return -1;
}

/**
 * user_socket_make_any() - make a socket of a sink
 * @settings: of the run; without an address the family is filled in
 * @err: why there is none
 *
 * With no address given it is of both IP versions, or of IPv4 where there is no
 * IPv6.
 *
 * Return: the socket, or -1 with a sentence in @err.
 */
int user_socket_make_any(struct user_settings *settings,
			 struct units_error *err)
{
	struct address *local = &settings->config.local;
	int fd;

	if (address_family(local) == AF_UNSPEC)
		local->storage.ss_family = AF_INET6;
	fd = make(settings, address_family(local), err);
	if (fd < 0 && settings->any && errno == EAFNOSUPPORT) {
		local->storage.ss_family = AF_INET;
		fd = make(settings, AF_INET, err);
	}
	if (fd >= 0 && address_family(local) == AF_INET6 &&
	    user_socket_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, !settings->any,
			    "local address", err)) {
		close(fd);
		return -1;
	}
	return fd;
}

/**
 * user_socket_bind() - bind a socket
 * @fd: socket
 * @local: address and port of this side
 * @err: why it is refused
 *
 * Return: 0, or -1 with a sentence in @err, and with errno.
 */
int user_socket_bind(int fd, const struct address *local,
		     struct units_error *err)
{
	const uint16_t port = address_port(local);
	const char *why;
	int error;

	if (!bind(fd, (const struct sockaddr *)&local->storage,
		  address_family(local) == AF_INET6 ? sizeof(local->ipv6) :
						      sizeof(local->ipv4)))
		return 0;
	error = errno;
	if (error == EADDRINUSE)
		why = "no local port is free";
	else if (error == EADDRNOTAVAIL)
		why = "local address is not an address of this network namespace";
	else if (error == EACCES)
		why = "local-port is for CAP_NET_BIND_SERVICE alone";
	else
		why = strerror(error);
	if (error == EADDRINUSE && port)
		units_refuse(err, "refused: port %u is in use", port);
	else
		units_refuse(err, "refused: %s", why);
	errno = error;
	return -1;
}

/**
 * user_socket_make_source() - make a socket of a source, bound where it is said
 * @settings: of the run
 * @id: number of the stream, whose port is as many after the first
 * @err: why there is none
 *
 * Return: the socket, or -1 with a sentence in @err.
 */
int user_socket_make_source(const struct user_settings *settings, uint32_t id,
			    struct units_error *err)
{
	const struct config *config = &settings->config;
	const uint16_t port = config->number[KTPUT_A_CONFIG_LOCAL_PORT];
	const int family = address_family(&config->remote);
	int fd = make(settings, family, err);
	struct address local = config->local;

	if (fd < 0 || (!port && address_family(&local) == AF_UNSPEC))
		return fd;
	local.storage.ss_family = family;
	address_set_port(&local, port ? port + id : 0);
	/* An earlier connection from that port may be in TIME_WAIT. */
	if (port && !settings->udp &&
	    user_socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1, "from-port", err)) {
		close(fd);
		return -1;
	}
	/* Which ports are free, those in TIME_WAIT too, depends on the peer. */
	if (!port && !settings->udp &&
	    user_socket_set(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1,
			    "local address", err)) {
		close(fd);
		return -1;
	}
	if (!user_socket_bind(fd, &local, err))
		return fd;
	close(fd);
	return -1;
}

/**
 * user_socket_tell_local() - have a socket tell to which address each datagram was sent
 * @fd: socket of UDP, bound to no address
 * @family: its family; that of IPv6 tells the mapped one of IPv4
 * @err: why it is refused
 */
int user_socket_tell_local(int fd, int family, struct units_error *err)
{
	return family == AF_INET6 ?
	       user_socket_set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1,
			       "local address", err) :
	       user_socket_set(fd, IPPROTO_IP, IP_PKTINFO, 1, "local address",
			       err);
}

/**
 * user_socket_is_mptcp() - whether a socket is of MPTCP
 * @fd: socket
 *
 * This program makes none: a wrapper such as mptcpize(8), or a BPF program, does.
 *
 * Return: true if so.
 */
bool user_socket_is_mptcp(int fd)
{
	socklen_t size = sizeof(int);
	int protocol = 0;

	getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size);
	return protocol == IPPROTO_MPTCP;
}

/**
 * user_socket_local() - where a socket is bound
 * @fd: socket
 * @local: filled in
 */
void user_socket_local(int fd, struct address *local)
{
	socklen_t size = sizeof(local->storage);

	getsockname(fd, (struct sockaddr *)&local->storage, &size);
}

/* Which leaves struct timespec to its user. */
#include <linux/errqueue.h>

#include "user_engine.h"

/* Calls under way that a stream has buffers for, beside those of a batch. */
#define SLOTS	64

/**
 * user_zerocopy_slots() - messages that a stream of UDP has buffers for
 * @settings: of its run
 *
 * Return: messages, a call of a batch each.
 */
uint32_t user_zerocopy_slots(const struct user_settings *settings)
{
	return SLOTS + settings->batch;
}

static void take(struct user_stream *stream,
		 const struct sock_extended_err *told)
{
	const struct user_settings *settings =
		&stream->thread->engine->settings;
	uint32_t number;

	if (told->ee_origin != SO_EE_ORIGIN_ZEROCOPY || told->ee_errno)
		return;
	stream->zerocopy.done += told->ee_data - told->ee_info + 1;
	if (told->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		stream->copied = true;
	if (!stream->busy)
		return;
	for (number = told->ee_info; number != told->ee_data + 1; number++)
		stream->busy[number % user_zerocopy_slots(settings)] = false;
}

/**
 * user_zerocopy_reap() - read what the kernel has to tell
 * @stream: stream of a source
 */
void user_zerocopy_reap(struct user_stream *stream)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[256];
	} control;
	struct msghdr message;
	struct cmsghdr *cmsg;

	while (!user_zerocopy_done(stream)) {
		message = (struct msghdr) {
			.msg_control = &control,
			.msg_controllen = sizeof(control),
		};
		if (recvmsg(stream->fd, &message,
			    MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		for (cmsg = CMSG_FIRSTHDR(&message); cmsg;
		     cmsg = CMSG_NXTHDR(&message, cmsg)) {
			struct sock_extended_err told;

			if ((cmsg->cmsg_level != IPPROTO_IP ||
			     cmsg->cmsg_type != IP_RECVERR) &&
			    (cmsg->cmsg_level != IPPROTO_IPV6 ||
			     cmsg->cmsg_type != IPV6_RECVERR))
				continue;
			memcpy(&told, CMSG_DATA(cmsg), sizeof(told));
			take(stream, &told);
		}
	}
}
