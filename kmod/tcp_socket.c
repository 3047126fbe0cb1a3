// SPDX-License-Identifier: GPL-2.0
/*
 * TCP at the socket layer: creating, accepting and closing sockets.
 *
 * A kernel socket loses its timers when it is closed (tcp_close() stops them if
 * sk_net_refcnt is 0). An unacknowledged FIN would then leave it behind
 * forever. So a stream drains before it is closed, with all timers running, and
 * a stream that cannot drain is reset. In LAST_ACK and CLOSING, where the peer
 * has sent its FIN and ours is on its way, tcp_disconnect() sends no RST: if
 * our FIN is lost, the next segment from the peer is answered with a RST.
 *
 * A connection begins as a copy of its listener, with the callbacks and
 * sk_user_data, and it is ktput's only once it is accepted. Until then the
 * kernel may give it to a listener of somebody else: all listeners of a port
 * may have SO_REUSEPORT (a BPF program sets that, at any time), and then those
 * that are queued move to another one when this one is closed, or destroyed by
 * another task (tcp_migrate_req, or a BPF program that selects one). So a
 * listener has nothing to copy: its callbacks are the kernel's, its
 * sk_user_data is a flag, and events reach the turn by an entry in its wait
 * queue. A copy has no wait queue (sk_clone_lock() clears sk_wq). No matter how
 * it leaves the queue, it refers to nothing of the module.
 */
#include <linux/in.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <net/sock_reuseport.h>
#include <net/tcp.h>

#include "address.h"
#include "ops.h"
#include "run.h"
#include "snapshot.h"
#include "socket.h"
#include "tcp.h"

/* Most connections that a turn of the listener accepts. */
#define ACCEPT_WINDOW	64

/* Probes without an answer after which a peer has vanished. */
#define KEEPALIVE_PROBES	3

static int set_tcp(struct socket *sock, const struct ktput_config *config,
		   struct netlink_ext_ack *extack)
{
	int error;

	if (config->congestion[0]) {
		error = sock->ops->setsockopt(sock, SOL_TCP, TCP_CONGESTION,
				KERNEL_SOCKPTR((void *)config->congestion),
				strlen(config->congestion));
		if (error == -ENOENT)
			NL_SET_ERR_MSG(extack, "congestion: no such congestion control");
		else if (error)
			NL_SET_ERR_MSG(extack, "congestion: this congestion control was refused");
		if (error)
			return error;
	}
	if (config->no_delay)
		tcp_sock_set_nodelay(sock->sk);
	return 0;
}

static struct socket *create(struct ktput_run *run, int family,
			     struct netlink_ext_ack *extack)
{
	struct socket *sock;
	int error;

	sock = ktput_socket_create(run, family, SOCK_STREAM, IPPROTO_TCP,
				   extack);
	if (IS_ERR(sock))
		return sock;
	error = set_tcp(sock, &run->config, extack);
	if (!error)
		return sock;
	sock_release(sock);
	return ERR_PTR(error);
}

/* Which ports are free, including those in TIME_WAIT, depends on the peer. */
static int choose_port_late(struct socket *sock)
{
	int on = 1;

	return sock->ops->setsockopt(sock, SOL_IP, IP_BIND_ADDRESS_NO_PORT,
				     KERNEL_SOCKPTR(&on), sizeof(on));
}

/**
 * ktput_tcp_source_socket() - create a socket for a connection
 * @stream: stream of a source; its @before is filled in
 * @extack: gets the reason of a failure, or NULL
 *
 * Return: the socket, bound if the configuration says so, or an ERR_PTR().
 */
struct socket *ktput_tcp_source_socket(struct ktput_stream *stream,
				       struct netlink_ext_ack *extack)
{
	struct ktput_run *run = stream->run;
	struct sockaddr_storage local = run->config.local;
	const u16 port = ktput_address_port(&local);
	struct socket *sock;
	int error;

	sock = create(run, run->config.remote.ss_family, extack);
	if (IS_ERR(sock))
		return sock;
	ktput_socket_callbacks(&ktput_socket_of(stream)->before, sock);
	if (local.ss_family == AF_UNSPEC)
		return sock;
	if (port) {
		ktput_address_set_port(&local, port + stream->id);
		/* An earlier connection from that port may be in TIME_WAIT. */
		sock_set_reuseaddr(sock->sk);
		error = 0;
	} else {
		error = choose_port_late(sock);
	}
	if (!error)
		error = ktput_socket_bind(sock, &local, extack);
	if (!error)
		return sock;
	sock_release(sock);
	return ERR_PTR(error);
}

