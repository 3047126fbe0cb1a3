// SPDX-License-Identifier: GPL-2.0
/*
 * UDP at the socket layer: requests and responses.
 *
 * Datagrams are taken in turns, from the receive queue, or in softirq, as by
 * tunnels (encap_rcv). In both cases answers are built here and passed to IP.
 * In softirq nothing sleeps, and no answer is sent from within another, see
 * ktput_pingpong_enter(): such a datagram goes to the receive queue, where the
 * worker finds it.
 */
#include <linux/bitops.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktput_send_errors.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/udp.h>

#include "compat/encap_error.h"
#include "datagram.h"
#include "pingpong.h"
#include "socket.h"
#include "udp.h"

/* Most datagrams that a turn takes. */
#define TURN_DATAGRAMS	64

static bool is_source(const struct ktput_stream *stream)
{
	return stream->run->config.role == KTPUT_ROLE_SOURCE;
}

/* Returns bytes sent, or a negative errno. */
static int send(struct ktput_stream *stream, struct sock *sk, int oif,
		const struct ktput_datagram *header, u32 size)
{
	struct ktput_udp_path *path = &ktput_udp_of(stream)->path;
	const struct ktput_payload *payload = &stream->turn.worker->payload;
	struct dst_entry *dst;
	int sent;

	lockdep_assert_held(&stream->pingpong->lock);
	if (unlikely(stream->pingpong->closed))
		return -ESHUTDOWN;
	if (sk_wmem_alloc_get(sk) >= READ_ONCE(sk->sk_sndbuf))
		return -EAGAIN;
	rcu_read_lock();
	dst = ktput_udp_route(path, sk, oif);
	sent = IS_ERR(dst) ? PTR_ERR(dst) :
			     ktput_udp_emit(sk, path, dst, header,
					    page_address(payload->pages), size);
	rcu_read_unlock();
	return sent;
}

/* Returns when to try again; where there is no room, the socket tells. */
static u64 not_sent(struct ktput_stream *stream, struct sock *sk, int error,
		    u64 now, struct ktput_counters *delta)
{
	if (ktput_send_error(-error) == KTPUT_SEND_ROOM) {
		delta->would_blocks++;
		if (ktput_udp_await_room(stream, sk))
			ktput_turn_ready(&stream->turn);
		return KTPUT_PINGPONG_NEVER;
	}
	if (ktput_udp_rides_out(stream, -error))
		return now + KTPUT_SEND_RETRY_NS;
	WRITE_ONCE(stream->pingpong->error, -error);
	return KTPUT_PINGPONG_NEVER;
}

/* Sends the requests that are due. Returns when to send the next one. */
static u64 request(struct ktput_stream *stream, struct sock *sk, u64 now,
		   struct ktput_counters *delta)
{
	const struct ktput_config *config = &stream->run->config;
	struct ktput_pingpong *pingpong = stream->pingpong;

	while (READ_ONCE(stream->state) == KTPUT_STATE_RUNNING) {
		const u64 due = ktput_pingpong_due(stream);
		struct ktput_datagram header;
		u32 slot;
		int sent;

		if (due > now)
			return due;
		/*
		 * A slot is free, since fewer requests are under way than
		 * allowed.
		 */
		slot = ffz(pingpong->waiting);
		ktput_datagram_fill(&header, config->cookie,
				    ktput_pingpong_sequence(pingpong, slot),
				    ktput_datagram_now());
		delta->calls++;
		sent = send(stream, sk, sk->sk_bound_dev_if, &header,
			    config->pingpong.request_size);
		if (unlikely(sent < 0))
			return not_sent(stream, sk, sent, now, delta);
		delta->bytes += sent;
		ktput_udp_of(stream)->failed_in_row = 0;
		ktput_pingpong_begin_datagram(stream, slot, now);
	}
	return KTPUT_PINGPONG_NEVER;
}

static bool same_path(const struct ktput_udp_path *a,
		      const struct ktput_udp_path *b)
{
	if (a->ipv6 != b->ipv6 || a->sport != b->sport || a->dport != b->dport)
		return false;
	if (!a->ipv6)
		return a->saddr == b->saddr && a->daddr == b->daddr;
	return ipv6_addr_equal(&a->saddr6, &b->saddr6) &&
	       ipv6_addr_equal(&a->daddr6, &b->daddr6);
}

