// SPDX-License-Identifier: GPL-2.0
/*
 * IP addresses with ports, in the forms of sockets and of netlink.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/string.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/netlink.h>

#include "address.h"

/*
 * An IPv4-mapped IPv6 address (::ffff:0:0/96). Traffic to it is IPv4, so
 * sockets and frames are IPv4 too.
 */
static void unmap(struct sockaddr_storage *address)
{
	const struct in6_addr in6 = ((struct sockaddr_in6 *)address)->sin6_addr;
	struct sockaddr_in *in = (struct sockaddr_in *)address;

	if (!ipv6_addr_v4mapped(&in6))
		return;
	memset(address, 0, sizeof(*address));
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = in6.s6_addr32[3];
}

/**
 * ktput_address_get() - read an address from netlink
 * @address: filled in without a port; family AF_UNSPEC if there is no address
 * @ipv4: attribute with an IPv4 address, or NULL
 * @ipv6: attribute with an IPv6 address, or NULL; an IPv4-mapped address is
 *	read as IPv4
 */
void ktput_address_get(struct sockaddr_storage *address,
		       const struct nlattr *ipv4, const struct nlattr *ipv6)
{
	memset(address, 0, sizeof(*address));
	if (ipv4) {
		struct sockaddr_in *in = (struct sockaddr_in *)address;

		in->sin_family = AF_INET;
		in->sin_addr.s_addr = nla_get_in_addr(ipv4);
	} else if (ipv6) {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;

		in6->sin6_family = AF_INET6;
		in6->sin6_addr = nla_get_in6_addr(ipv6);
		unmap(address);
	}
}

/**
 * ktput_address_put() - write an address to netlink
 * @skb: message
 * @address: address; absent parts are not written
 * @ipv4: attribute for an IPv4 address
 * @ipv6: attribute for an IPv6 address
 * @port: attribute for the port
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_address_put(struct sk_buff *skb,
		      const struct sockaddr_storage *address, int ipv4,
		      int ipv6, int port)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
	const struct sockaddr_in *in = (const struct sockaddr_in *)address;
	u16 number = ktput_address_port(address);

	if (address->ss_family == AF_INET &&
	    nla_put_in_addr(skb, ipv4, in->sin_addr.s_addr))
		return -EMSGSIZE;
	if (address->ss_family == AF_INET6 &&
	    nla_put_in6_addr(skb, ipv6, &in6->sin6_addr))
		return -EMSGSIZE;
	if (number && nla_put_u16(skb, port, number))
		return -EMSGSIZE;
	return 0;
}

/**
 * ktput_address_set_port() - set the port
 * @address: address; the port has the same place for IPv4, IPv6 and AF_UNSPEC
 * @port: port, host order
 */
void ktput_address_set_port(struct sockaddr_storage *address, u16 port)
{
	BUILD_BUG_ON(offsetof(struct sockaddr_in, sin_port) !=
		     offsetof(struct sockaddr_in6, sin6_port));
	((struct sockaddr_in *)address)->sin_port = htons(port);
}

/**
 * ktput_address_port() - the port
 * @address: address
 *
 * Return: the port in host order, 0 for none.
 */
u16 ktput_address_port(const struct sockaddr_storage *address)
{
	return ntohs(((const struct sockaddr_in *)address)->sin_port);
}

/**
 * ktput_address_length() - length that a socket expects
 * @address: address with a family
 *
 * Return: bytes of the sockaddr.
 */
int ktput_address_length(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
						sizeof(struct sockaddr_in);
}

/**
 * ktput_address_of_sock() - both ends of a connected socket
 * @local: filled in with this side
 * @remote: filled in with the peer
 * @sk: socket; an IPv4 connection of an IPv6 socket is reported as IPv4
 */
void ktput_address_of_sock(struct sockaddr_storage *local,
			   struct sockaddr_storage *remote,
			   const struct sock *sk)
{
	memset(local, 0, sizeof(*local));
	memset(remote, 0, sizeof(*remote));
	local->ss_family = AF_INET;
	((struct sockaddr_in *)local)->sin_addr.s_addr = sk->sk_rcv_saddr;
	((struct sockaddr_in *)remote)->sin_addr.s_addr = sk->sk_daddr;
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6 &&
	    !ipv6_addr_v4mapped(&sk->sk_v6_daddr)) {
		local->ss_family = AF_INET6;
		((struct sockaddr_in *)local)->sin_addr.s_addr = 0;
		((struct sockaddr_in *)remote)->sin_addr.s_addr = 0;
		((struct sockaddr_in6 *)local)->sin6_addr =
			sk->sk_v6_rcv_saddr;
		((struct sockaddr_in6 *)remote)->sin6_addr = sk->sk_v6_daddr;
	}
#endif
	remote->ss_family = local->ss_family;
	ktput_address_set_port(local, sk->sk_num);
	ktput_address_set_port(remote, ntohs(sk->sk_dport));
}
