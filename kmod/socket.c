// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of streams: their options, and the callbacks that make streams ready.
 *
 * Options are set in the context of the requester, so that the kernel checks
 * the requester's privileges.
 */
#include <linux/netdevice.h>
#include <net/ipv6.h>
#include <net/netlink.h>
#include <net/sock.h>

#include "address.h"
#include "netns.h"
#include "run.h"
#include "snapshot.h"
#include "socket.h"
#include "socket_options.h"
#include "stream.h"

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
	/* After the type of service, which also sets a priority. */
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
		NL_SET_ERR_MSG(extack, "dev: none with this index in this network namespace");
	else if (error)
		NL_SET_ERR_MSG(extack, "dev is down; set it up first");
	return error ?: sock_bindtoindex(sock->sk, index, true);
}

static int set_pacing(struct socket *sock, const struct ktput_config *config,
		      struct netlink_ext_ack *extack)
{
	unsigned long rate = config->pacing_rate;
	int error;

	/* Only TCP has its own pacing; other streams pace in their turns. */
	if (!rate || config->transport != KTPUT_TRANSPORT_TCP)
		return 0;
	error = sock_setsockopt(sock, SOL_SOCKET, SO_MAX_PACING_RATE,
				KERNEL_SOCKPTR(&rate), sizeof(rate));
	if (error)
		NL_SET_ERR_MSG(extack, "pace was refused");
	return error;
}

static bool is_datagram(const struct sock *sk)
{
	return sk->sk_type == SOCK_DGRAM;
}

static void set_owner(struct sock *sk, void *owner)
{
	lockdep_assert_held_write(&sk->sk_callback_lock);
	__rcu_assign_sk_user_data_with_flags(sk, owner, SK_USER_DATA_NOCOPY);
}

/*
 * sk_user_data of a listener, and of the connections that it has not accepted:
 * no pointer, but a flag without which a sockmap would take them. It lacks
 * SK_USER_DATA_NOCOPY, so connections inherit it. The kernel combines it with a
 * pointer to an array of BPF, and ignores it without one
 * (bpf_sk_reuseport_detach()).
 */
#define LISTENER_FLAG	SK_USER_DATA_BPF

/*
 * Reserves sk_user_data of a socket whose value there is as expected; returns
 * false if it has another owner.
 *
 * A BPF program may put a socket into a sockmap. A sockmap accepts only sockets
 * whose sk_user_data is 0, and needs the value that it writes there to close
 * the socket. So sk_user_data is not 0 from before a BPF program can find the
 * socket (when it is bound, connected or listens) until the socket is released.
 * Without a stream it is only a flag, for which rcu_dereference_sk_user_data()
 * returns NULL.
 */
static bool claim(struct sock *sk, uintptr_t expected)
{
	bool free;

	write_lock_bh(&sk->sk_callback_lock);
	free = (uintptr_t)sk->sk_user_data == expected;
	if (free)
		set_owner(sk, NULL);
	write_unlock_bh(&sk->sk_callback_lock);
	return free;
}

/**
 * ktput_socket_mark_listener() - keep sockmaps from connections of a listener
 * @sk: from ktput_socket_create(), not bound yet
 *
 * The connections carry no pointer of ktput until they are accepted, so that
 * the kernel may pass them to another listener.
 */
void ktput_socket_mark_listener(struct sock *sk)
{
	write_lock_bh(&sk->sk_callback_lock);
	__rcu_assign_sk_user_data_with_flags(sk, NULL, LISTENER_FLAG);
	write_unlock_bh(&sk->sk_callback_lock);
}

/**
 * ktput_socket_claim_accepted() - reserve sk_user_data of a connection
 * @sk: connection that a listener of ktput has accepted
 *
 * Return: true, or false if sk_user_data is in use: the caller releases the
 * socket.
 */
bool ktput_socket_claim_accepted(struct sock *sk)
{
	return claim(sk, LISTENER_FLAG);
}

/**
 * ktput_socket_create() - make a socket with the options of a run
 * @run: run
 * @family: AF_INET or AF_INET6
 * @type: SOCK_STREAM or SOCK_DGRAM
 * @protocol: IPPROTO_TCP or IPPROTO_UDP
 * @extack: gets the reason of a refusal
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
	if (!claim(sock->sk, 0)) {
		NL_SET_ERR_MSG(extack, "a new socket has an owner already (sk_user_data)");
		error = -EBUSY;
	}
	if (!error)
		error = ktput_socket_options_set(sock, config, extack);
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
 * @extack: gets the reason of a refusal
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
	/* Other errors, including lack of memory, are reported by number. */
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

/*
 * Ends a run whose datagram socket another task has destroyed (sock_diag, BPF):
 * it is no longer connected, or has lost its port. udp_abort() calls this after
 * it has set the error. If a call of the stream has taken the error before it
 * is read here, the call ends the run, see ktput_socket_gone().
 */
static void error_report(struct sock *sk)
{
	struct ktput_stream *stream;

	rcu_read_lock();
	stream = rcu_dereference_sk_user_data(sk);
	if (stream)
		ktput_socket_gone(stream, -READ_ONCE(sk->sk_err));
	rcu_read_unlock();
}

