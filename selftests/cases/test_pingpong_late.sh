#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ping-pong over the sockets of an application whose requests are lost or late.
#
#   a: veth0 10.6.0.1 (netem) ------- b: veth0 10.6.0.2
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/trips.sh"

need_root
need ktput-ctl gojq ip tc ss
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
ip link set lo up
two_hosts
: "${a:?}" "${b:?}"
link_up "$b" veth0
far=(netns "$a" sink-netns "$b" to)

# netem ARGUMENT...: what becomes of what a sends; without any, nothing.
netem()
{
	ip netns exec "$a" tc qdisc del dev veth0 root 2>/dev/null
	[ $# = 0 ] || ip netns exec "$a" tc qdisc add dev veth0 root netem "$@"
}

lost()
{
	local status=0

	netem loss 30% || return 1
	pingpong ".round_trips + .timeouts == 130 and .timeouts > 0 and
		.latency_ns.count == .round_trips" udp timeout 20ms messages 130 \
		"${far[@]}" 10.6.0.2 "$@" || status=1
	netem
	return "$status"
}

late()
{
	local status=0

	netem delay 100ms || return 1
	pingpong ".round_trips + .timeouts == 6 and .timeouts >= 3 and
		.late_responses > 0" udp timeout 90ms think 50ms messages 6 \
		"${far[@]}" 10.6.0.2 || status=1
	netem
	# No response that is in time: no result either.
	[ "$status" = 0 ] || jq -e '.result | .timeouts == 6 and
		.late_responses > 0 and .round_trips == 0' "$scratch/out"
}

# The n-th is due n gaps after the first, and answered n delays after it.
omission()
{
	local status=0

	netem delay 20ms || return 1
	pingpong '.latency_ns.sum >= 10 * 20000000 + 45 * 19000000' rate 1000 \
		messages 10 "$@" "${far[@]}" 10.6.0.2 || status=1
	netem
	return "$status"
}

netem delay 1us 2>/dev/null && netem || skip_all "no netem here"
plan 6
for wait in epoll block spin; do
	check "lost datagrams time out, wait $wait" lost wait $wait
done
check "late responses are counted" late
check "coordinated omission, tcp" omission
check "coordinated omission, udp" omission udp timeout 60
finish
