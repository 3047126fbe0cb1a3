// SPDX-License-Identifier: GPL-2.0
/* ladder_rungs: where traffic is sent and taken, and what lies between. */
#include <string.h>

#include "ladder_rungs.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

const struct ladder_rung ladder_rungs[] = {
	{ LADDER_TCP, "iperf3", { "layer", "iperf3", "out", "copy" }, LADDER_IPERF },
	{ LADDER_TCP, "user, copy",
	  { "layer", "user", "out", "copy", "sink-layer", "user", "in", "copy" },
	  LADDER_SOCKETS },
	{ LADDER_TCP, "user, io_uring",
	  { "layer", "user", "out", "io_uring", "sink-layer", "user", "in",
	    "io_uring" }, LADDER_URING },
	{ LADDER_TCP, "user, sendfile and MSG_TRUNC",
	  { "layer", "user", "out", "sendfile", "sink-layer", "user", "in",
	    "trunc" }, LADDER_SOCKETS },
	{ LADDER_TCP, "kernel, copy out and in",
	  { "out", "copy", "in", "copy" }, LADDER_SOCKETS },
	{ LADDER_TCP, "kernel, copy in",
	  { "out", "zerocopy", "in", "copy" }, LADDER_SOCKETS },
	{ LADDER_TCP, "kernel, no copy",
	  { "out", "zerocopy", "in", "zerocopy" }, LADDER_SOCKETS },

	{ LADDER_TRANSMIT, "user", { "layer", "user" }, LADDER_SOCKETS },
	{ LADDER_TRANSMIT, "socket", { "layer", "socket", "out", "copy" },
	  LADDER_SOCKETS },
	{ LADDER_TRANSMIT, "IP", { "layer", "socket", "out", "direct" },
	  LADDER_SOCKETS },
	{ LADDER_TRANSMIT, "queue", { "layer", "queue" }, LADDER_FRAMES },
	{ LADDER_TRANSMIT, "driver", { "layer", "driver" }, LADDER_FRAMES },

	{ LADDER_RECEIVE, "user",
	  { "sink-layer", "user", "in", "copy" }, LADDER_SOCKETS },
	{ LADDER_RECEIVE, "socket, copy",
	  { "sink-layer", "socket", "in", "copy" }, LADDER_SOCKETS },
	{ LADDER_RECEIVE, "socket, no copy",
	  { "sink-layer", "socket", "in", "trunc" }, LADDER_SOCKETS },
	{ LADDER_RECEIVE, "socket, in softirq",
	  { "sink-layer", "socket", "in", "zerocopy" }, LADDER_SOCKETS },
	{ LADDER_RECEIVE, "ingress", { "sink-layer", "ingress" }, LADDER_SOCKETS },
	{ LADDER_RECEIVE, "XDP", { "sink-layer", "xdp" }, LADDER_SOCKETS },
};

const size_t ladder_rung_count = COUNT(ladder_rungs);

/*
 * A class is in a step where it is what the upper rung does and the lower one
 * does without. What both do, and do differently often, is in none: buffers,
 * memory, locks.
 */
const struct ladder_step ladder_steps[] = {
	{ LADDER_TCP, "iperf3", "user, copy", "iperf3's own work",
	  { "user", "entry", "sched", "files" } },
	{ LADDER_TCP, "user, copy", "user, io_uring", "calls that io_uring saves",
	  { "user", "entry", "sched", "files" } },
	{ LADDER_TCP, "user, copy", "kernel, copy out and in",
	  "system call and wake-up", { "user", "entry", "sched", "files" } },
	{ LADDER_TCP, "user, copy", "user, sendfile and MSG_TRUNC",
	  "user copy", { "copy" } },
	{ LADDER_TCP, "kernel, copy out and in", "kernel, copy in",
	  "kernel copy, out", { "copy" } },
	{ LADDER_TCP, "kernel, copy in", "kernel, no copy",
	  "kernel copy, in", { "copy" } },
	{ LADDER_TCP, "user, copy", "kernel, no copy", "all of these",
	  { "user", "entry", "sched", "files", "copy" } },

	{ LADDER_TRANSMIT, "user", "socket", "system call and wake-up",
	  { "user", "entry", "sched", "files" } },
	{ LADDER_TRANSMIT, "socket", "IP", "kernel copy, socket, UDP",
	  { "copy", "transport", "skb" } },
	{ LADDER_TRANSMIT, "IP", "queue", "IP, routing, netfilter",
	  { "ip", "netfilter" } },
	{ LADDER_TRANSMIT, "queue", "driver", "queueing discipline",
	  { "qdisc" } },
	{ LADDER_TRANSMIT, "driver", NULL, "driver and NIC, both ends",
	  { "driver", "receive", "irq", "skb", "memory", "qdisc", "locking",
	    "ktput" } },

	{ LADDER_RECEIVE, "user", "socket, copy", "system call and wake-up",
	  { "user", "entry", "sched", "files" } },
	{ LADDER_RECEIVE, "socket, copy", "socket, no copy", "kernel copy",
	  { "copy" } },
	{ LADDER_RECEIVE, "socket, no copy", "socket, in softirq",
	  "receive queue and wake-up", { "transport", "sched", "locking" } },
	{ LADDER_RECEIVE, "socket, in softirq", "ingress",
	  "IP, netfilter, UDP socket", { "ip", "netfilter", "transport" } },
	{ LADDER_RECEIVE, "ingress", "XDP", "sk_buff, GRO, receive core",
	  { "skb", "memory", "receive" } },
};

const size_t ladder_step_count = COUNT(ladder_steps);

/**
 * ladder_group_name() - a group in a record
 * @group: group
 *
 * Return: a word.
 */
const char *ladder_group_name(enum ladder_group group)
{
	static const char *const names[] = {
		[LADDER_TCP] = "tcp",
		[LADDER_TRANSMIT] = "transmit",
		[LADDER_RECEIVE] = "receive",
	};

	return names[group];
}

/**
 * ladder_group_text() - a group for people
 * @group: group
 *
 * Return: a heading.
 */
const char *ladder_group_text(enum ladder_group group)
{
	static const char *const texts[] = {
		[LADDER_TCP] = "TCP, both ends",
		[LADDER_TRANSMIT] = "UDP, transmit",
		[LADDER_RECEIVE] = "UDP, receive",
	};

	return texts[group];
}

/**
 * ladder_group_short() - a group before the name of a step
 * @group: group
 *
 * Return: a few letters.
 */
const char *ladder_group_short(enum ladder_group group)
{
	static const char *const texts[] = {
		[LADDER_TCP] = "TCP",
		[LADDER_TRANSMIT] = "UDP out",
		[LADDER_RECEIVE] = "UDP in",
	};

	return texts[group];
}

/**
 * ladder_rung_find() - find a rung by its name
 * @group: its group
 * @name: its name
 *
 * Return: index into ladder_rungs, or ladder_rung_count.
 */
size_t ladder_rung_find(enum ladder_group group, const char *name)
{
	size_t i;

	for (i = 0; i < ladder_rung_count; i++)
		if (ladder_rungs[i].group == group &&
		    !strcmp(ladder_rungs[i].name, name))
			break;
	return i;
}
