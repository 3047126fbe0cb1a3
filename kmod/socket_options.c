// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options of a run that are a number: a row and a function for each.
 *
 * The netlink policy checks the bounds, which do not include 0. Options are set in
 * the context of the requester, so that the kernel checks the requester's
 * privileges.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <net/netlink.h>
#include <net/sock.h>

#include "config.h"
#include "socket_options.h"

/*
 * Sets a buffer size, which the kernel doubles. Without the privilege the
 * kernel silently clamps it to wmem_max or rmem_max.
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

static int set_send_buffer(struct socket *sock,
			   const struct ktput_config *config, int size)
{
	return set_buffer(sock, config->privileged ? SO_SNDBUFFORCE : SO_SNDBUF,
			  size, &sock->sk->sk_sndbuf, config->privileged);
}

static int set_receive_buffer(struct socket *sock,
			      const struct ktput_config *config, int size)
{
	return set_buffer(sock, config->privileged ? SO_RCVBUFFORCE : SO_RCVBUF,
			  size, &sock->sk->sk_rcvbuf, config->privileged);
}

static int set_mss(struct socket *sock, const struct ktput_config *config,
		   int size)
{
	return sock->ops->setsockopt(sock, SOL_TCP, TCP_MAXSEG,
				     KERNEL_SOCKPTR(&size), sizeof(size));
}

/* Beyond half of the receive buffer the kernel silently clamps it. */
static int set_rcvlowat(struct socket *sock, const struct ktput_config *config,
			int bytes)
{
	int error = sock_setsockopt(sock, SOL_SOCKET, SO_RCVLOWAT,
				    KERNEL_SOCKPTR(&bytes), sizeof(bytes));

	if (!error && READ_ONCE(sock->sk->sk_rcvlowat) < bytes)
		error = -ERANGE;
	return error;
}

/**
 * struct ktput_socket_option - an option
 * @attribute: of the configuration, KTPUT_A_CONFIG_...
 * @transports: those that have it, a bit for each enum ktput_transport
 * @roles: likewise, of enum ktput_role
 * @patterns: likewise, of enum ktput_pattern
 * @foreign: refusal of others
 * @set: sets it, for a new socket
 * @refused: refusal if @set fails
 */
struct ktput_socket_option {
	int attribute;
	unsigned int transports;
	unsigned int roles;
	unsigned int patterns;
	const char *foreign;
	int (*set)(struct socket *sock, const struct ktput_config *config,
		   int value);
	const char *refused;
};

/* In the order in which they are set. */
static const struct ktput_socket_option options[] = {
	{
		.attribute = KTPUT_A_CONFIG_SNDBUF,
		.transports = ~0, .roles = ~0, .patterns = ~0,
		.set = set_send_buffer,
		.refused = "sndbuf beyond net.core.wmem_max"
			   KTPUT_PRIVILEGED,
	}, {
		.attribute = KTPUT_A_CONFIG_RCVBUF,
		.transports = ~0, .roles = ~0, .patterns = ~0,
		.set = set_receive_buffer,
		.refused = "rcvbuf beyond net.core.rmem_max"
			   KTPUT_PRIVILEGED,
	}, {
		.attribute = KTPUT_A_CONFIG_MSS,
		.transports = BIT(KTPUT_TRANSPORT_TCP),
		.roles = ~0, .patterns = ~0,
		.foreign = "mss is for TCP",
		.set = set_mss,
		.refused = "mss was refused",
	}, {
		.attribute = KTPUT_A_CONFIG_RCVLOWAT,
		.transports = BIT(KTPUT_TRANSPORT_TCP),
		.roles = BIT(KTPUT_ROLE_SINK),
		.patterns = BIT(KTPUT_PATTERN_STREAM),
		.foreign = "rcvlowat is for a TCP sink of pattern stream",
		.set = set_rcvlowat,
		.refused = "rcvlowat beyond half of the receive buffer",
	},
};

static_assert(ARRAY_SIZE(options) <= KTPUT_SOCKET_OPTIONS);

static int refuse(struct netlink_ext_ack *extack, const char *sentence,
		  int error)
{
	if (extack)
		extack->_msg = sentence;
	return error;
}

/**
 * ktput_socket_options_parse() - read the options of a configuration
 * @config: configuration with its role, transport and pattern
 * @tb: attributes
 * @extack: gets the reason of a refusal
 *
 * Return: 0, or -EINVAL for an option that such a run does not have.
 */
int ktput_socket_options_parse(struct ktput_config *config, struct nlattr **tb,
			       struct netlink_ext_ack *extack)
{
	const struct ktput_socket_option *option;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		option = &options[i];
		if (!tb[option->attribute])
			continue;
		if (!(option->transports & BIT(config->transport)) ||
		    !(option->roles & BIT(config->role)) ||
		    !(option->patterns & BIT(config->pattern))) {
			NL_SET_BAD_ATTR(extack, tb[option->attribute]);
			return refuse(extack, option->foreign, -EINVAL);
		}
		config->socket_options[i] = nla_get_u32(tb[option->attribute]);
	}
	return 0;
}

/**
 * ktput_socket_options_put() - write the options that are given
 * @skb: message
 * @config: configuration
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_socket_options_put(struct sk_buff *skb,
			     const struct ktput_config *config)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (config->socket_options[i] &&
		    nla_put_u32(skb, options[i].attribute,
				config->socket_options[i]))
			return -EMSGSIZE;
	return 0;
}

/**
 * ktput_socket_options_set() - set the options that are given
 * @sock: new socket
 * @config: configuration
 * @extack: gets the reason of a refusal
 *
 * Return: 0, or the errno of the refusal.
 */
int ktput_socket_options_set(struct socket *sock,
			     const struct ktput_config *config,
			     struct netlink_ext_ack *extack)
{
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (!config->socket_options[i])
			continue;
		error = options[i].set(sock, config, config->socket_options[i]);
		if (error)
			return refuse(extack, options[i].refused, error);
	}
	return 0;
}
