// SPDX-License-Identifier: GPL-2.0
/*
 * UDP at the socket layer: creating, connecting and closing sockets.
 *
 * Each stream has a socket of its own: those of a source are connected to
 * consecutive ports of the remote address, those of a sink are bound to
 * consecutive local ports.
 */
#include <linux/ktput_peers.h>
#include <linux/skbuff.h>
#include <net/dst.h>
#include <net/sock.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>

#include "address.h"
#include "compat/send_pages.h"
#include "datagram.h"
#include "datagram_snapshot.h"
#include "ops.h"
#include "run.h"
#include "snapshot.h"
#include "socket.h"
#include "udp.h"

/* Attempts to find enough consecutive free ports. */
#define PORT_ATTEMPTS	32

static int set_udp(struct socket *sock, int option, int value)
{
	return sock->ops->setsockopt(sock, SOL_UDP, option,
				     KERNEL_SOCKPTR(&value), sizeof(value));
}

/* Segments, and datagrams passed to IP directly, must not be fragmented. */
static int check_mtu(const struct ktput_run *run, struct sock *sk,
		     struct netlink_ext_ack *extack)
{
	const struct ktput_config *config = &run->config;
	const u32 headers = sizeof(struct udphdr) +
			    (config->remote.ss_family == AF_INET6 ?
			     sizeof(struct ipv6hdr) : sizeof(struct iphdr));
	struct dst_entry *dst;
	u32 mtu;

	dst = sk_dst_get(sk);
	mtu = dst ? dst_mtu(dst) : 0;
	dst_release(dst);
	if (mtu && config->message_size + headers > mtu) {
		NL_SET_ERR_MSG(extack, "size must fit the MTU of the route here");
		return -EMSGSIZE;
	}
	return 0;
}

/* A frame needs a fragment for each header and each page that it refers to. */
static int check_pages(const struct ktput_config *config,
		       struct netlink_ext_ack *extack)
{
	const u32 rest = config->message_size - KTPUT_MIN_DATAGRAM;

	if (config->method != KTPUT_METHOD_ZEROCOPY || config->segments == 1 ||
	    (config->segments <= KTPUT_PAGE_SEGMENTS &&
	     config->segments * (1 + DIV_ROUND_UP(rest, PAGE_SIZE)) <=
	     MAX_SKB_FRAGS))
		return 0;
	NL_SET_ERR_MSG(extack, "segments: more pages than a frame takes, use method copy");
	return -ERANGE;
}

static void explain_connect(struct netlink_ext_ack *extack, int error)
{
	switch (error) {
	case -ENETUNREACH:
	case -EHOSTUNREACH:
	case -ENETDOWN:
		NL_SET_ERR_MSG(extack, "remote address: no route to it");
		break;
	case -EACCES:
		NL_SET_ERR_MSG(extack, "remote address is a broadcast address");
		break;
	default:
		NL_SET_ERR_MSG(extack, "remote address cannot be sent to");
		break;
	}
}

/*
 * Another task may destroy the socket (udp_abort()), which takes a port away that nobody asked
 * for. The next call on it would bind another, and sleep for the socket's lock, although
 * softirqs are disabled in the turn of a source and in an answer: inet_autobind() has no
 * other way. A port that counts as asked for stays.
 */
static void keep_port(struct sock *sk)
{
	lock_sock(sk);
	sk->sk_userlocks |= SOCK_BINDPORT_LOCK;
	release_sock(sk);
}

static int connect(struct ktput_run *run, struct ktput_stream *stream,
		   struct netlink_ext_ack *extack)
{
	const struct ktput_config *config = &run->config;
	struct sockaddr_storage remote = config->remote;
	struct sockaddr_storage local = config->local;
	struct socket *sock;
	int error = 0;

