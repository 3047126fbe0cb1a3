#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# UDP sockets: every way to send with every way to receive, to the datagram.

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ethtool ip
ktput_load || skip_all "ktput.ko does not load"
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
for ns in "$a" "$b"; do
	ip netns exec "$ns" sysctl -qw \
		net.ipv6.conf.default.router_solicitations=0
done
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
addr_add "$a" fd09::1/64 veth0
addr_add "$b" fd09::2/64 veth0
# So that checksums are summed, and verified.
ip netns exec "$a" ethtool -K veth0 tx off >/dev/null
ip netns exec "$b" ethtool -K veth0 rx off tx off >/dev/null
link_up "$a" veth0
link_up "$b" veth0

hand_over ip netns exec "$a" /usr/bin/python3 -B "$TOP/selftests/cases/udp.py" "$b"
