/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Socket options of a run that are a number.
 */
#ifndef KTPUT_SOCKET_OPTIONS_H
#define KTPUT_SOCKET_OPTIONS_H

/** KTPUT_SOCKET_OPTIONS - room for the rows of socket_options.c */
#define KTPUT_SOCKET_OPTIONS 8

struct ktput_config;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;
struct socket;

int ktput_socket_options_parse(struct ktput_config *config, struct nlattr **tb,
			       struct netlink_ext_ack *extack);
int ktput_socket_options_put(struct sk_buff *skb,
			     const struct ktput_config *config);
int ktput_socket_options_set(struct socket *sock,
			     const struct ktput_config *config,
			     struct netlink_ext_ack *extack);

#endif /* KTPUT_SOCKET_OPTIONS_H */
