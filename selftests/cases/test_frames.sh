#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Frames of the queue and driver layers, as captured and as counted, and the
# sink at the ingress hook.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ethtool ip tc bridge
ktput_load || skip_all "ktput.ko does not load"
netns_add a
netns_add b

# So that nobody else's frames are counted.
# shellcheck disable=SC2154  # netns_add sets them
for ns in "$a" "$b"; do
	ip netns exec "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
		net.ipv6.conf.default.disable_ipv6=1
done
# What a CPU cannot take as fast as another sends stays, and is not dropped.
at_exit sysctl -qw "net.core.netdev_max_backlog=$(
	sysctl -n net.core.netdev_max_backlog)"
sysctl -qw net.core.netdev_max_backlog=10000
nics=()
for driver in virtio_net e1000e; do
	read -ra pair <<<"$(nic_pair $driver)"
	for nic in "${pair[@]}"; do
		ip link set "$nic" netns "$a" && nics+=("$nic")
	done
done

hand_over ip netns exec "$a" /usr/bin/python3 -B "$TOP/selftests/cases/frames.py" \
	"$b" "${nics[@]}"
