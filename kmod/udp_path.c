// SPDX-License-Identifier: GPL-2.0
/*
 * UDP at the socket layer: routes of datagrams that are passed to IP.
 */
#include <net/dst.h>
#include <net/flow.h>
#include <net/ip6_fib.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/sock.h>

#include "udp.h"

/**
 * ktput_udp_path_of_sock() - the path of a connected socket
 * @path: addresses and ports are filled in
 * @sk: socket
 */
void ktput_udp_path_of_sock(struct ktput_udp_path *path, const struct sock *sk)
{
	path->ipv6 = sk->sk_family == AF_INET6;
	path->sport = inet_sk(sk)->inet_sport;
	path->dport = inet_sk(sk)->inet_dport;
#if IS_ENABLED(CONFIG_IPV6)
	if (path->ipv6) {
		path->saddr6 = sk->sk_v6_rcv_saddr;
		path->daddr6 = sk->sk_v6_daddr;
		return;
	}
#endif
	path->saddr = inet_sk(sk)->inet_saddr;
	path->daddr = inet_sk(sk)->inet_daddr;
}

static struct dst_entry *find_ipv4(const struct ktput_udp_path *path,
				   struct sock *sk, int oif)
{
	struct net *net = sock_net(sk);
	struct rtable *route;
	struct flowi4 flow;

	/* A function, since the type of its TOS field changed in 6.18. */
	flowi4_init_output(&flow, oif, sk->sk_mark, RT_TOS(inet_sk(sk)->tos),
			   RT_SCOPE_UNIVERSE, IPPROTO_UDP, 0, path->daddr,
			   path->saddr, path->dport, path->sport,
			   sock_net_uid(net, sk));
	route = ip_route_output_flow(net, &flow, sk);
	if (IS_ERR(route))
		return ERR_CAST(route);
	/* As sendmsg() does, since a route may become one of broadcasts. */
	if (route->rt_flags & RTCF_BROADCAST &&
	    !sock_flag(sk, SOCK_BROADCAST)) {
		ip_rt_put(route);
		return ERR_PTR(-EACCES);
	}
	return &route->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *find_ipv6(struct ktput_udp_path *path,
				   struct sock *sk, int oif)
{
	struct flowi6 flow = {
		.flowi6_oif = oif,
		.flowi6_mark = sk->sk_mark,
		.flowi6_proto = IPPROTO_UDP,
		.flowlabel = ip6_make_flowinfo(inet6_sk(sk)->tclass, 0),
		.saddr = path->saddr6,
		.daddr = path->daddr6,
		.fl6_sport = path->sport,
		.fl6_dport = path->dport,
	};
	struct dst_entry *dst;

	dst = ip6_dst_lookup_flow(sock_net(sk), sk, &flow, NULL);
	if (!IS_ERR(dst))
		path->cookie = rt6_get_cookie(container_of(dst, struct rt6_info,
							   dst));
	return dst;
}
#else
static struct dst_entry *find_ipv6(struct ktput_udp_path *path,
				   struct sock *sk, int oif)
{
	return ERR_PTR(-EAFNOSUPPORT);
}
#endif

/**
 * ktput_udp_route() - get the route of a path
 * @path: path that nobody else uses
 * @sk: socket that sends
 * @oif: index of the output device, or 0
 *
 * Looks the route up if there is none, or if it is no longer valid. The path
 * owns the reference: the caller holds the RCU read lock while it uses the
 * route.
 *
 * Return: the route, or an ERR_PTR().
 */
struct dst_entry *ktput_udp_route(struct ktput_udp_path *path, struct sock *sk,
				  int oif)
{
	struct dst_entry *dst = path->dst;

	/* Output routes must always be checked (DST_OBSOLETE_FORCE_CHK). */
	if (likely(dst && dst->ops->check(dst, path->cookie)))
		return dst;
	dst = path->ipv6 ? find_ipv6(path, sk, oif) : find_ipv4(path, sk, oif);
	if (IS_ERR(dst))
		return dst;
	dst_release(path->dst);
	path->dst = dst;
	return dst;
}

/**
 * ktput_udp_path_release() - release the route
 * @path: path
 */
void ktput_udp_path_release(struct ktput_udp_path *path)
{
	dst_release(path->dst);
	path->dst = NULL;
}
