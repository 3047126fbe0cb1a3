#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The ceilings that a result names: their rates, by hand-made frames and cells,
# for the path as it is and as it is said to be, and which one binds. That they
# are met is for exact/test_ceilings.sh.
#
#   a: veth0 10.1.0.1, fd01::1 ------------ b: veth0 10.1.0.2, fd01::2
#      veth0.5 10.5.0.1 ------------------- veth0.5 10.5.0.2
#      veth0.5.6 10.6.0.1 ----------------- veth0.5.6 10.6.0.2
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

begin 18

# measure ADDRESS KEYWORD...: a run from a to b; its document is $scratch/run.
measure()
{
	local to=$1
	shift

	timeout 60 ktput-ctl -j start netns "$a" to "$to" sink-netns "$b" \
		"$@" >"$scratch/run"
}

# ceiling NAME FILTER: true if it holds for the ceiling of the latest run.
ceiling()
{
	jq -e ".result.ceilings[] | select(.name == \"$1\") | $2" \
		"$scratch/run" >/dev/null ||
		{ jq -c .result.ceilings "$scratch/run"; return 1; }
}

# permits NAME RATE PAYLOAD BYTES: RATE bit/s, of whose BYTES so many are payload.
permits()
{
	ceiling "$1" "(.ceiling_bps - $2 * ($3) / ($4)) | fabs < 1"
}

absent()
{
	ceiling "$1" ".unknown_because | test(\"$2\")"
}

vlan()
{
	ip -n "$1" link add link "$2" name "$2.$3" type vlan id "$3" &&
		ip -n "$1" addr add "$4" dev "$2.$3" &&
		ip -n "$1" link set "$2.$3" up
}

setup()
{
	calm
	netns_add a && netns_add b &&
		veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24 &&
		addr_add "$a" fd01::1/64 veth0 &&
		addr_add "$b" fd01::2/64 veth0 || return 1
	modprobe -q 8021q
	vlan "$a" veth0 5 10.5.0.1/24 && vlan "$b" veth0 5 10.5.0.2/24 &&
		vlan "$a" veth0.5 6 10.6.0.1/24 &&
		vlan "$b" veth0.5 6 10.6.0.2/24
}

loopback()
{
	timeout 60 ktput-ctl -j start bytes 64M >"$scratch/run" &&
		absent ethernet "loopback" && absent link "loopback" &&
		absent bus "lo is on none" && absent atm "not said to be" &&
		absent rate "no rate" &&
		ceiling send_buffer ".because | test(\"tcp_wmem\")" &&
		ceiling window ".ceiling_bps > 0" && ceiling cpu ".ceiling_bps > 0"
}

virtual()
{
	measure 10.1.0.2 bytes 1M && absent ethernet "virtual device" &&
		absent link "virtual device"
}

told()
{
	measure 10.1.0.2 bytes 1M link-rate 1gbit &&
		permits ethernet 1e9 1448 1538 && permits link 1e9 1 1 &&
		jq -e ".route | .rate_given and .rate_bps == 1e9" "$scratch/run" &&
		jq -e ".result.wire.link_rate_bps == 1e9 and
			.result.wire.payload_bytes == 1448" "$scratch/run"
}

ipv6()
{
	measure fd01::2 bytes 1M link-rate 1gbit &&
		permits ethernet 1e9 1428 1538
}

tag()
{
	measure 10.5.0.2 bytes 1M link-rate 1gbit &&
		permits ethernet 1e9 1448 1542
}

tags()
{
	measure 10.6.0.2 bytes 1M link-rate 1gbit &&
		permits ethernet 1e9 1448 1546
}

# 12 bytes of the MSS are timestamps.
mss()
{
	measure 10.1.0.2 bytes 1M link-rate 1gbit mss 1000 &&
		permits ethernet 1e9 988 1078
}

no_timestamps()
{
	local status=0

	ip netns exec "$a" sysctl -qw net.ipv4.tcp_timestamps=0
	measure 10.1.0.2 bytes 1M link-rate 10gbit mss 1000 &&
		permits ethernet 10e9 1000 1078 || status=1
	ip netns exec "$a" sysctl -qw net.ipv4.tcp_timestamps=1
	return "$status"
}

