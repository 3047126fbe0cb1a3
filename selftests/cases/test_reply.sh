#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl reply answers ktput-ctl pingpong on another host, which is a network
# namespace here. Where nobody answers, pingpong ends at once and says what to do.
# Of each of its peers a sink, or reply, has a line and a record.
#
#   a: veth0 10.6.0.1 ------- b: veth0 10.6.0.2
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

begin 25
two_hosts
: "${a:?}" "${b:?}"

listening()
{
	grep -q '^sink: ' "$scratch/$1.out"
}

# replies NAME WORD...: it runs in b, and listens.
replies()
{
	local name=$1
	shift

	background "$name" env --default-signal=INT ip netns exec "$b" \
		ktput-ctl "$@" disturbed-above 100 record "$scratch/$name" replace
	wait_for "$BOUND" listening "$name" || { cat "$scratch/$name.err"; return 1; }
}

# trips WORD...: 200 round trips from a; the record is $scratch/run.
trips()
{
	timeout 100 ip netns exec "$a" ktput-ctl -j pingpong to 10.6.0.2 \
		disturbed-above 100 messages 200 "$@" >"$scratch/run" &&
		jq -e '.result.valid and .result.round_trips == 200' "$scratch/run"
}

# counted NAME TRIPS: it ends in order, with so many answered.
counted()
{
	kill -INT "${background[$1]}"
	ended "$1" || { cat "$scratch/$1.err"; return 1; }
	jq -e ".result.valid and .result.round_trips == $2" "$scratch/$1"
}

# nobody NAME PATTERN WORD...: pingpong is refused with that before its time is over.
nobody()
{
	local name=$1 pattern=$2
	shift 2

	refused "$name" 1 "$pattern" timeout "$BOUND" ip netns exec "$a" ktput-ctl \
		pingpong to 10.6.0.2 time 600 "$@"
}

nobody "nobody listens" "nothing listens there; start 'ktput-ctl reply' first"
nobody "nor for datagrams" "nobody answers .* 'ktput-ctl reply udp cookie 7' there" \
	udp cookie 7
# told NAME N: so many peers have gone; the first makes the record.
told()
{
	[ "$(jq -s '[.[] | select(.peer)] | length' \
		<<<"$(cat "$scratch/$1" 2>/dev/null)")" = "$2" ]
}

# visit N STREAMS: the Nth peer of the sink sends 1 MiB on each of STREAMS.
visit()
{
	timeout 100 ip netns exec "$a" ktput-ctl start to 10.6.0.2 streams "$2" \
		bytes "$2M" && wait_for "$BOUND" told sink "$1"
}

replies tcp reply
check "TCP" trips
check "another connection, from user space" trips layer user
nobody "requests are smaller than there" "nobody answers .*, with the same sizes" size 16
check "what was answered is counted" counted tcp 400
check "for each peer too" jq -es '[.[] | .peer // empty |
	select(.address == "10.6.0.1" and .span_ns > 0) | .round_trips] | add == 400' \
	"$scratch/tcp"
replies udp reply udp cookie 7 layer user size 1K
check "UDP, from the kernel to user space" trips udp cookie 7 size 1K
nobody "another cookie" "nobody answers .*, and give that cookie here" udp
check "all datagrams are counted" counted udp 200
replies frames reply udp cookie 8 layer driver on 10.6.0.2
check "frames at the driver" trips udp cookie 8 layer driver
check "are counted too" counted frames 200
replies sink sink interval 100ms
check "a sink tells of a peer that has gone" visit 1 1
check "and of the next one" visit 2 3
check "with what it sent alone" jq -es '[.[] | .peer // empty |
	[.bytes, .connections, .span_ns > 0]] ==
	[[1048576, 1, true], [3145728, 3, true]]' "$scratch/sink"
check "a line each" sh -c "[ \"\$(grep -c 'peer  10.6.0.1: ' '$scratch/sink.out')\" = 2 ]"
nobody "a sink does not answer" "nobody answers at 10.6.0.2:5010: start 'ktput-ctl reply'"
check "the record is shown again" sh -c \
	"ktput-ctl show '$scratch/tcp' | grep '^Round trips      400 '"
refused "frames need a device" 2 "'layer driver' needs 'dev'" \
	ktput-ctl reply udp layer driver
kill -INT "${background[sink]}"
ended sink

# sends NAME PEERS WORD...: 100 datagrams for each of the streams of a source, after
# which the sink tells of so many peers.
sends()
{
	local name=$1 peers=$2
	shift 2

	timeout 100 ip netns exec "$a" ktput-ctl start udp cookie 9 alone to 10.6.0.2 \
		rate 300pps size 1000 "$@" && wait_for "$BOUND" told "$name" "$peers"
}

# peers NAME: of each what arrived, from how many ports, and whether within its span.
peers()
{
	jq -cs '[.[] | .peer // empty |
		[.address, .packets, .bytes, .lost_datagrams, .connections,
		 .span_ns > 100000000]]' "$scratch/$1"
}

for layer in socket user; do
	replies "$layer" sink udp cookie 9 streams 2 interval 500ms layer "$layer"
	check "$layer: a peer has fallen silent" sends "$layer" 1 messages 200 streams 2
	# It is heard of only when the sink ends.
	ip netns exec "$a" ktput-ctl start udp cookie 9 alone to 10.6.0.2 rate 300pps \
		size 1000 messages 100 >/dev/null 2>&1 </dev/null
	kill -INT "${background[$layer]}"
	ended "$layer"
	check "and another one; each has its own alone" [ "$(peers "$layer")" = \
		'[["10.6.0.1",200,200000,0,2,true],["10.6.0.1",100,100000,0,1,true]]' ]
done
replies ingress sink udp cookie 9 layer ingress on 10.6.0.2
check "the hook tells no peers apart" sends ingress 0 messages 100
kill -INT "${background[ingress]}"
ended ingress
check "nothing is left" nothing_left "$a" "$b"
finish