/*
 * A connection can be accepted, or the socket no longer listens. Called under
 * the lock of the wait queue. The entry was added under that lock, so its
 * turn's worker is visible here. Events before that are found by the turn that
 * begin_listening() makes ready.
 */
static int event_came(struct wait_queue_entry *entry, unsigned int mode,
		      int flags, void *key)
{
	struct ktput_listener *listener =
		container_of(entry, struct ktput_listener, event);

	ktput_turn_ready(&listener->turn);
	return 0;
}

/* Finds a stream for a new connection: a new one, or one that has ended. */
static struct ktput_stream *stream_for(struct ktput_listener *listener)
{
	struct ktput_run *run = listener->run;
	struct ktput_stream *stream;

	lockdep_assert_held(&run->lock);
	stream = ktput_run_add_stream(run, NUMA_NO_NODE);
	if (stream) {
		stream->turn.worker = run->workers[listener->next];
		if (++listener->next == run->worker_count)
			listener->next = 0;
		return stream;
	}
	if (run->config.once)
		return NULL;
	stream = list_first_entry_or_null(&run->idle, struct ktput_stream,
					  idle);
	if (!stream)
		return NULL;
	list_del(&stream->idle);
	/*
	 * It stays with its worker, where its turn may still be queued. Such a
	 * turn finds a stream that has ended, or starts it.
	 */
	list_del(&stream->node);
	stream->id = run->next_id++;
	stream->error = 0;
	stream->tally.first_cycles = 0;
	stream->tally.last_cycles = 0;
	/* The thread, the only writer, may still be adding to them. */
	ktput_counters_read(&stream->earlier, &stream->tally.counters);
	return stream;
}

static void accept_one(struct ktput_listener *listener, struct socket *sock)
{
	struct ktput_run *run = listener->run;
	struct ktput_stream *stream = NULL;

	mutex_lock(&run->lock);
	if (ktput_socket_claim_accepted(sock->sk))
		stream = stream_for(listener);
	if (stream) {
		ktput_socket_of(stream)->sock = sock;
		ktput_socket_callbacks(&ktput_socket_of(stream)->before, sock);
		ktput_stream_begin(stream, stream->turn.worker);
		WRITE_ONCE(run->accepted, run->accepted + 1);
	}
	mutex_unlock(&run->lock);
	if (stream)
		return;

	WRITE_ONCE(run->refused, run->refused + 1);
	sock_no_linger(sock->sk);
	sock_release(sock);
}

static enum ktput_verdict accept_turn(struct ktput_turn *turn,
				      struct ktput_counters *delta)
{
	struct ktput_listener *listener =
		container_of(turn, struct ktput_listener, turn);
	unsigned int i;

	for (i = 0; i < ACCEPT_WINDOW; i++) {
		struct socket *sock;
		int error;

		error = kernel_accept(listener->sock, &sock, O_NONBLOCK);
		if (error == -EAGAIN)
			return KTPUT_TURN_WAIT;
		if (error == -EINVAL) {
			/*
			 * Another task has destroyed it, and it no longer
			 * listens.
			 */
			ktput_run_end(listener->run, KTPUT_REASON_ERROR,
				      ECONNABORTED);
			return KTPUT_TURN_WAIT;
		}
		if (!error)
			accept_one(listener, sock);
	}
	return KTPUT_TURN_AGAIN;
}

static struct socket *listener_socket(struct ktput_run *run,
				      struct netlink_ext_ack *extack)
{
	struct sockaddr_storage *local = &run->config.local;
	struct socket *sock;

	if (local->ss_family == AF_INET)
		return create(run, AF_INET, extack);
	sock = create(run, AF_INET6, extack);
	if (local->ss_family == AF_INET6)
		return sock;

	/* Any address: both IP versions, or IPv4 only if IPv6 is off. */
	if (IS_ERR(sock) && PTR_ERR(sock) == -EAFNOSUPPORT) {
		local->ss_family = AF_INET;
		return create(run, AF_INET, extack);
	}
	local->ss_family = AF_INET6;
	if (!IS_ERR(sock))
		sock->sk->sk_ipv6only = false;
	return sock;
}