# 1448 bytes, 52 of headers, 8 of LLC/SNAP, 8 of AAL5: 32 cells; so it is with 16
# for LAN emulation.
cells()
{
	measure 10.1.0.2 bytes 1M link atm &&
		permits atm 149.76e6 1448 32*53 && permits link 149.76e6 1 1 &&
		absent ethernet "path is ATM" &&
		measure 10.1.0.2 bytes 1M link atm-lane link-rate 100mbit &&
		permits atm 100e6 1448 32*53 &&
		measure 10.1.0.2 bytes 1M link atm-vc mss 500 &&
		permits atm 149.76e6 488 12*53
}

udp_frames()
{
	measure 10.1.0.2 udp messages 100 rate 1kpps size 100 link-rate 1gbit &&
		permits ethernet 1e9 100 166 &&
		measure 10.1.0.2 udp messages 20 rate 200pps size 4000 \
			link-rate 1gbit &&
		permits ethernet 1e9 4000 1538+1538+1106 &&
		absent window "UDP" && absent send_buffer "UDP"
}

udp_driver()
{
	measure 10.1.0.2 udp layer driver messages 100 rate 1kpps size 64 \
		vlan 5 sink-layer ingress link-rate 1gbit &&
		permits ethernet 1e9 18 88
}

# 100 bytes, 28 of headers, 8 of LLC/SNAP, 8 of AAL5.
udp_cells()
{
	measure 10.1.0.2 udp messages 100 rate 1kpps size 100 link atm &&
		permits atm 149.76e6 100 3*53 &&
		measure 10.1.0.2 udp layer driver messages 120 rate 1kpps \
			size imix link atm &&
		absent atm "differ in size"
}

rates()
{
	measure 10.1.0.2 udp messages 100 rate 1kpps size 100 &&
		permits rate 800e3 1 1 &&
		measure 10.1.0.2 bytes 200K pace 8mbit streams 2 &&
		permits rate 16e6 1 1
}

buffers()
{
	measure 10.1.0.2 bytes 1M sndbuf 100K rcvbuf 64K &&
		ceiling send_buffer ".ceiling_bps > 0 and
			(.because | test(\"sndbuf of 100 KiB\"))" &&
		ceiling window ".because | capture(\"^(?<bytes>[0-9]+) bytes\").bytes
			| tonumber | . > 0 and . <= 131072"
}

# What binds is the least, and only that; a share is of it.
binds()
{
	measure 10.1.0.2 bytes 1M link-rate 1kbit &&
		jq -e ".result | .goodput_bps as \$goodput |
			[.ceilings[] | select(.ceiling_bps)] |
			(map(select(.binds)) | length == 1) and
			(map(select(.binds))[0] ==
				(min_by(.ceiling_bps))) and
			(map(select(.binds))[0].name == \"ethernet\") and
			all(.share * .ceiling_bps / \$goodput - 1 |
				fabs < 1e-9)" "$scratch/run"
}

# Each has a name, a layer, and either a rate or the reason why it has none.
complete()
{
	jq -e ".result.ceilings | length == 8 and
		all(.name and .layer and
		    ((.ceiling_bps != null and .share != null and .because and
		      (.binds | type) == \"boolean\" and
		      .unknown_because == null) or
		     (.unknown_because and .ceiling_bps == null)))" "$scratch/run"
}

narrow()
{
	local line

	for line in "" "link-rate 1gbit sndbuf 100K streams 3 pace 1gbit" \
		"link atm-lane link-rate 999.99mbit"; do
		# shellcheck disable=SC2086  # words
		timeout 60 ktput-ctl -s start netns "$a" to 10.1.0.2 \
			sink-netns "$b" bytes 1M $line >"$scratch/text" || return 1
		grep -q "^Ceilings$" "$scratch/text" &&
			grep -q "^Bottleneck " "$scratch/text" || return 1
		! grep -E '.{81}' "$scratch/text" || return 1
	done
}

check "two namespaces, with tags" setup || finish
check "loopback: what there is not says why" loopback
check "a virtual device has no rate" virtual
check "a rate that is told" told
check "IPv6" ipv6
check "a tag" tag
check "two tags" tags
check "the MSS of the live socket" mss
check "without timestamps" no_timestamps
check "ATM: classical IP, LAN emulation, a channel for IP" cells
check "UDP: frames, and fragments" udp_frames
check "UDP: frames of a driver, with a tag" udp_driver
check "UDP: cells" udp_cells
check "the rate that is asked for" rates
check "send buffer and window" buffers
check "the least binds" binds
check "each has a rate, or a reason why not" complete
check "the text has 80 columns" narrow
finish
