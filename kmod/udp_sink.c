// SPDX-License-Identifier: GPL-2.0
/*
 * UDP at the socket layer: receiving datagrams, in turns or in softirq.
 *
 * In softirq, a sink that takes one datagram at a time is called as tunnels are
 * (encap_rcv), before the receive queue. For such a sink the kernel would split
 * GSO packets. So a sink that takes several at once is called when they are in
 * the receive queue, and empties it right there, without a wake-up.
 */
#include <linux/ktput_peers.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>
#include <linux/timex.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>

#include "contexts.h"
#include "datagram.h"
#include "extend.h"
#include "run.h"
#include "socket.h"
#include "udp.h"

/* Most calls in a turn, so that thousands of streams on a CPU get their turns. */
#define TURN_CALLS	64

/* The sender of an skb, whose headers the stack has found. */
static struct ktput_peer peer_of(const struct sk_buff *skb)
{
	struct ktput_peer peer = { .port = ntohs(udp_hdr(skb)->source) };
	struct in6_addr address;

	if (skb->protocol == htons(ETH_P_IPV6))
		address = ipv6_hdr(skb)->saddr;
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, &address);
	memcpy(peer.address, &address, sizeof(peer.address));
	peer.last = ktime_get_ns();
	return peer;
}

/*
 * Accounts the datagrams in an skb whose payload begins at an offset, which came
 * when the cycle counter was @cycles. The caller holds the lock.
 */
static void account_locked(struct ktput_stream *stream,
			   const struct sk_buff *skb, u32 offset, u64 cycles,
			   struct ktput_counters *delta)
{
	const __be32 cookie = cpu_to_be32(stream->run->config.cookie);
	struct ktput_arrivals *arrivals = ktput_udp_arrivals(stream);
	u32 left = skb->len - offset;
	const u32 size = skb_is_gso(skb) ? skb_shinfo(skb)->gso_size : left;
	struct ktput_peers *peers = stream->run->peers;
	const u64 now = ktput_datagram_now();
	u64 bytes = 0, messages = 0;
	struct ktput_peer peer;

	if (peers)
		peer = peer_of(skb);
	arrivals->calls++;
	arrivals->last_cycles = cycles;
	if (!arrivals->first_cycles)
		arrivals->first_cycles = cycles;
	do {
		const u32 length = min(size, left);
		const struct ktput_datagram *header;
		struct ktput_datagram copy;

		header = ktput_datagram_find(skb, offset, length, cookie,
					     &copy);
		if (header) {
			ktput_arrivals_add(arrivals, header, length, now);
			bytes += length;
			messages++;
			if (peers) {
				peer.next = be32_to_cpu(header->sequence);
				peer.bytes = length;
				ktput_peers_add(&peers[stream->slot], &peer);
			}
		} else {
			arrivals->stats.foreign++;
		}
		offset += length;
		left -= length;
	} while (left);
	WRITE_ONCE(delta->calls, delta->calls + 1);
	WRITE_ONCE(delta->bytes, delta->bytes + bytes);
	WRITE_ONCE(delta->messages, delta->messages + messages);
}

/* Called in a turn. */
static void account(struct ktput_stream *stream, const struct sk_buff *skb,
		    struct ktput_counters *delta)
{
	spin_lock_bh(&ktput_udp_arrivals(stream)->lock);
	account_locked(stream, skb, 0, get_cycles(), delta);
	spin_unlock_bh(&ktput_udp_arrivals(stream)->lock);
}

/* Called in softirq, or with softirqs disabled, where no turn is accounted. */
static void account_softirq(struct ktput_stream *stream,
			    const struct sk_buff *skb, u32 offset, u64 cycles)
{
	spin_lock(&ktput_udp_arrivals(stream)->lock);
	account_locked(stream, skb, offset, cycles,
		       this_cpu_ptr(stream->run->softirq));
	spin_unlock(&ktput_udp_arrivals(stream)->lock);
}

/**
 * ktput_udp_look() - update the drop count of a stream's socket
 * @stream: stream with a socket; called by its worker, or once that is stopped
 *
 * The kernel counts in 32 bits. Turns update the count, and a sink that drops
 * has one turn after another: far fewer than 2^32 are dropped in between.
 */
void ktput_udp_look(struct ktput_stream *stream)
{
	struct ktput_udp_stream *udp = ktput_udp_of(stream);
	const u64 drops = ktput_udp_drops(stream);

	if (drops == udp->drops)
		return;
	/* A reader of it then reads at least as many from the socket. */
	smp_store_release(&udp->drops, drops);
}

/**
 * ktput_udp_drops() - drop count of a stream's socket
 * @stream: stream; the caller is its worker, or holds the run's lock
 *
 * Return: datagrams dropped for lack of room or a wrong checksum.
 */
u64 ktput_udp_drops(const struct ktput_stream *stream)
{
	const struct ktput_udp_stream *udp = ktput_udp_of(stream);
	/* Pairs with ktput_udp_look(). */
	const u64 drops = smp_load_acquire(&udp->drops);

	if (!udp->socket.sock)
		return drops;
	return ktput_extend(drops, sk_drops_read(udp->socket.sock->sk));
}

/**
 * ktput_udp_dequeue() - take an skb from the receive queue
 * @stream: stream; its run ends if another task has destroyed the socket
 * @sk: its socket, which the stream may be leaving if this is a callback
 * @error: set to the negative errno if there is none
 *
 * Counts as recvmsg() does.
 *
 * Return: an skb whose checksum is right, or NULL.
 */