	sock = ktput_socket_create(run, remote.ss_family, SOCK_DGRAM,
				   IPPROTO_UDP, extack);
	if (IS_ERR(sock))
		return PTR_ERR(sock);
	ktput_socket_of(stream)->sock = sock;
	ktput_socket_callbacks(&ktput_socket_of(stream)->before, sock);
	/* The stream sends with softirqs disabled. */
	sock->sk->sk_allocation = GFP_ATOMIC;
	if (config->pattern == KTPUT_PATTERN_PING_PONG)
		udp_tunnel_encap_enable(sock->sk);

	if (local.ss_family != AF_UNSPEC) {
		u16 port = ktput_address_port(&local);

		if (port)
			ktput_address_set_port(&local, port + stream->id);
		error = ktput_socket_bind(sock, &local, extack);
		if (error)
			return error;
	}
	ktput_address_set_port(&remote,
			       ktput_address_port(&remote) + stream->id);
	error = kernel_connect(sock, (void *)&remote,
			       ktput_address_length(&remote), 0);
	if (error) {
		explain_connect(extack, error);
		return error;
	}
	keep_port(sock->sk);
	if (config->segments > 1 || config->method == KTPUT_METHOD_DIRECT)
		error = check_mtu(run, sock->sk, extack);
	if (error || config->segments == 1)
		return error;
	error = set_udp(sock, UDP_SEGMENT, config->message_size);
	if (error)
		NL_SET_ERR_MSG(extack, "segments were refused");
	return error;
}

static struct ktput_stream *add_stream(struct ktput_run *run)
{
	struct ktput_stream *stream = ktput_run_add_stream(run, NUMA_NO_NODE);

	if (stream)
		ktput_udp_init_room(stream);
	return stream;
}

static int connect_all(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	u32 i;
	int error;

	error = check_pages(&run->config, extack);
	for (i = 0; !error && i < KTPUT_MAX_PREPARE_STEP &&
	     run->stream_count < run->config.streams; i++) {
		struct ktput_stream *stream = add_stream(run);

		if (!stream)
			return -ENOMEM;
		error = connect(run, stream, extack);
	}
	return error ?: run->stream_count < run->config.streams;
}

/* Without an address, both IP versions, or IPv4 only if IPv6 is off. */
static struct socket *create_sink(struct ktput_run *run, bool any,
				  struct netlink_ext_ack *extack)
{
	struct sockaddr_storage *local = &run->config.local;
	struct socket *sock;

	if (local->ss_family == AF_UNSPEC)
		local->ss_family = AF_INET6;
	sock = ktput_socket_create(run, local->ss_family, SOCK_DGRAM,
				   IPPROTO_UDP, extack);
	if (any && local->ss_family == AF_INET6 && IS_ERR(sock) &&
	    PTR_ERR(sock) == -EAFNOSUPPORT) {
		local->ss_family = AF_INET;
		sock = ktput_socket_create(run, AF_INET, SOCK_DGRAM,
					   IPPROTO_UDP, extack);
	}
	if (!IS_ERR(sock) && local->ss_family == AF_INET6)
		sock->sk->sk_ipv6only = !any;
	return sock;
}

/*
 * Sets UDP options of a sink. This switches static branches, and so sleeps for
 * a lock that is held when the run begins.
 */
static int prepare_sink(const struct ktput_config *config, struct socket *sock,
			struct netlink_ext_ack *extack)
{
	int error = 0;

	if (config->segments > 1) {
		error = set_udp(sock, UDP_GRO, 1);
		if (error)
			NL_SET_ERR_MSG(extack, "segments were refused");
	} else if (config->method == KTPUT_METHOD_ZEROCOPY) {
		udp_tunnel_encap_enable(sock->sk);
	}
	return error;
}

/* Binds the next stream to the port after that of the previous one. */
static int bind_next(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	struct ktput_preparation *at = &run->preparation;
	struct ktput_stream *stream = run->streams[at->done];
	struct sockaddr_storage local;
	struct socket *sock;
	int error;

	sock = create_sink(run, at->any, extack);
	if (IS_ERR(sock))
		return PTR_ERR(sock);
	ktput_socket_of(stream)->sock = sock;
	ktput_socket_callbacks(&ktput_socket_of(stream)->before, sock);
	error = prepare_sink(&run->config, sock, extack);
	if (error)
		return error;
	if (at->port && at->port + at->done > U16_MAX)
		return -EADDRINUSE;
	local = run->config.local;
	ktput_address_set_port(&local, at->port ? at->port + at->done : 0);
	error = ktput_socket_bind(sock, &local, extack);
	if (error)
		return error;
	keep_port(sock->sk);
	if (!at->port)
		at->port = inet_sk(sock->sk)->inet_num;
	at->done++;
	return 0;
}