/* Fills in the path back to the sender of a datagram. */
static void turn_round(struct ktput_udp_path *path, const struct sk_buff *skb)
{
	const struct udphdr *udp = udp_hdr(skb);
	struct ktput_udp_path back = {
		.ipv6 = skb->protocol == htons(ETH_P_IPV6),
		.sport = udp->dest,
		.dport = udp->source,
	};

	if (back.ipv6) {
		back.saddr6 = ipv6_hdr(skb)->daddr;
		back.daddr6 = ipv6_hdr(skb)->saddr;
	} else {
		back.saddr = ip_hdr(skb)->daddr;
		back.daddr = ip_hdr(skb)->saddr;
	}
	if (likely(same_path(path, &back)))
		return;
	ktput_udp_path_release(path);
	*path = back;
}

static void respond(struct ktput_stream *stream, struct sock *sk,
		    const struct sk_buff *skb,
		    const struct ktput_datagram *header,
		    struct ktput_counters *delta)
{
	struct ktput_udp_path *path = &ktput_udp_of(stream)->path;
	int oif = sk->sk_bound_dev_if;
	int sent;

	/* The route is being released by the closing task. */
	if (unlikely(stream->pingpong->closed)) {
		delta->drops++;
		return;
	}
	turn_round(path, skb);
	/* A link-local address is valid only on the device it came from. */
	if (path->ipv6 && ipv6_addr_type(&path->daddr6) & IPV6_ADDR_LINKLOCAL)
		oif = inet6_iif(skb);
	delta->calls++;
	sent = send(stream, sk, oif, header,
		    stream->run->config.pingpong.response_size);
	/* The request will time out at the source. */
	if (unlikely(sent < 0)) {
		delta->drops++;
		return;
	}
	delta->bytes += sent;
	delta->messages++;
}

/* Takes a datagram whose payload begins at an offset. */
static void take(struct ktput_stream *stream, struct sock *sk,
		 const struct sk_buff *skb, u32 offset, u64 now,
		 struct ktput_counters *delta)
{
	const __be32 cookie = cpu_to_be32(stream->run->config.cookie);
	const struct ktput_datagram *header;
	struct ktput_datagram copy;

	lockdep_assert_held(&stream->pingpong->lock);
	header = ktput_datagram_find(skb, offset, skb->len - offset, cookie,
				     &copy);
	if (unlikely(!header))
		return;
	delta->bytes += skb->len - offset;
	if (!is_source(stream))
		respond(stream, sk, skb, header, delta);
	else if (ktput_pingpong_take_response(stream, header, now))
		delta->messages++;
}

/* Takes a datagram in softirq. Its checksum has been verified. */
static void answer(struct ktput_stream *stream, struct sock *sk,
		   const struct sk_buff *skb)
{
	const u64 begin = ktput_counters_clock();
	struct ktput_counters delta = { .calls = 1 };
	const u64 now = ktime_get_ns();
	bool concerns = false;

	spin_lock(&stream->pingpong->lock);
	take(stream, sk, skb, sizeof(struct udphdr), now, &delta);
	if (is_source(stream)) {
		const u64 due = request(stream, sk, now, &delta);

		concerns = ktput_pingpong_concerns_worker(stream, due);
	}
	delta.call_cycles = ktput_counters_clock() - begin;
	ktput_pingpong_account(stream, &delta);
	spin_unlock(&stream->pingpong->lock);
	if (unlikely(concerns))
		ktput_turn_ready(&stream->turn);
}

/*
 * Called with the RCU read lock held. Returns 1 to queue the datagram, also if
 * this CPU sees the callback before it sees the stream.
 */
static int encapsulated(struct sock *sk, struct sk_buff *skb)
{
	struct ktput_stream *stream = rcu_dereference_sk_user_data(sk);

	if (!stream || !ktput_pingpong_enter())
		return 1;
	answer(stream, sk, skb);
	ktput_pingpong_leave();
	/*
	 * With a budget other than 0, the skb is cached for the next one built
	 * on this CPU.
	 */
	napi_consume_skb(skb, 1);
	return 0;
}

/*
 * Handles an ICMP error. The kernel leaves errors of sockets that receive as
 * tunnels do to the tunnel. The worker finds it as for any other socket.
 */
static void refused(KTPUT_ENCAP_ERROR_ARGS)
{
	struct ktput_stream *stream;

	if (!ktput_encap_error_refuses(skb) ||
	    READ_ONCE(sk->sk_state) != TCP_ESTABLISHED)
		return;
	WRITE_ONCE(sk->sk_err, ECONNREFUSED);
	rcu_read_lock();
	stream = rcu_dereference_sk_user_data(sk);
	if (stream)
		ktput_turn_ready(&stream->turn);
	rcu_read_unlock();
}

/* Counts what ICMP tells. Returns false if the error is not of the network. */
static bool told(struct ktput_stream *stream, int error)
{
	bool counted;

	ktput_pingpong_lock(stream->pingpong);
	counted = ktput_udp_rides_out(stream, -error);
	ktput_pingpong_unlock(stream->pingpong);
	return counted;
}