struct sk_buff *ktput_udp_dequeue(struct ktput_stream *stream, struct sock *sk,
				  int *error)
{
	struct sk_buff *skb;
	int offset = 0;

	while ((skb = __skb_recv_udp(sk, MSG_DONTWAIT, &offset, error))) {
		const bool ipv6 = skb->protocol == htons(ETH_P_IPV6);

		if (likely(!udp_lib_checksum_complete(skb))) {
			ktput_udp_count(sk, ipv6, UDP_MIB_INDATAGRAMS);
			break;
		}
		ktput_udp_count(sk, ipv6, UDP_MIB_CSUMERRORS);
		ktput_udp_count(sk, ipv6, UDP_MIB_INERRORS);
		sk_drops_inc(sk);
		kfree_skb(skb);
	}
	if (!skb)
		ktput_socket_gone(stream, *error);
	return skb;
}

/* Copies as much as the buffer holds, as recvmsg() does. */
static void copy(struct ktput_stream *stream, const struct sk_buff *skb)
{
	const struct ktput_payload *payload = &stream->turn.worker->payload;
	const u32 length = min3(skb->len, payload->size,
				stream->run->config.message_size *
				stream->run->config.segments);
	struct kvec vec = { .iov_base = payload->buffer, .iov_len = length };
	struct iov_iter iter;

	iov_iter_kvec(&iter, READ, &vec, 1, length);
	/* Unreadable payload has no header either, see there. */
	skb_copy_datagram_iter(skb, 0, &iter, length);
}

/**
 * ktput_udp_sink() - a turn of a sink that takes from the receive queue
 * @turn: of its stream
 * @delta: filled in
 *
 * Return: whether it waits for datagrams.
 */
enum ktput_verdict ktput_udp_sink(struct ktput_turn *turn,
				  struct ktput_counters *delta)
{
	struct ktput_stream *stream =
		container_of(turn, struct ktput_stream, turn);
	struct sock *sk = ktput_socket_sk(stream);

	ktput_udp_look(stream);
	while (delta->calls < TURN_CALLS &&
	       delta->bytes < KTPUT_TURN_BYTES &&
	       delta->messages < KTPUT_TURN_PACKETS) {
		struct sk_buff *skb;
		int error;

		skb = ktput_udp_dequeue(stream, sk, &error);
		if (!skb) {
			delta->calls++;
			delta->would_blocks++;
			return KTPUT_TURN_WAIT;
		}
		if (stream->run->config.method == KTPUT_METHOD_COPY)
			copy(stream, skb);
		account(stream, skb, delta);
		consume_skb(skb);
	}
	return KTPUT_TURN_AGAIN;
}

/*
 * Returns false where there is more than a turn may take. Bottom halves are
 * disabled: UDP queues datagrams there, and calls sk_data_ready. So skbs may be
 * cached, see encapsulated().
 */
static bool empty_queue(struct ktput_stream *stream, struct sock *sk)
{
	unsigned int calls, packets = 0;
	int error;

	for (calls = 0; calls < TURN_CALLS && packets < KTPUT_TURN_PACKETS;
	     calls++) {
		struct sk_buff *skb = ktput_udp_dequeue(stream, sk,
							&error);

		if (!skb)
			return true;
		packets += max_t(unsigned int, skb_shinfo(skb)->gso_segs, 1);
		account_softirq(stream, skb, 0, get_cycles());
		napi_consume_skb(skb, 1);
	}
	return false;
}

/**
 * ktput_udp_direct() - the turn of a sink that takes in softirq
 * @turn: of its stream
 * @delta: untouched
 *
 * It is taken when the sink begins, for datagrams that came before, and for what a
 * callback has left.
 *
 * Return: whether there is more.
 */
enum ktput_verdict ktput_udp_direct(struct ktput_turn *turn,
				    struct ktput_counters *delta)
{
	struct ktput_stream *stream =
		container_of(turn, struct ktput_stream, turn);
	bool empty;

	local_bh_disable();
	empty = empty_queue(stream, ktput_socket_sk(stream));
	local_bh_enable();
	return empty ? KTPUT_TURN_WAIT : KTPUT_TURN_AGAIN;
}

static void queued(struct sock *sk)
{
	const struct ktput_call call = ktput_contexts_begin_call();
	struct ktput_stream *stream;

	rcu_read_lock();
	stream = rcu_dereference_sk_user_data(sk);
	if (stream && !empty_queue(stream, sk))
		ktput_turn_ready(&stream->turn);
	rcu_read_unlock();
	ktput_contexts_end_call(call);
}

/*
 * Called with the RCU read lock held. The kernel has verified the checksum.
 * Returns 1 to queue the datagram: this CPU may see the callback before it sees
 * the stream.
 */
static int encapsulated(struct sock *sk, struct sk_buff *skb)
{
	struct ktput_stream *stream = rcu_dereference_sk_user_data(sk);
	const struct ktput_call call = ktput_contexts_begin_call();

	if (unlikely(!stream)) {
		ktput_contexts_end_call(call);
		return 1;
	}
	account_softirq(stream, skb, sizeof(struct udphdr), call.begin);
	/*
	 * With a budget other than 0, the skb is cached for the next one built
	 * on this CPU. UDP receives with bottom halves disabled, as the cache
	 * demands.
	 */
	napi_consume_skb(skb, 1);
	ktput_contexts_end_call(call);
	return 0;
}

/**
 * ktput_udp_attach_direct() - install the softirq callback of a sink
 * @stream: stream with a socket
 */
void ktput_udp_attach_direct(struct ktput_stream *stream)
{
	struct sock *sk = ktput_socket_sk(stream);

	if (stream->run->config.segments > 1) {
		ktput_socket_attach_to(stream, queued);
		return;
	}
	ktput_socket_attach(stream);
	WRITE_ONCE(udp_sk(sk)->encap_rcv, encapsulated);
	WRITE_ONCE(udp_sk(sk)->encap_type, KTPUT_UDP_ENCAP_TYPE);
}
