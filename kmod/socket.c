// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of streams: their options, and how they make their streams ready.
 *
 * Options are set in the context of who asks for the run, so that it is their
 * privilege that the kernel checks.
 */
#include <linux/netdevice.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "address.h"
#include "netns.h"
#include "run.h"
#include "socket.h"
#include "stream.h"

/*
 * Sets a buffer of a size, which the kernel doubles. Without the privilege it
 * makes less of what is beyond wmem_max or rmem_max, and says nothing.
 */
static int set_buffer(struct socket *sock, int option, int size,
		      const int *buffer, bool force)
{
	int error = sock_setsockopt(sock, SOL_SOCKET, option,
				    KERNEL_SOCKPTR(&size), sizeof(size));

	if (!error && !force && READ_ONCE(*buffer) / 2 < size)
		error = -EPERM;
	return error;
}

static int set_buffers(struct socket *sock, const struct ktput_config *config,
		       struct netlink_ext_ack *extack)
{
	const bool force = config->privileged;
	int error = 0;

	if (config->send_buffer)
		error = set_buffer(sock, force ? SO_SNDBUFFORCE : SO_SNDBUF,
				   config->send_buffer, &sock->sk->sk_sndbuf,
				   force);
	if (error) {
		NL_SET_ERR_MSG(extack, "send-buffer beyond net.core.wmem_max"
			       KTPUT_PRIVILEGED);
		return error;
	}
	if (config->receive_buffer)
		error = set_buffer(sock, force ? SO_RCVBUFFORCE : SO_RCVBUF,
				   config->receive_buffer,
				   &sock->sk->sk_rcvbuf, force);
	if (error)
		NL_SET_ERR_MSG(extack, "receive-buffer beyond net.core.rmem_max"
			       KTPUT_PRIVILEGED);
	return error;
}

static int set_ip(struct socket *sock, const struct ktput_config *config,
		  struct netlink_ext_ack *extack)
{
	int tclass = config->tos;
	int error = 0;

	if (config->tos) {
		ip_sock_set_tos(sock->sk, config->tos);
		if (sock->sk->sk_family == AF_INET6)
			error = sock->ops->setsockopt(sock, SOL_IPV6,
						      IPV6_TCLASS,
						      KERNEL_SOCKPTR(&tclass),
						      sizeof(tclass));
		if (error) {
			NL_SET_ERR_MSG(extack, "tos was refused");
			return error;
		}
	}
	/* After the type of service, which sets a priority of its own. */
	if (config->priority)
		sock_set_priority(sock->sk, config->priority);
	return 0;
}

static int bind_device(struct socket *sock, struct net *net, u32 index,
		       struct netlink_ext_ack *extack)
{
	struct net_device *dev;
	int error = -ENODEV;

	rcu_read_lock();
	dev = dev_get_by_index_rcu(net, index);
	if (dev)
		error = dev->flags & IFF_UP ? 0 : -ENETDOWN;
	rcu_read_unlock();
	if (error == -ENODEV)
		NL_SET_ERR_MSG(extack, "device: none with this index in this network namespace");
	else if (error)
		NL_SET_ERR_MSG(extack, "device is down; set it up first");
	return error ?: sock_bindtoindex(sock->sk, index, true);
}

static int set_pacing(struct socket *sock, const struct ktput_config *config,
		      struct netlink_ext_ack *extack)
{
	unsigned long rate = config->pacing_rate;
	int error;

	/* Only TCP paces by itself; other streams do so in their turns. */
	if (!rate || config->transport != KTPUT_TRANSPORT_TCP)
		return 0;
	error = sock_setsockopt(sock, SOL_SOCKET, SO_MAX_PACING_RATE,
				KERNEL_SOCKPTR(&rate), sizeof(rate));
	if (error)
		NL_SET_ERR_MSG(extack, "pacing-rate was refused");
	return error;
}

/**
 * ktput_socket_create() - make a socket with the options of a run
 * @run: run
 * @family: AF_INET or AF_INET6
 * @type: SOCK_STREAM or SOCK_DGRAM
 * @protocol: IPPROTO_TCP or IPPROTO_UDP
 * @extack: told why it is refused
 *
 * Return: the socket, or an ERR_PTR().
 */
struct socket *ktput_socket_create(struct ktput_run *run, int family, int type,
				   int protocol,
				   struct netlink_ext_ack *extack)
{
	const struct ktput_config *config = &run->config;
	struct net *net = ktput_netns_net(run->netns);
	struct socket *sock;
	int error;