/* Takes what is in the receive queue. Returns false if more may be there. */
static bool empty_queue(struct ktput_stream *stream, struct sock *sk,
			struct ktput_counters *delta)
{
	unsigned int i;

	for (i = 0; i < TURN_DATAGRAMS; i++) {
		struct sk_buff *skb;
		int error;

		skb = ktput_udp_dequeue(stream, sk, &error);
		if (!skb && error != -EAGAIN && told(stream, error))
			continue;
		if (!skb)
			return true;
		delta->calls++;
		ktput_pingpong_lock(stream->pingpong);
		take(stream, sk, skb, 0, ktime_get_ns(), delta);
		ktput_pingpong_unlock(stream->pingpong);
		consume_skb(skb);
	}
	return false;
}

/*
 * Gives up requests that have timed out and sends those that are due. Returns
 * when the next request is due.
 */
static u64 go_on(struct ktput_stream *stream, struct sock *sk,
		 struct ktput_counters *delta, bool *idle)
{
	struct ktput_pingpong *pingpong = stream->pingpong;
	const u64 now = ktime_get_ns();
	u64 due;

	ktput_pingpong_lock(pingpong);
	ktput_pingpong_give_up(stream, now);
	due = request(stream, sk, now, delta);
	*idle = !pingpong->under_way;
	ktput_pingpong_unlock(pingpong);
	return due;
}

/**
 * ktput_udp_pingpong() - a turn of a stream of ping-pong
 * @turn: of the stream
 * @delta: filled in
 *
 * Return: whether it waits for a datagram, for room or for a request to become
 * due.
 */
enum ktput_verdict ktput_udp_pingpong(struct ktput_turn *turn,
				      struct ktput_counters *delta)
{
	struct ktput_stream *stream =
		container_of(turn, struct ktput_stream, turn);
	const enum ktput_state state = READ_ONCE(stream->state);
	struct sock *sk;
	bool empty, idle;
	u64 due;

	if (state == KTPUT_STATE_ENDED || stream->error)
		return ktput_stream_wind_up(stream, state);
	sk = ktput_socket_sk(stream);
	ktput_udp_look(stream);
	empty = empty_queue(stream, sk, delta);
	if (!is_source(stream))
		return empty ? KTPUT_TURN_WAIT : KTPUT_TURN_AGAIN;

	due = go_on(stream, sk, delta, &idle);
	WRITE_ONCE(stream->error, READ_ONCE(stream->pingpong->error));
	if (stream->error || !empty)
		return KTPUT_TURN_AGAIN;
	if (idle && state == KTPUT_STATE_DRAINING)
		return ktput_udp_drained(stream);
	if (idle && !stream->messages_left) {
		ktput_pingpong_sent_all(stream);
		return KTPUT_TURN_WAIT;
	}
	return ktput_pingpong_wait(stream, due);
}

/**
 * ktput_udp_pingpong_attach() - install the callbacks of a stream
 * @stream: stream with a socket, bound, and connected for a source
 */
void ktput_udp_pingpong_attach(struct ktput_stream *stream)
{
	struct sock *sk = ktput_socket_sk(stream);

	if (is_source(stream))
		ktput_udp_path_of_sock(&ktput_udp_of(stream)->path, sk);
	ktput_socket_attach(stream);
	if (!is_source(stream))
		stream->remote.ss_family = AF_UNSPEC;
	if (!ktput_pingpong_in_callback(stream))
		return;
	WRITE_ONCE(udp_sk(sk)->encap_rcv, encapsulated);
	/* Never cleared: the kernel reads it once to check, and once to call. */
	WRITE_ONCE(udp_sk(sk)->encap_err_rcv, refused);
	WRITE_ONCE(udp_sk(sk)->encap_type, KTPUT_UDP_ENCAP_TYPE);
}

/**
 * ktput_udp_pingpong_leave() - undo ktput_udp_pingpong_attach()
 * @stream: stream, attached or not
 *
 * The route is released when no callback uses it any more.
 */
void ktput_udp_pingpong_leave(struct ktput_stream *stream)
{
	if (!ktput_socket_of(stream)->sock)
		return;
	WRITE_ONCE(udp_sk(ktput_socket_sk(stream))->encap_rcv, NULL);
	ktput_socket_detach(stream);
	ktput_pingpong_close(stream);
	ktput_udp_forget_room(stream);
	/* Earlier holders of the lock have finished with it. */
	ktput_udp_path_release(&ktput_udp_of(stream)->path);
}
