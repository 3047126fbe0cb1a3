// SPDX-License-Identifier: GPL-2.0
/*
 * UDP at the socket layer: datagrams that are built here and passed to IP.
 *
 * As in a tunnel, the socket provides route, addresses and ports, and its send
 * buffer limits what is under way, but sendmsg() is bypassed. Softirqs are
 * disabled, so that memory comes from the CPU's NAPI caches.
 */
#include <linux/skbuff.h>
#include <net/dst.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/udp.h>

#include "datagram.h"
#include "run.h"
#include "udp.h"

static struct sk_buff *new_skb(u32 headroom, u32 length)
{
	const u32 size = SKB_DATA_ALIGN(headroom + length) +
			 SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	struct sk_buff *skb;
	void *data;

	if (size > PAGE_SIZE) {
		skb = alloc_skb(headroom + length, GFP_NOWAIT);
	} else {
		data = napi_alloc_frag(size);
		if (!data)
			return NULL;
		skb = napi_build_skb(data, size);
		if (!skb)
			skb_free_frag(data);
	}
	if (skb)
		skb_reserve(skb, headroom);
	return skb;
}

/* As sendmsg() chooses it: of unicast, that of the route unless one is set. */
static int time_to_live(const struct sock *sk, const struct dst_entry *dst,
			const struct ktput_udp_path *path)
{
	const int own = ipv4_is_multicast(path->daddr) ?
				inet_sk(sk)->mc_ttl : inet_sk(sk)->uc_ttl;

	return own < 0 ? ip4_dst_hoplimit(dst) : own;
}

static int send_ipv4(struct sock *sk, struct sk_buff *skb,
		     const struct dst_entry *dst,
		     const struct ktput_udp_path *path)
{
	struct iphdr *ip;

	udp_set_csum(false, skb, path->saddr, path->daddr, skb->len);
	ip = skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	/* Must not be fragmented, and so has no ID (RFC 6864). */
	*ip = (struct iphdr) {
		.version = 4,
		.ihl = sizeof(*ip) / 4,
		.tos = inet_sk(sk)->tos,
		.frag_off = htons(IP_DF),
		.ttl = time_to_live(sk, dst, path),
		.protocol = IPPROTO_UDP,
		.saddr = path->saddr,
		.daddr = path->daddr,
	};
	skb->protocol = htons(ETH_P_IP);
	return ip_local_out(sock_net(sk), sk, skb);
}

#if IS_ENABLED(CONFIG_IPV6)
static int hop_limit(const struct sock *sk, struct dst_entry *dst,
		     const struct ktput_udp_path *path)
{
	const int own = ipv6_addr_is_multicast(&path->daddr6) ?
				inet6_sk(sk)->mcast_hops :
				inet6_sk(sk)->hop_limit;

	return own < 0 ? ip6_dst_hoplimit(dst) : own;
}

static int send_ipv6(struct sock *sk, struct sk_buff *skb,
		     struct dst_entry *dst, const struct ktput_udp_path *path)
{
	struct ipv6hdr *ip;

	udp6_set_csum(false, skb, &path->saddr6, &path->daddr6, skb->len);
	ip = skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	ip6_flow_hdr(ip, inet6_sk(sk)->tclass, 0);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = hop_limit(sk, dst, path);
	ip->saddr = path->saddr6;
	ip->daddr = path->daddr6;
	skb->protocol = htons(ETH_P_IPV6);
	return ip6_local_out(sock_net(sk), sk, skb);
}
#endif

/**
 * ktput_udp_count() - update the namespace's statistics as the socket would
 * @sk: socket
 * @ipv6: update the statistics of IPv6
 * @field: UDP_MIB_...
 *
 * Does not use UDP_INC_STATS(), which has one argument fewer since 7.1.
 */
void ktput_udp_count(const struct sock *sk, bool ipv6, int field)
{
	struct net *net = sock_net(sk);

#if IS_ENABLED(CONFIG_IPV6)
	if (ipv6) {
		SNMP_INC_STATS(net->mib.udp_stats_in6, field);
		return;
	}
#endif
	SNMP_INC_STATS(net->mib.udp_statistics, field);
}

/**
 * ktput_udp_emit() - build a datagram and pass it to IP along a path
 * @sk: socket whose send buffer limits what is under way
 * @path: addresses and ports
 * @dst: valid route; the caller holds the RCU read lock, with softirqs disabled
 * @header: beginning of its payload
 * @payload: rest of its payload
 * @size: bytes of both
 *
 * Return: @size, or a negative errno.
 */
int ktput_udp_emit(struct sock *sk, const struct ktput_udp_path *path,
		   struct dst_entry *dst, const struct ktput_datagram *header,
		   const void *payload, u32 size)
{
	const u32 headroom = LL_RESERVED_SPACE(dst->dev) +
			     sizeof(struct ipv6hdr) + sizeof(struct udphdr);
	struct sk_buff *skb;
	struct udphdr *udp;
	int error;

	skb = new_skb(headroom, size);
	if (!skb)
		return -ENOBUFS;
	skb_put_data(skb, header, sizeof(*header));
	skb_put_data(skb, payload, size - sizeof(*header));

	udp = skb_push(skb, sizeof(*udp));
	skb_reset_transport_header(skb);
	udp->source = path->sport;
	udp->dest = path->dport;
	udp->len = htons(skb->len);

	skb_dst_set_noref(skb, dst);
	skb_set_owner_w(skb, sk);
	skb->priority = sk->sk_priority;
	skb->mark = sk->sk_mark;
#if IS_ENABLED(CONFIG_IPV6)
	if (path->ipv6)
		error = send_ipv6(sk, skb, dst, path);
	else
#endif
		error = send_ipv4(sk, skb, dst, path);
	/* A datagram dropped by a queueing discipline has left the socket. */
	if (error < 0)
		return error;
	ktput_udp_count(sk, path->ipv6, net_xmit_eval(error) ?
			UDP_MIB_SNDBUFERRORS : UDP_MIB_OUTDATAGRAMS);
	return size;
}

/**
 * ktput_udp_send_direct() - build a datagram and pass it to IP
 * @stream: stream of a source; softirqs are disabled
 * @dst: its route; the caller holds the RCU read lock
 *
 * Return: bytes of the datagram; -EAGAIN while the send buffer is full; other
 * errors of sending.
 */
int ktput_udp_send_direct(struct ktput_stream *stream, struct dst_entry *dst)
{
	const struct ktput_config *config = &stream->run->config;
	const struct ktput_payload *payload = &stream->turn.worker->payload;
	struct ktput_udp_stream *udp = ktput_udp_of(stream);
	struct sock *sk = udp->socket.sock->sk;
	struct ktput_datagram header;

	if (unlikely(sk->sk_err))
		return sock_error(sk);
	if (sk_wmem_alloc_get(sk) >= READ_ONCE(sk->sk_sndbuf))
		return -EAGAIN;
	ktput_datagram_fill(&header, config->cookie, udp->sequence,
			    ktput_datagram_now());
	return ktput_udp_emit(sk, &udp->path, dst, &header,
			      page_address(payload->pages),
			      config->message_size);
}
