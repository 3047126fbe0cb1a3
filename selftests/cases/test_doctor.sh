#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl doctor: what namespaces can have wrong, and what start says of it.

. "$(dirname "$0")/../lib/lib.sh"

need ip ethtool tc nft gojq script
need_root
plan 19

# Two hosts with a router between them.
ns_here='' ns_router='' ns_there=''
netns_add ns_here
netns_add ns_router
netns_add ns_there
veth_add "$ns_here" 192.0.2.1/24 "$ns_router" 192.0.2.2/24
ip -n "$ns_router" link add veth1 type veth peer name veth1 netns "$ns_there"
ip -n "$ns_router" addr add 198.51.100.1/24 dev veth1
ip -n "$ns_there" addr add 198.51.100.2/24 dev veth1
ip -n "$ns_router" link set veth1 up
ip -n "$ns_there" link set veth1 up
ip -n "$ns_here" route add default via 192.0.2.2
ip -n "$ns_there" route add default via 198.51.100.1
ip netns exec "$ns_router" sysctl -qw net.ipv4.ip_forward=1

# finds NAME STATE FIGURE: the doctor has this to say of the way there.
finds()
{
	local found

	found=$(ktput-ctl -j doctor netns "$ns_here" to 198.51.100.2 |
		jq -r --arg name "$1" '.findings[] | select(.name == $name) |
			"\(.state) \(.figure)"')
	grep -qE "^$2 $3\$" <<<"$found" || { echo "$1: '$found'"; return 1; }
}

here()
{
	ip netns exec "$ns_here" "$@"
}

# exits STATUS: of the doctor.
exits()
{
	local status=0

	ktput-ctl doctor netns "$ns_here" to 198.51.100.2 >/dev/null || status=$?
	[ "$status" = "$1" ]
}

check "qdisc: good" finds qdisc good 'noqueue'
here tc qdisc add dev veth0 root netem delay 1ms
check "qdisc: netem" finds qdisc bad 'netem'
check "that spoils a measurement" exits 1
here tc qdisc del dev veth0 root

check "MTU: good" finds MTU good '1500'
ip -n "$ns_router" link set veth1 mtu 1400
check "MTU: of the path" finds MTU bad '1400 of the path, 1500 of the device'
ip -n "$ns_router" link set veth1 mtu 1500
here ip route flush cache

check "offloads: good" finds offloads good 'all on that the device has'
here ethtool -K veth0 tso off >/dev/null
check "offloads: off" finds offloads bad 'TSO off'
here ethtool -K veth0 tso on >/dev/null

check "TCP buffers: good" finds "TCP buffers" good '.*'
here sysctl -qw net.ipv4.tcp_rmem='4096 8192 16384'
check "TCP buffers: small" finds "TCP buffers" bad 'tcp_rmem allows 16 KiB; .*'
here sysctl -qw net.ipv4.tcp_rmem='4096 131072 6291456'

here sysctl -qw net.ipv4.tcp_timestamps=0
check "TCP timestamps: off" finds "TCP timestamps" note off
here sysctl -qw net.ipv4.tcp_timestamps=1

here nft add table inet spoil
check "firewall: none" finds firewall good '0 base chains of nf_tables'
here nft add chain inet spoil in '{ type filter hook input priority 0; }'
check "firewall: a hook" finds firewall note '1 base chain of nf_tables'

# far NAMESPACE WORD...: the doctor of what stands for another host.
far()
{
	# shellcheck disable=SC2016  # the other shell's
	KTPUT_SSH='at() { ip netns exec "$1" sh -c "$2"; }; at' \
		ktput-ctl -j doctor remote "$@"
}

# far_finds STATE: what it says of the queue there.
far_finds()
{
	far "$ns_there" dev veth1 | jq -e --arg state "$1" '.findings[] |
		select(.name == "qdisc") | .state == $state'
}

# far_refused PATTERN WORD...: it refuses, and says who does.
far_refused()
{
	local status=0 said

	said=$(far "$ns_there" "${@:2}" 2>&1) || status=$?
	[ "$status" = 1 ] && jq -re .error <<<"$said" | grep -E "^$ns_there: $1" || {
		echo "$status: $said"
		return 1
	}
}

nobody_there()
{
	local status=0

	far "$ns_there-not" >"$ktap_scratch/far" 2>&1 || status=$?
	[ "$status" = 1 ] && grep "$ns_there-not: " "$ktap_scratch/far"
}

check "another host: good" far_finds good
ip netns exec "$ns_there" tc qdisc add dev veth1 root netem delay 1ms
check "another host: netem" far_finds bad
check "another host: no such device" far_refused "refused: device: .* 'a'; echo b'" \
	dev "a'; echo b"
check "another host: there is none" nobody_there

# tcp_mem is the machine's, and only its first namespace may write it.
memory=$(cat /proc/sys/net/ipv4/tcp_mem)
at_exit sysctl -qw net.ipv4.tcp_mem="$memory"
sysctl -qw net.ipv4.tcp_mem='100 256 100000'

# mem STATE: of the doctor's row, in the first namespace.
mem()
{
	ktput-ctl -j doctor | jq -e --arg state "$1" '.findings[] |
		select(.name == "tcp_mem") | .state == $state'
}

# hints PATTERN COMMAND...: COMMAND says so on a terminal.
hints()
{
	script -qec "${*:2}" /dev/null </dev/null >"$ktap_scratch/screen"
	grep -E "$1" "$ktap_scratch/screen" || {
		cat "$ktap_scratch/screen" /proc/sys/net/ipv4/tcp_mem
		return 1
	}
}

start="ktput-ctl start layer user sink-layer user time 100ms"
check "tcp_mem: small" mem bad
check "start says so on a terminal" hints 'warning: .*tcp_mem: pressure from 1 MiB.*doctor' "$start"
sysctl -qw net.ipv4.tcp_mem="$memory"
quiet()
{
	! hints 'tcp_mem: ' "$start"
}
# TCP notices that pressure has gone when a socket takes memory.
check "and not otherwise" wait_for "$BOUND" quiet
finish