	error = sock_create_kern(net, family, type, protocol, &sock);
	if (error) {
		NL_SET_ERR_MSG(extack, "no socket can be made in this network namespace");
		return ERR_PTR(error);
	}
	error = set_buffers(sock, config, extack);
	if (!error)
		error = set_ip(sock, config, extack);
	if (!error && config->device)
		error = bind_device(sock, net, config->device, extack);
	if (!error)
		error = set_pacing(sock, config, extack);
	if (!error)
		return sock;
	sock_release(sock);
	return ERR_PTR(error);
}

/**
 * ktput_socket_bind() - bind a socket
 * @sock: socket
 * @local: address and port of this side
 * @extack: told why it is refused
 *
 * Return: 0, or the errno of the refusal.
 */
int ktput_socket_bind(struct socket *sock,
		      const struct sockaddr_storage *local,
		      struct netlink_ext_ack *extack)
{
	struct sockaddr_storage address = *local;
	int error;

	error = kernel_bind(sock, (void *)&address,
			    ktput_address_length(&address));
	/* Others, want of memory among them, are told by their numbers. */
	switch (error) {
	case -EADDRINUSE:
		if (ktput_address_port(local))
			NL_SET_ERR_MSG(extack, "local-port is in use");
		else
			NL_SET_ERR_MSG(extack, "no local port is free");
		break;
	case -EADDRNOTAVAIL:
		NL_SET_ERR_MSG(extack, "local address is not an address of this network namespace");
		break;
	case -EACCES:
		NL_SET_ERR_MSG(extack, "local-port is for CAP_NET_BIND_SERVICE alone");
		break;
	}
	return error;
}

static void make_ready(struct sock *sk)
{
	struct ktput_stream *stream;

	rcu_read_lock();
	stream = rcu_dereference_sk_user_data(sk);
	if (stream)
		ktput_turn_ready(&stream->turn);
	rcu_read_unlock();
}

static void write_space(struct sock *sk)
{
	if (!sk_stream_is_writeable(sk))
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	make_ready(sk);
}

/* Called for each frame of a datagram socket that is freed. */
static void datagram_space(struct sock *sk)
{
	struct ktput_stream *stream;

	/* What was freed, before @needs_room is read; see ktput_udp_source(). */
	smp_mb__after_atomic();
	rcu_read_lock();
	stream = rcu_dereference_sk_user_data(sk);
	if (stream && READ_ONCE(stream->needs_room) && sock_writeable(sk)) {
		WRITE_ONCE(stream->needs_room, false);
		ktput_turn_ready(&stream->turn);
	}
	rcu_read_unlock();
}

/**
 * ktput_socket_callbacks() - read what a socket calls
 * @callbacks: filled in
 * @sock: socket
 */
void ktput_socket_callbacks(struct ktput_callbacks *callbacks,
			    const struct socket *sock)
{
	callbacks->data_ready = sock->sk->sk_data_ready;
	callbacks->write_space = sock->sk->sk_write_space;
	callbacks->state_change = sock->sk->sk_state_change;
}

/*
 * The device, not what the socket takes for its capabilities: TCP counts on the
 * kernel to segment and to gather for a device that cannot, by copying.
 */
static bool gathers(const struct sock *sk)
{
	const struct dst_entry *dst;
	bool gathers;

	rcu_read_lock();
	dst = rcu_dereference(sk->sk_dst_cache);
	gathers = dst && dst->dev->features & NETIF_F_SG;
	rcu_read_unlock();
	return gathers;
}

/**
 * ktput_socket_attach() - have a socket make its stream ready
 * @stream: stream with a socket and with @before filled in
 *
 * The turn's worker is set already: callbacks may come before this returns.
 */
void ktput_socket_attach(struct ktput_stream *stream)
{
	struct sock *sk = stream->sock->sk;

	ktput_address_of_sock(&stream->local, &stream->remote, sk);
	stream->copied = stream->run->config.method == KTPUT_METHOD_PAGES &&
			 !gathers(sk);
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, stream);
	sk->sk_data_ready = make_ready;
	sk->sk_state_change = make_ready;
	sk->sk_write_space = sk->sk_type == SOCK_DGRAM ? datagram_space :
							 write_space;
	write_unlock_bh(&sk->sk_callback_lock);
}

/**
 * ktput_socket_detach() - undo ktput_socket_attach()
 * @stream: stream with a socket, attached or not
 *
 * Callbacks that have found the stream may still be running.
 */
void ktput_socket_detach(struct ktput_stream *stream)
{
	struct sock *sk = stream->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_user_data) {
		rcu_assign_sk_user_data(sk, NULL);
		sk->sk_data_ready = stream->before.data_ready;
		sk->sk_state_change = stream->before.state_change;
		sk->sk_write_space = stream->before.write_space;
	}
	write_unlock_bh(&sk->sk_callback_lock);
}