/*
 * Connections inherit it. A peer that is silent for half of the time is probed, and the
 * connection ends at the last of the probes that fit in the rest, also where it owes an
 * acknowledgment. User space does the same.
 */
static void set_silence(struct sock *sk, u64 silence)
{
	const int idle = min_t(u64, div_u64(silence, 2 * NSEC_PER_SEC),
			       MAX_TCP_KEEPIDLE);
	const int each = idle / KEEPALIVE_PROBES;

	if (!silence)
		return;
	tcp_sock_set_keepidle(sk, idle);
	tcp_sock_set_keepintvl(sk, each);
	tcp_sock_set_keepcnt(sk, KEEPALIVE_PROBES);
	tcp_sock_set_user_timeout(sk, (idle + KEEPALIVE_PROBES * each) *
				      MSEC_PER_SEC - each * MSEC_PER_SEC / 2);
}

/* Connections wait in the backlog until begin_listening(). */
static int listen(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	const bool only_ipv6 = run->config.local.ss_family == AF_INET6;
	struct ktput_listener *listener;
	struct socket *sock;
	int somaxconn, error;

	listener = kzalloc(sizeof(*listener), GFP_KERNEL_ACCOUNT);
	if (!listener)
		return -ENOMEM;
	run->listener = listener;
	listener->run = run;
	listener->turn.take = accept_turn;
	init_waitqueue_func_entry(&listener->event, event_came);
	INIT_LIST_HEAD(&listener->event.entry);

	sock = listener_socket(run, extack);
	if (IS_ERR(sock))
		return PTR_ERR(sock);
	listener->sock = sock;
	ktput_socket_mark_listener(sock->sk);
	if (only_ipv6)
		sock->sk->sk_ipv6only = true;
	sock_set_reuseaddr(sock->sk);
	/*
	 * Connections inherit it, so that those of vanished peers do not stay
	 * forever.
	 */
	sock_set_keepalive(sock->sk);
	set_silence(sock->sk, run->config.peer_silence);

	error = ktput_socket_bind(sock, &run->config.local, extack);
	if (error)
		return error;
	/* The backlog of a kernel socket is not bounded otherwise. */
	somaxconn = READ_ONCE(sock_net(sock->sk)->core.sysctl_somaxconn);
	error = kernel_listen(sock, min(somaxconn, SOMAXCONN));
	if (error) {
		NL_SET_ERR_MSG(extack, "local-port cannot be listened on");
		return error;
	}
	ktput_address_set_port(&run->config.local,
			       inet_sk(sock->sk)->inet_num);
	return 0;
}

static void begin_listening(struct ktput_run *run)
{
	struct ktput_listener *listener = run->listener;

	listener->turn.worker = run->workers[0];
	add_wait_queue(sk_sleep(listener->sock->sk), &listener->event);
	ktput_turn_ready(&listener->turn);
}

/*
 * Resets the connections that have not been accepted. If the socket has become
 * one of several that share the port, it leaves them first, since others must
 * not inherit its connections: they hold no reference on the namespace, as
 * nothing of a kernel socket does. To join such a group again, or for the first
 * time, the socket has to be found among those that listen.
 */
static void reset_queue(struct sock *sk)
{
	lock_sock(sk);
	sk->sk_prot->unhash(sk);
	release_sock(sk);
	if (rcu_access_pointer(sk->sk_reuseport_cb))
		reuseport_detach_sock(sk);
}

/* No event is under way once the entry is removed, under the queue's lock. */
static void unlisten(struct ktput_run *run)
{
	struct ktput_listener *listener = run->listener;
	struct socket *sock = listener ? listener->sock : NULL;

	if (!sock)
		return;
	if (!list_empty(&listener->event.entry))
		remove_wait_queue(sk_sleep(sock->sk), &listener->event);
	reset_queue(sock->sk);
	listener->sock = NULL;
	sock_release(sock);
}

static void free_listener(struct ktput_run *run)
{
	kfree(run->listener);
}

static void shut_down(struct ktput_stream *stream)
{
	kernel_sock_shutdown(ktput_socket_of(stream)->sock, SHUT_WR);
}

