/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IP addresses with ports, in the forms of sockets and of netlink.
 */
#ifndef KTPUT_ADDRESS_H
#define KTPUT_ADDRESS_H

#include <linux/socket.h>
#include <linux/types.h>

struct nlattr;
struct sk_buff;
struct sock;

void ktput_address_get(struct sockaddr_storage *address,
		       const struct nlattr *ipv4, const struct nlattr *ipv6);
int ktput_address_put(struct sk_buff *skb,
		      const struct sockaddr_storage *address, int ipv4,
		      int ipv6, int port);
void ktput_address_set_port(struct sockaddr_storage *address, u16 port);
u16 ktput_address_port(const struct sockaddr_storage *address);
int ktput_address_length(const struct sockaddr_storage *address);
void ktput_address_of_sock(struct sockaddr_storage *local,
			   struct sockaddr_storage *remote,
			   const struct sock *sk);

#endif /* KTPUT_ADDRESS_H */
