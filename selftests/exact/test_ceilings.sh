#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A link that is shaped to a rate carries what its ceiling says, to 0.5 %: with
# frames counted as on Ethernet, and in cells as on ATM, at several MTUs, with
# and without timestamps. The clock must be exact: vm/run --icount.
#
#   a: veth0 10.1.0.1 --- tbf, 100 Mb/s --- b: veth0 10.1.0.2

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

[ "${KTPUT_ICOUNT-}" = 1 ] ||
	skip_all "the clock does not count instructions: vm/run --icount"
need tc
begin 16

# What tc(8) has to add to the bytes that it sees, which begin with the MAC
# header and end before the FCS: FCS, preamble and gap; or AAL5's trailer and an
# encapsulation, less the MAC header where it does not travel.
ETHERNET=24
CLIP=$((8 + 8 - 14)) VC=$((8 - 14)) LANE=$((8 + 2))

# path MTU TIMESTAMPS STAB...: count bytes as STAB says, see tc-stab(8). It takes
# a packet of several segments for one, so there must be none.
path()
{
	local mtu=$1 timestamps=$2 netns
	shift 2

	for netns in "$a" "$b"; do
		ip -n "$netns" link set veth0 mtu "$mtu" gso_max_segs 1 &&
			ip netns exec "$netns" sysctl -qw \
				net.ipv4.tcp_timestamps="$timestamps" || return 1
	done
	tc -n "$a" qdisc replace dev veth0 root handle 1: stab "$@" \
		tbf rate 100mbit burst 20000 limit 1000000
}

# cells OVERHEAD: words of stab for ATM; a table with an entry for each size.
cells()
{
	echo linklayer atm overhead "$1" mtu 9299 tsize 9300
}

# reaches CEILING KEYWORD...: a run reaches it, and no other is lower. What the
# bucket holds at the beginning is left out.
reaches()
{
	local ceiling=$1
	shift

	timeout 600 ktput-ctl -j start netns "$a" to 10.1.0.2 sink-netns "$b" \
		link-rate 100mbit warmup 0.2 time 1 "$@" >"$scratch/run" &&
		jq -e ".result | .valid and (.ceilings[] | select(.binds) |
			.name == \"$ceiling\" and
			.share >= 0.995 and .share <= 1.005)" "$scratch/run" ||
		{ jq -c '.result | {valid, goodput_bps, ceilings}' "$scratch/run"
		return 1; }
}

ethernet()
{
	path "$1" "$2" linklayer ethernet overhead "$ETHERNET" &&
		reaches ethernet
}

# atm KEYWORD OVERHEAD MTU TIMESTAMPS
atm()
{
	# shellcheck disable=SC2046  # words
	path "$3" "$4" $(cells "$2") && reaches atm link "$1"
}

udp()
{
	path 1500 1 linklayer ethernet overhead "$ETHERNET" &&
		reaches ethernet udp size "$1" rate 110mbit
}

# shellcheck disable=SC2046  # words
udp_cells()
{
	path 1500 1 $(cells "$CLIP") &&
		reaches atm link atm udp size "$1" rate 110mbit
}

# A wrong ceiling is not met.
wrong()
{
	path 1500 1 linklayer ethernet overhead 0 && ! reaches ethernet
}

setup()
{
	netns_add a && netns_add b &&
		veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24
}

check "two namespaces" setup || finish
for mtu in 1500 4500 9000; do
	check "Ethernet, MTU $mtu, timestamps" ethernet $mtu 1
	check "Ethernet, MTU $mtu, no timestamps" ethernet $mtu 0
done
check "ATM, classical IP, MTU 9180, timestamps" atm atm "$CLIP" 9180 1
check "ATM, classical IP, MTU 9180, no timestamps" atm atm "$CLIP" 9180 0
check "ATM, classical IP, MTU 1500" atm atm "$CLIP" 1500 1
check "ATM, a channel for IP, MTU 4500" atm atm-vc "$VC" 4500 1
check "ATM, LAN emulation, MTU 1500" atm atm-lane "$LANE" 1500 1
check "UDP in frames" udp 1000
check "UDP in fragments" udp 4000
check "UDP in cells" udp_cells 100
check "frames counted without what Ethernet adds: not met" wrong
finish