/**
 * ktput_tcp_may_close() - whether a socket can be closed without a timer, see above
 * @sk: socket
 *
 * If tcp_fin_timeout exceeds TCP_TIMEWAIT_LEN, tcp_close() keeps FIN_WAIT2 in
 * the socket, on a timer.
 *
 * Return: true if closing needs no timer.
 */
bool ktput_tcp_may_close(const struct sock *sk)
{
	const int state = READ_ONCE(sk->sk_state);

	return state == TCP_CLOSE || state == TCP_TIME_WAIT ||
	       (state == TCP_FIN_WAIT2 && tcp_fin_time(sk) <= TCP_TIMEWAIT_LEN);
}

static void look(struct ktput_stream *stream)
{
	const struct socket *sock = ktput_socket_of(stream)->sock;

	if (sock)
		tcp_get_info(sock->sk, &ktput_tcp_of(stream)->tcp_info);
}

static void leave(struct ktput_stream *stream)
{
	if (ktput_socket_of(stream)->sock)
		ktput_socket_detach(stream);
}

static void retire(struct ktput_stream *stream)
{
	look(stream);
	ktput_socket_retire(stream);
}

static void close(struct ktput_stream *stream)
{
	struct ktput_socket *socket = ktput_socket_of(stream);
	struct socket *sock = socket->closing;

	socket->closing = NULL;
	if (!sock)
		return;
	if (!ktput_tcp_may_close(sock->sk))
		sock_no_linger(sock->sk);
	sock_release(sock);
}

static void read_stream(struct ktput_stream_reading *to,
			struct ktput_stream *stream)
{
	const struct ktput_tcp_stream *tcp = ktput_tcp_of(stream);

	to->copied = tcp->socket.copied;
	to->tcp_info = tcp->tcp_info;
}

static int put_stream(struct sk_buff *skb,
		      const struct ktput_stream_reading *stream)
{
	return ktput_socket_put(skb, stream) ?:
	       nla_put(skb, KTPUT_A_STREAM_TCP_INFO, sizeof(stream->tcp_info),
		       &stream->tcp_info);
}

const struct ktput_ops ktput_tcp_source_ops = {
	.stream_size = sizeof(struct ktput_tcp_stream),
	.prepare = ktput_tcp_prepare_sources,
	.connect = ktput_tcp_connect_sources,
	.begin = ktput_stream_begin_all,
	.attach = ktput_socket_attach,
	.shut_down = shut_down,
	.drained = ktput_tcp_drained,
	.look = look,
	.retire = retire,
	.leave = leave,
	.close = close,
	.take = ktput_tcp_source,
	.read = read_stream,
	.put = put_stream,
};

const struct ktput_ops ktput_tcp_sink_ops = {
	.stream_size = sizeof(struct ktput_tcp_stream),
	.prepare = listen,
	.begin = begin_listening,
	.end = unlisten,
	.free = free_listener,
	.attach = ktput_socket_attach,
	.shut_down = shut_down,
	.drained = ktput_tcp_drained,
	.look = look,
	.retire = retire,
	.leave = leave,
	.close = close,
	.take = ktput_tcp_sink,
	.read = read_stream,
	.put = put_stream,
};

const struct ktput_ops ktput_tcp_pingpong_source_ops = {
	.stream_size = sizeof(struct ktput_tcp_stream),
	.prepare = ktput_tcp_prepare_sources,
	.connect = ktput_tcp_connect_sources,
	.begin = ktput_stream_begin_all,
	.end = ktput_tcp_release_model,
	.attach = ktput_tcp_pingpong_attach,
	.drained = ktput_tcp_drained,
	.look = look,
	.retire = retire,
	.leave = ktput_tcp_pingpong_leave,
	.close = close,
	.take = ktput_tcp_pingpong,
	.read = read_stream,
	.put = put_stream,
};

const struct ktput_ops ktput_tcp_pingpong_sink_ops = {
	.stream_size = sizeof(struct ktput_tcp_stream),
	.prepare = listen,
	.begin = begin_listening,
	.end = unlisten,
	.free = free_listener,
	.attach = ktput_tcp_pingpong_attach,
	.shut_down = shut_down,
	.drained = ktput_tcp_drained,
	.look = look,
	.retire = retire,
	.leave = ktput_tcp_pingpong_leave,
	.close = close,
	.take = ktput_tcp_pingpong,
	.read = read_stream,
	.put = put_stream,
};
