/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TCP at the socket layer.
 */
#ifndef KTPUT_TCP_H
#define KTPUT_TCP_H

#include "stream.h"
#include "worker.h"

struct ktput_run;
struct netlink_ext_ack;
struct socket;

/**
 * struct ktput_listener - socket of a sink on which connections come in
 * @turn: accepts them
 * @run: its run, which outlives it
 * @sock: the socket; NULL once it is closed
 * @before: the socket's own callbacks, which connections begin with
 * @next: index of the worker that gets the next connection; turn only
 */
struct ktput_listener {
	struct ktput_turn turn;
	struct ktput_run *run;
	struct socket *sock;
	struct ktput_callbacks before;
	unsigned int next;
};

int ktput_tcp_connect(struct ktput_run *run, struct netlink_ext_ack *extack);
int ktput_tcp_listen(struct ktput_run *run, struct netlink_ext_ack *extack);
void ktput_tcp_begin_listening(struct ktput_listener *listener);
void ktput_tcp_unlisten(struct ktput_listener *listener);

struct socket *ktput_tcp_socket(struct ktput_run *run, int family,
				struct netlink_ext_ack *extack);

enum ktput_verdict ktput_tcp_source(struct ktput_turn *turn,
				    struct ktput_counters *came_to);
enum ktput_verdict ktput_tcp_sink(struct ktput_turn *turn,
				  struct ktput_counters *came_to);

#endif /* KTPUT_TCP_H */
