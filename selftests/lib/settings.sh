#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# settings.sh NETNS...: print all that ktput-ctl improve may change of the device veth0 in
# each of the network namespaces, of these, and of the host

sysctls='grep -r . /proc/sys/net/core /proc/sys/net/ipv4/tcp_* /proc/sys/net/ipv4/udp_* \
	2>/dev/null'
for netns in "$@"; do
	ip netns exec "$netns" sh -c "$sysctls"'
		ethtool -k veth0
		tc qdisc show dev veth0 root
		cd /sys/class/net/veth0
		grep . mtu tx_queue_len threaded queues/rx-*/rps_* queues/tx-*/xps_cpus
		ethtool -g veth0
		ethtool -l veth0
		ethtool -c veth0' 2>&1
done
sh -c "$sysctls"
grep . /proc/irq/*/smp_affinity_list
