#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Counts that agree, and counts that are made to disagree: named, with the place.
#
# The two ends of a veth pair are in two network namespaces. Filters of tc pick
# datagrams by the last bits of their sequence numbers, so that it is known
# which are missing, and how many.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

# Every eighth of this many.
MESSAGES=800
EIGHTH=100

need tc nc modprobe
for module in sch_ingress cls_u32 act_gact act_mirred dummy; do
	modprobe -q "$module" || skip_all "the kernel has no $module"
done
begin 16
netns_add a
netns_add b
netns_add c
# shellcheck disable=SC2154  # netns_add sets them
calm "$a" "$b"
veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
addr_add "$a" fd09::1/64 veth0
addr_add "$b" fd09::2/64 veth0
for ns in "$a" "$b"; do
	ip -n "$ns" link add away type dummy
	ip -n "$ns" link set away up
	tc -n "$ns" qdisc add dev veth0 clsact
done

run()
{
	recorded "$1" netns "$a" sink-netns "$b" "${@:2}"
}

says()
{
	jq -e "$1" "$scratch/run" >/dev/null && return
	jq -c '.result | .reconciliation, .datagrams, .invalid_because' \
		"$scratch/run"
	return 1
}

# agree NUMBER: so many comparisons, and all of them agree.
agree()
{
	says ".result | .valid and (.reconciliation | length == $1 and
		all(.agrees))"
}

# pick NETNS WAY ACTION...: ACTION for every eighth datagram.
pick()
{
	local netns=$1 way=$2
	shift 2

	tc -n "$netns" filter add dev veth0 "$way" protocol ip u32 \
		match ip protocol 17 0xff match u32 0 0x7 at 32 action "$@"
}

clear_filters()
{
	tc -n "$a" filter del dev veth0 egress
	tc -n "$b" filter del dev veth0 ingress
}

datagrams()
{
	run "$1" udp to 10.9.0.2 messages "$MESSAGES" rate 4kpps "${@:2}"
}

tcp_agrees()
{
	run 0 to "$1" bytes 4M && agree 8 &&
		says '.result.reconciliation | map(.where) | unique ==
			["sink", "sink, veth0", "source", "source to sink",
			 "source, veth0"]'
}
check "TCP over veth" tcp_agrees 10.9.0.2
check "TCP over veth, IPv6" tcp_agrees fd09::2

tcp_loopback()
{
	ktput-ctl start bytes 4M record "$scratch/run" replace >"$scratch/text" &&
		agree 8
}
check "TCP over loopback" tcp_loopback

udp_agrees()
{
	datagrams 0 && agree 9 && ! grep -q isagree "$scratch/text"
}
check "UDP over veth" udp_agrees

frames_agree()
{
	datagrams 0 layer driver sink-layer ingress && agree 9
}
check "frames over veth" frames_agree

# A turn sends more than the backlog of the CPU holds, which loopback does not count
# as sent.
backlog_drops()
{
	ktput-ctl start udp method direct messages 2000 \
		record "$scratch/run" >"$scratch/text" 2>"$scratch/err" ||
		{ cat "$scratch/text" "$scratch/err"; return 1; }
	says ".result | .valid and (.reconciliation | all(.agrees)) and
		(.reconciliation | map(select(.what ==
		 \"packets sent by the device\")) | length == 1) and
		(.datagrams | .lost > 0 and .unaccounted == 0)"
}
at_exit sysctl -qw "net.core.netdev_max_backlog=$(
	sysctl -n net.core.netdev_max_backlog)"
sysctl -qw net.core.netdev_max_backlog=10
check "UDP over loopback, with drops of the backlog" backlog_drops
sysctl -qw net.core.netdev_max_backlog=10000

detail()
{
	ktput-ctl -s start netns "$a" sink-netns "$b" udp to 10.9.0.2 \
		messages 100 rate 4kpps >"$scratch/text" &&
		grep -qE '^different datagrams received +100 +=  +100  source to sink$' \
			"$scratch/text" &&
		sed -n '/^Reconciliation/,$p' "$scratch/text" |
			awk 'length > 80 { exit 1 }' && return
	cat "$scratch/text"
	return 1
}
check "with -s all comparisons are in the text" detail

# Dropped by a filter that counts: lost, and accounted.
dropped()
{
	pick "$b" ingress drop && datagrams 0 && agree 9 &&
		says ".result.datagrams | .lost == $EIGHTH and
			.unaccounted == 0 and .device_drops == $EIGHTH"
}
check "dropped at the sink's ingress, by somebody who counts" dropped
clear_filters

# Taken away by one that does not.
taken()
{
	pick "$b" ingress mirred egress redirect dev away && datagrams 0 &&
		says ".result | .datagrams.lost == $EIGHTH and .valid and
			.datagrams.losses ==
			[{\"place\": \"sink_host\", \"datagrams\": $EIGHTH}] and
			all(.reconciliation[]; .agrees)"
}
check "taken behind the sink's device, by nobody who counts" taken
check "the place is in the text" \
	grep -q "^Lost by  *the sink's host, behind its device" "$scratch/text"
check "and it is no contradiction" [ -z "$(grep 'not valid' "$scratch/err")" ]
clear_filters

before()
{
	pick "$a" egress mirred egress redirect dev away && datagrams 1 &&
		says ".result | .datagrams.unaccounted == $EIGHTH and
			(.reconciliation | map(select(.agrees | not)) |
			map(.where) == [\"before the source's device\",
					\"source, veth0\"])"
}
check "taken before the source's device" before
clear_filters

again()
{
	datagrams 0 && agree 9
}
check "and nothing, once the filters are gone" again

# Something between that eats bytes: what the source sent is acknowledged, and
# what the sink received, TCP received as well.
eater()
{
	# shellcheck disable=SC2154  # netns_add sets c
	ip netns exec "$b" nc -d -l 10.9.0.2 5010 | {
		dd bs=1 count=1000 of=/dev/null
		exec ip netns exec "$c" nc -N 10.9.0.2 5010
	}
}

listening()
{
	[ -n "$(ss -N "$b" -tlnH 'sport = :5010')" ]
}

eaten()
{
	local status=0

	addr_add "$c" 10.9.0.2/32 lo
	background eater eater
	wait_for "$BOUND" listening || return 1
	ktput-ctl start netns "$a" sink-netns "$c" to 10.9.0.2 port 5010 \
		bytes 1M record "$scratch/run" replace >"$scratch/text" \
		2>"$scratch/err" || status=$?
	[ "$status" = 1 ] && says '.result | (.valid | not) and
		(.reconciliation | map(select(.agrees | not)) |
		 map([.what, .expected, .counted, .where]) ==
		 [["bytes of source and sink", 1048576, 1047576,
		   "source to sink"]])'
}
check "bytes that somebody between has eaten" eaten

# invalid SENTENCE: the text has it, folded.
invalid()
{
	sed -n '/^INVALID/,$p' "$scratch/text" >"$scratch/invalid"
	tr -s ' \n' ' ' <"$scratch/invalid" | grep -F "INVALID $1" &&
		! grep '.\{81\}' "$scratch/invalid"
}
check "how many are in the text" invalid \
	"source to sink: the source sent 1048576 bytes, the sink received 1047576"
check "nothing is left behind" nothing_left "$a" "$b" "$c"
finish
