/* SPDX-License-Identifier: GPL-2.0 */
/*
 * devices: a network namespace whose devices all differ.
 *
 * Two ends of a veth, each with an address of its own; kta has a queue of tbf, ktb a hook
 * at its ingress.
 */
#ifndef KTPUT_UNIT_DEVICES_H
#define KTPUT_UNIT_DEVICES_H

#include <sched.h>
#include <stdlib.h>

#include "test.h"

enum { KTA = 41, KTB };

static const char devices_commands[] =
	"echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6\n"
	"set -e\n"
	"ip link add kta index 41 mtu 1400 address 02:00:00:00:00:01 numtxqueues 3 type veth"
	" peer name ktb index 42 mtu 1300 address 02:00:00:00:00:02 numtxqueues 2\n"
	"ip address add 192.0.2.1/24 dev kta\n"
	"ip address add 198.51.100.1/24 dev ktb\n"
	"for device in lo kta ktb; do ip link set $device up; done\n"
	"ip route add 203.0.113.0/24 via 192.0.2.9 dev kta\n"
	"tc qdisc add dev kta root tbf rate 8kbit burst 3000 limit 3000\n"
	"tc qdisc add dev ktb clsact\n";

/* Once for the program: a namespace is left by nothing but its end. */
static inline bool devices_made(void)
{
	static int done;
	char command[sizeof(devices_commands) + 40];

	if (!done) {
		snprintf(command, sizeof(command), "{ %s} >/dev/null 2>&1", devices_commands);
		done = unshare(CLONE_NEWNET) || system(command) ? -1 : 1;
	}
	if (done < 0)
		test_skip("no network namespace of its own, or no veth, tbf or clsact");
	return done > 0;
}

#endif