static void release_stale(struct ktput_run *run)
{
	struct ktput_socket *socket =
		ktput_socket_of(run->streams[--run->preparation.stale]);

	sock_release(socket->sock);
	socket->sock = NULL;
}

/* Begins again with other ports, unless they are given or there are none. */
static int retry(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	struct ktput_preparation *at = &run->preparation;

	/* One that was not given is written only when all are bound. */
	if (ktput_address_port(&run->config.local))
		return -EADDRINUSE;
	if (!--at->attempts) {
		NL_SET_ERR_MSG(extack, "no local port is free for so many streams");
		return -EADDRINUSE;
	}
	/* It was in use by somebody, which is no refusal. */
	if (extack)
		extack->_msg = NULL;
	at->stale = at->done + 1;
	at->done = 0;
	at->port = 0;
	return 0;
}

static int add_sink(struct ktput_run *run)
{
	struct ktput_stream *stream = add_stream(run);

	if (!stream)
		return -ENOMEM;
	if (run->ops->take)
		return 0;
	stream->turn.take = run->config.method == KTPUT_METHOD_ZEROCOPY ?
			    ktput_udp_direct : ktput_udp_sink;
	ktput_arrivals_init(ktput_udp_arrivals(stream));
	return 0;
}

static int add_peers(struct ktput_run *run)
{
	const u32 streams = run->config.streams;
	u32 i;

	if (!run->config.peer_silence)
		return 0;
	run->peers = kvcalloc(streams, sizeof(*run->peers), GFP_KERNEL_ACCOUNT);
	if (!run->peers)
		return -ENOMEM;
	for (i = 0; i < streams; i++)
		run->peers[i].silence = run->config.peer_silence;
	return 0;
}

static void free_peers(struct ktput_run *run)
{
	kvfree(run->peers);
}

static int bind_all(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	struct ktput_preparation *at = &run->preparation;
	int error = 0;
	u32 i;

	if (!at->begun) {
		at->begun = true;
		at->any = run->config.local.ss_family == AF_UNSPEC;
		at->port = ktput_address_port(&run->config.local);
		at->attempts = PORT_ATTEMPTS;
		error = add_peers(run);
	}
	for (i = 0; !error && i < KTPUT_MAX_PREPARE_STEP; i++) {
		if (at->stale) {
			release_stale(run);
			continue;
		}
		if (at->done == run->config.streams)
			break;
		if (at->done == run->stream_count)
			error = add_sink(run);
		if (!error)
			error = bind_next(run, extack);
		if (error == -EADDRINUSE)
			error = retry(run, extack);
	}
	if (error || at->done < run->config.streams || at->stale)
		return error ?: 1;
	ktput_address_set_port(&run->config.local, at->port);
	return 0;
}

static void begin_sinks(struct ktput_run *run)
{
	unsigned int i;

	for (i = 0; i < run->stream_count; i++)
		ktput_stream_begin(run->streams[i],
				   run->workers[i % run->worker_count]);
}

static void attach_sink(struct ktput_stream *stream)
{
	if (stream->run->config.method == KTPUT_METHOD_ZEROCOPY)
		ktput_udp_attach_direct(stream);
	else
		ktput_socket_attach(stream);
	stream->remote.ss_family = AF_UNSPEC;
}