/**
 * ktput_socket_gone() - end the run of a datagram socket that was destroyed
 * @stream: its stream
 * @error: negative errno of a call; nothing happens if it has another cause
 *
 * Any context.
 */
void ktput_socket_gone(struct ktput_stream *stream, int error)
{
	if (unlikely(error == -ECONNABORTED))
		ktput_run_end(stream->run, KTPUT_REASON_ERROR, ECONNABORTED);
}

/**
 * ktput_socket_callbacks() - read the callbacks of a socket
 * @callbacks: filled in
 * @sock: socket
 */
void ktput_socket_callbacks(struct ktput_callbacks *callbacks,
			    const struct socket *sock)
{
	callbacks->data_ready = sock->sk->sk_data_ready;
	callbacks->write_space = sock->sk->sk_write_space;
	callbacks->change = is_datagram(sock->sk) ? sock->sk->sk_error_report :
						    sock->sk->sk_state_change;
}

/* Callers of callbacks read them without a lock. */
static void set_callbacks(struct sock *sk,
			  const struct ktput_callbacks *callbacks)
{
	lockdep_assert_held_write(&sk->sk_callback_lock);
	WRITE_ONCE(sk->sk_data_ready, callbacks->data_ready);
	WRITE_ONCE(sk->sk_write_space, callbacks->write_space);
	if (is_datagram(sk))
		WRITE_ONCE(sk->sk_error_report, callbacks->change);
	else
		WRITE_ONCE(sk->sk_state_change, callbacks->change);
}

/*
 * Checks the device, not the socket's capabilities: for a device that cannot
 * segment or gather, TCP relies on the kernel to do so, by copying.
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

/*
 * Takes the lock under which events happen: datagrams are queued, or the state
 * of a connection changes. An event before that is seen by the turn that
 * follows the attachment. An event after that sees the callbacks, and through
 * them the stream, all of which were written before. Without the lock, the CPU
 * of the event might read a former callback before its event is visible to the
 * turn.
 */
static void order_events(struct sock *sk)
{
	spinlock_t *lock = is_datagram(sk) ? &sk->sk_receive_queue.lock :
					     &sk->sk_lock.slock;

	spin_lock_bh(lock);
	spin_unlock_bh(lock);
}

/**
 * ktput_socket_attach_to() - install the callbacks of a stream in its socket
 * @stream: stream with a socket and with @before filled in
 * @data_ready: callback for received data
 *
 * The other callbacks make the stream ready, or end the run. Room in a datagram
 * socket is the exception, see ktput_udp_await_room(). The turn's worker is set
 * already: callbacks may run before this returns. The caller makes the stream
 * ready once thereafter.
 */
void ktput_socket_attach_to(struct ktput_stream *stream,
			    void (*data_ready)(struct sock *sk))
{
	struct ktput_socket *socket = ktput_socket_of(stream);
	struct sock *sk = socket->sock->sk;
	const bool datagram = is_datagram(sk);
	const struct ktput_callbacks callbacks = {
		.data_ready = data_ready,
		.write_space = datagram ? socket->before.write_space :
					  write_space,
		.change = datagram ? error_report : make_ready,
	};

	ktput_address_of_sock(&stream->local, &stream->remote, sk);
	socket->copied = ktput_run_sends_pages(stream->run) && !gathers(sk);
	write_lock_bh(&sk->sk_callback_lock);
	set_owner(sk, stream);
	set_callbacks(sk, &callbacks);
	write_unlock_bh(&sk->sk_callback_lock);
	order_events(sk);
}

/**
 * ktput_socket_attach() - install callbacks that make a stream ready
 * @stream: as for ktput_socket_attach_to()
 */
void ktput_socket_attach(struct ktput_stream *stream)
{
	ktput_socket_attach_to(stream, make_ready);
}

/**
 * ktput_socket_detach() - undo ktput_socket_attach()
 * @stream: stream with a socket, attached or not
 *
 * Callbacks that have found the stream may still be running.
 */
void ktput_socket_detach(struct ktput_stream *stream)
{
	struct sock *sk = ktput_socket_sk(stream);

	write_lock_bh(&sk->sk_callback_lock);
	set_owner(sk, NULL);
	set_callbacks(sk, &ktput_socket_of(stream)->before);
	write_unlock_bh(&sk->sk_callback_lock);
}

/**
 * ktput_socket_retire() - take the socket of a stream from its readers
 * @stream: stream after ktput_socket_detach(); the caller holds the run's lock
 *
 * The socket is left to be closed.
 */
void ktput_socket_retire(struct ktput_stream *stream)
{
	struct ktput_socket *socket = ktput_socket_of(stream);

	lockdep_assert_held(&stream->run->lock);
	socket->closing = socket->sock;
	socket->sock = NULL;
}

/**
 * ktput_socket_put() - write the state specific to a source's socket
 * @skb: message
 * @stream: reading
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_socket_put(struct sk_buff *skb,
		     const struct ktput_stream_reading *stream)
{
	return stream->copied ? nla_put_flag(skb, KTPUT_A_STREAM_COPIED) : 0;
}
