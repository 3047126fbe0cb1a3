#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl mesh: sixteen hosts, which are network namespaces behind a bridge. The
# link from 4 to 13 is slow, and the CPU of 3: its firewall spends more on each packet
# than the time that the rate leaves. The mesh names both, and which is which.
#
# environment:
#   KTPUT_MESH_TIMES  how often; 1
#   KTPUT_MESH_LAYER  socket, with the module, or user; user
#   KTPUT_STAND_IN    1: no ssh, though there is an sshd

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/sshd.sh"

HOSTS=16
RATE=20mbit
SLOW=7mbit
# What a packet of 1500 bytes takes at a third of RATE. Microseconds.
PACKET_US=1800

need_root
need ktput-ctl gojq ip tc nft ping
need_lab
/usr/bin/python3 -c 'import ClusterShell' 2>/dev/null || skip_all "python3-clustershell is not installed"
times=${KTPUT_MESH_TIMES-1}
layer=(layer user)
if [ "${KTPUT_MESH_LAYER-user}" = socket ]; then
	ktput_load || skip_all "the module cannot be loaded"
	layer=()
fi
plan $((2 + 4 * times))
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
# A clock that counts instructions leaps to the next timer while this VM waits for a
# file, past the patience of a mesh if that is far.
[ "${KTPUT_ICOUNT-}" != 1 ] ||
	background ticks perl -e 'select undef, undef, undef, 0.001 while 1'

netns_add bridge
# Set by netns_add.
: "${bridge:?}"

# host_add N: host n followed by N, behind the bridge.
host_add()
{
	local -n netns=n$1

	# What is in the buffer at the end has to leave at RATE.
	netns_add "n$1" &&
		ip netns exec "$netns" sysctl -q net.ipv4.tcp_wmem="4096 65536 65536" &&
		ip link add veth0 netns "$netns" type veth \
			peer name "port$1" netns "$bridge" &&
		ip -n "$netns" addr add "10.6.0.$1/24" dev veth0 &&
		ip -n "$netns" link set veth0 gso_max_segs 1 up &&
		ip -n "$bridge" link set "port$1" master br0 up &&
		tc -n "$netns" qdisc add dev veth0 root handle 1: htb default 1 &&
		tc -n "$netns" class add dev veth0 parent 1: classid 1:1 htb rate "$RATE" \
			quantum 3000
}

# slow_link A B: what host A sends to B has its own, lower rate.
slow_link()
{
	local -n netns=n$1

	tc -n "$netns" class add dev veth0 parent 1: classid 1:2 htb rate "$SLOW" \
		quantum 3000 &&
		tc -n "$netns" filter add dev veth0 parent 1: protocol ip u32 \
			match ip dst "10.6.0.$2" flowid 1:2
}

# firewall NETNS TIMES: every packet passes TIMES ten thousand rules.
firewall()
{
	{
		echo 'table ip slow {'
		echo 'chain leaf {'
		for ((i = 0; i < 100; i++)); do echo 'ip saddr 192.0.2.1 drop'; done
		echo '}'
		echo 'chain branch {'
		for ((i = 0; i < 100; i++)); do echo 'jump leaf'; done
		echo '}'
		for hook in input output; do
			echo "chain $hook {"
			echo "type filter hook $hook priority 0;"
			for ((i = 0; i < $2; i++)); do echo 'jump branch'; done
			echo '}'
		done
		echo '}'
	} | ip netns exec "$1" nft -f -
}

# slow_cpu N: a packet takes PACKET_US there, whatever this machine is.
slow_cpu()
{
	local -n netns=n$1
	local said rtt

	firewall "$netns" 1 || return 1
	said=$(ip netns exec "$netns" ping -q -i 0.2 -c 10 "10.6.0.$2") || return 1
	rtt=$(sed -n 's|^rtt.* = \([0-9]*\)\.\([0-9]*\)/.*|\1\2|p' <<<"$said")
	ip netns exec "$netns" nft flush ruleset &&
		firewall "$netns" $((2 * PACKET_US / 10#$rtt + 1))
	diag "host $1: $rtt us for two passes of ten thousand rules"
}

mesh()
{
	timeout 600 ip netns exec "$bridge" ktput-ctl -j mesh "host[1-$HOSTS]" "${layer[@]}" time 100ms peers 4 \
		concurrent 1 record "$scratch/mesh" replace \
		>"$scratch/result" 2>"$scratch/progress" </dev/null && return
	cat "$scratch/progress"
	return 1
}

# says FILTER: it holds for the mesh.
says()
{
	jq -e ".mesh | $1" "$scratch/result" >/dev/null && return
	tail "$scratch/progress"
	jq -c '.mesh | .outliers[], .failed[],
		([.pairs[] | .goodput_bps / 1e6 | round] | sort)' "$scratch/result"
	return 1
}

ip -n "$bridge" link add br0 up type bridge &&
	ip -n "$bridge" addr add 10.6.0.254/24 dev br0 || { diag "no bridge here"; exit 1; }
names=()
for ((host = 1; host <= HOSTS; host++)); do
	host_add "$host" || exit 1
	declare -n netns=n$host
	names+=("host$host=$netns=10.6.0.$host")
done
hosts_begin "$bridge" "${names[@]}"
check "a slow link" slow_link 4 13
check "a slow CPU" slow_cpu 3 1
for ((i = 0; i < times; i++)); do
	check "a mesh of $HOSTS hosts" mesh
	check "each pair has a result" says \
		'(.pairs | length == 64) and .failed == [] and .left_out == []'
	check "the slow link is named" says '[.outliers[] | select(.kind == "link")] |
		length == 1 and .[0].hosts == ["host13", "host4"] and
		.[0].cause == "network"'
	check "the slow CPU is named" says '[.outliers[] | select(.kind == "host")] |
		length == 1 and .[0].host == "host3" and .[0].cause == "cpu"'
done
finish