static void attach_source(struct ktput_stream *stream)
{
	struct ktput_udp_stream *udp = ktput_udp_of(stream);

	/* A callback may make the turn look up a route at once. */
	ktput_udp_path_of_sock(&udp->path, udp->socket.sock->sk);
	ktput_socket_attach(stream);
	/*
	 * Each datagram takes a reference on the route, of which the kernel
	 * caches one per CPU: the first send looks up that of the stream's CPU.
	 */
	sk_dst_reset(udp->socket.sock->sk);
	if (stream->run->config.method == KTPUT_METHOD_ZEROCOPY &&
	    !KTPUT_DATAGRAM_PAGES)
		udp->socket.copied = true;
}

static void leave(struct ktput_stream *stream)
{
	if (!ktput_socket_of(stream)->sock)
		return;
	WRITE_ONCE(udp_sk(ktput_socket_sk(stream))->encap_rcv, NULL);
	ktput_socket_detach(stream);
	ktput_udp_forget_room(stream);
	ktput_udp_path_release(&ktput_udp_of(stream)->path);
}

static void retire(struct ktput_stream *stream)
{
	ktput_udp_look(stream);
	ktput_socket_retire(stream);
}

static void close(struct ktput_stream *stream)
{
	struct ktput_socket *socket = ktput_socket_of(stream);

	if (socket->closing)
		sock_release(socket->closing);
	socket->closing = NULL;
}

static void read_stream(struct ktput_stream_reading *to,
			struct ktput_stream *stream)
{
	const struct ktput_udp_stream *udp = ktput_udp_of(stream);

	to->copied = udp->socket.copied;
	to->refusals = READ_ONCE(udp->refusals);
	to->failures = READ_ONCE(udp->failures);
	to->failure = READ_ONCE(udp->failure);
	to->drops = ktput_udp_drops(stream);
}

static void read_sink(struct ktput_stream_reading *to,
		      struct ktput_stream *stream)
{
	read_stream(to, stream);
	ktput_datagram_read(to, stream->run, ktput_udp_arrivals(stream));
}

static int put_source(struct sk_buff *skb,
		      const struct ktput_stream_reading *stream)
{
	return ktput_socket_put(skb, stream) ?:
	       ktput_datagram_put_source(skb, stream);
}

const struct ktput_ops ktput_udp_source_ops = {
	.stream_size = sizeof(struct ktput_udp_stream),
	.prepare = connect_all,
	.begin = ktput_stream_begin_all,
	.attach = attach_source,
	.drained = ktput_udp_drained,
	.look = ktput_udp_look,
	.retire = retire,
	.leave = leave,
	.close = close,
	.closes_late = true,
	.take = ktput_udp_source,
	.read = read_stream,
	.put = put_source,
};

const struct ktput_ops ktput_udp_sink_ops = {
	.stream_size = sizeof(struct ktput_udp_sink_stream),
	.prepare = bind_all,
	.begin = begin_sinks,
	.attach = attach_sink,
	.look = ktput_udp_look,
	.retire = retire,
	.leave = leave,
	.close = close,
	.closes_late = true,
	.read = read_sink,
	.put = ktput_datagram_put_sink,
	.free = free_peers,
};

const struct ktput_ops ktput_udp_pingpong_source_ops = {
	.stream_size = sizeof(struct ktput_udp_stream),
	.prepare = connect_all,
	.begin = ktput_stream_begin_all,
	.attach = ktput_udp_pingpong_attach,
	.drained = ktput_udp_drained,
	.look = ktput_udp_look,
	.retire = retire,
	.leave = ktput_udp_pingpong_leave,
	.close = close,
	.closes_late = true,
	.take = ktput_udp_pingpong,
	.read = read_stream,
	.put = put_source,
};

const struct ktput_ops ktput_udp_pingpong_sink_ops = {
	.stream_size = sizeof(struct ktput_udp_stream),
	.prepare = bind_all,
	.begin = begin_sinks,
	.attach = ktput_udp_pingpong_attach,
	.drained = ktput_udp_drained,
	.look = ktput_udp_look,
	.retire = retire,
	.leave = ktput_udp_pingpong_leave,
	.close = close,
	.closes_late = true,
	.take = ktput_udp_pingpong,
	.read = read_stream,
	.put = ktput_datagram_put_sink,
};
