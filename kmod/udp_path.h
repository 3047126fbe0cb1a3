/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UDP at the socket layer: paths of datagrams that are built here.
 */
#ifndef KTPUT_UDP_PATH_H
#define KTPUT_UDP_PATH_H

#include <linux/in6.h>
#include <linux/types.h>

struct dst_entry;
struct sock;

/**
 * struct ktput_udp_path - path of datagrams
 * @dst: route with a reference, or NULL
 * @cookie: cookie for checking its validity
 * @ipv6: the addresses are IPv6
 * @sport: source port
 * @dport: destination port
 * @saddr: source address
 * @daddr: destination address
 * @saddr6: source address
 * @daddr6: destination address
 */
struct ktput_udp_path {
	struct dst_entry *dst;
	u32 cookie;
	bool ipv6;
	__be16 sport;
	__be16 dport;
	union {
		struct {
			__be32 saddr;
			__be32 daddr;
		};
		struct {
			struct in6_addr saddr6;
			struct in6_addr daddr6;
		};
	};
};

void ktput_udp_path_of_sock(struct ktput_udp_path *path, const struct sock *sk);
struct dst_entry *ktput_udp_route(struct ktput_udp_path *path, struct sock *sk,
				  int oif);
void ktput_udp_path_release(struct ktput_udp_path *path);

#endif /* KTPUT_UDP_PATH_H */
