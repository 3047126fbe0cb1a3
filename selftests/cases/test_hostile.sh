#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hostile peers: the sink counts, refuses, stays up, and takes no more memory
# than its bound; genuine streams, and those of others, stay exact.
#
# environment:
#   HOSTILE_SEED  what random packets are made of; random itself unless given

. "$(dirname "$0")/../lib/lib.sh"

need_root
need_ynl
need ip ktput-ctl od
ktput_load || skip_all "ktput.ko does not load"
netns_add a
netns_add b
# shellcheck disable=SC2154  # netns_add sets them
for ns in "$a" "$b"; do
	ip netns exec "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
		net.ipv6.conf.default.disable_ipv6=1
done
# A backlog that a test can fill, and that is empty again soon.
ip netns exec "$b" sysctl -qw net.core.somaxconn=256 \
	net.ipv4.tcp_synack_retries=1
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
link_up "$a" veth0
link_up "$b" veth0
# Answers to those who do not exist go where they are dropped.
mac=$(ip -n "$a" -j link show dev veth0 | sed 's/.*"address":"\([^"]*\)".*/\1/')
ip -n "$b" neigh replace 10.9.0.1 lladdr "$mac" dev veth0
ip -n "$b" neigh replace 10.9.0.77 lladdr "$mac" dev veth0
ip -n "$b" route add 198.18.0.0/15 via 10.9.0.1

hand_over ip netns exec "$a" /usr/bin/python3 -B "$TOP/selftests/cases/hostile.py" \
	"$b" "${HOSTILE_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}"
