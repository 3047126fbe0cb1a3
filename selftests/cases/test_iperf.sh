#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# iperf3 as an engine: the record has what iperf3 itself says, its counts are
# checked like others', what it cannot do is refused, and nothing needs it. No
# module is needed.
#
# kernel: host

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/engines.sh"

engine=iperf3
server_word=-s
engine_begin 44

# says FILTER: true if it holds for the record; $client and $server are what
# iperf3 printed.
says()
{
	jq -e --slurpfile c "$scratch/client.out" \
		--slurpfile s "$scratch/server.out" \
		'$c[0] as $client | $s[0] as $server | '"$1" "$scratch/run" \
		>/dev/null || {
		jq -c '.result' "$scratch/run"
		cat "$scratch"/*.words
		return 1
	}
}

near='fabs < 1e-3 * '

check "TCP over loopback" start time 1s
check "goodput is iperf3's own" says '.result.goodput_bps as $bps |
	$server.end.sum_received.bits_per_second as $own |
	.result.valid and ($bps - $own | '"$near"'$own)'
check "bytes are those that its server received" says \
	'.result.bytes == $server.end.sum_received.bytes and .result.bytes > 0'
check "bytes that were sent are its client's" says \
	'([.intervals[-1].source.streams[].bytes] | add) ==
		$client.end.sum_sent.bytes'
check "retransmissions and round-trip time are its client's" says '
	.result.retransmissions == $client.end.sum_sent.retransmits and
	.result.rtt_us == $client.end.streams[0].sender.mean_rtt'
# read_back END: what iperf3 itself printed there is a record for ktput-report.
read_back()
{
	ktput-report -j ceilings "$scratch/$1.out" >"$scratch/read" &&
		jq -e --slurpfile own "$scratch/$1.out" '.runs[0] | .valid and
			.goodput_bps == $own[0].end.sum_received.bits_per_second' \
			"$scratch/read"
}
check "ktput-report reads what its client printed" read_back client
check "... and its server" read_back server
check "the engine is its name" says '[.source.config.engine,
	.sink.config.engine, .source.config.layer] ==
	["iperf3", "iperf3", "user"]'
check "CPUs were busy meanwhile, and of calls nothing is said" says '.result |
	.busy_cycles_per_byte > 0 and (has("source_call_cycles_per_byte") | not) and
	(.cpus | all(has("source_call_cycles") | not))'
check "its default size is ktput's" told client -l 131072

check "a socket buffer" start time 1s sndbuf 280K
check "that is -w" told client -w 286720
check "both alike, after a warm-up" start netns "$a" sink-netns "$b" to 10.5.0.2 \
	time 1s warmup 1s sndbuf 280K rcvbuf 280K
check "that is -O, and its result leaves it out" told client -O 1 -t 1
check "neither bytes nor CPUs have the warm-up" says '
	$server.end.sum_received.bytes as $bytes | .result.valid and
	.result.bytes == $bytes and (.intervals | map(.warm_up)) == [true, false] and
	.intervals[0].bytes == 0 and (.result.busy_cycles_per_byte - (
		[.intervals[1].busy_cycles] | add) / $bytes | fabs < 0.01)'
check "intervals" start time 1s interval 250ms
check "those are its server's own, and their mean and sigma" says '
	[$server.intervals[].sum.bytes] as $own | .result.valid and
	[.intervals[].bytes] == $own and ($own | length >= 4 and
		add == $server.end.sum_received.bytes) and
	(.result.statistics.goodput_bps | .count >= 3 and .mean > 0 and .sigma > 0)'
refused "buffers that differ" 2 "iperf3 sets both buffers alike" \
	ktput-ctl start engine iperf3 sndbuf 1M rcvbuf 2M

check "two streams between namespaces, by bytes" start netns "$a" \
	sink-netns "$b" to 10.5.0.2 streams 2 bytes 2M size 16K
check "as it was told" told client -P 2
check "all bytes are sent" says '.result.valid and .result.reason == "bytes" and
	([.intervals[-1].source.streams[].bytes] | length == 2 and add >= 2097152)'
check "the device has seen them" says '.result.reconciliation |
	any(.what == "bytes received by the device" and .agrees)'

shape()
{
	tc -n "$a" qdisc "$1" dev veth0 root tbf rate 20mbit burst 16k limit 256k
}

# shaped WORD...: a run of the program itself, whose device has a rate.
shaped()
{
	shape add || return
	timeout 60 ktput-ctl -j -s start engine iperf3 netns "$a" sink-netns "$b" \
		to 10.5.0.2 time 2s cpus 0 "$@" >"$scratch/run"
	set -- $?
	shape del
	return "$1"
}

modprobe -q sch_tbf
if shape add && shape del; then
	check "a device that has a rate" shaped
	check "a queue before it is what binds" jq -e '.result.binding == "queue"' \
		"$scratch/run"
	check "since its sockets tell that TCP was busy, and its CPU that it was not" \
		jq -e '.result | .tcp[0].busy_share > 0.8 and
		(.cpus[] | select(.cpu == 0) | .cycles as $all | .attribution |
		.source_cycles > 0 and .source_cycles < $all / 2)' "$scratch/run"
	check "two streams: each has a socket" shaped streams 2
	check "... and the one of control is none of them" jq -e '
		[.intervals[-1].source.streams[].tcp.bytes_sent] |
		length == 2 and min > 100000' "$scratch/run"
else
	skip "a device that has a rate" "no tbf here"
	skip "a queue before it is what binds" "no tbf here"
	skip "since its sockets tell that TCP was busy, and its CPU that it was not" "no tbf here"
	skip "two streams: each has a socket" "no tbf here"
	skip "... and the one of control is none of them" "no tbf here"
fi
check "IPv6, out of a file" start netns "$a" sink-netns "$b" to fd05::2 \
	method sendfile bytes 1M
check "that is -Z" told client -Z

check "UDP at a rate" start udp netns "$a" sink-netns "$b" to 10.5.0.2 \
	rate 200pps size 1000 time 2s
check "the rate is one of bits" told client -u
check "datagrams are its server's" says '.result.valid and
	.result.packets == $server.end.sum.packets - $server.end.sum.lost_packets and
	.result.datagrams.sent == $client.end.sum_sent.packets'
check "some 200 a second of 1000 bytes" says '.result |
	.packets_per_s > 150 and .packets_per_s < 250 and
	.bytes == .packets * 1000'

check "Ctrl-C ends it in order, with a result" interrupted

check "SIGKILL leaves no process behind" killed

# A client of iperf3 at a sink waits for an answer, and the sink says so while it does.
mistaken()
{
	local client sink status=0

	ktput-ctl sink layer user netns "$b" port 5321 interval 100ms time 60s \
		>"$scratch/sink" 2>&1 &
	sink=$!
	wait_for "$BOUND" grep -q '^sink: ' "$scratch/sink" || status=1
	ip netns exec "$a" iperf3 -c 10.5.0.2 -p 5321 >"$scratch/client" 2>&1 &
	client=$!
	wait_for "$BOUND" grep -q "warning: 10\.5\.0\.1 sent 37 bytes and waits, as a client of iperf3 .*'ktput-ctl start to ADDRESS' there" \
		"$scratch/sink" || status=1
	kill "$client" || status=1
	kill -INT "$sink" && wait "$sink" || status=1
	wait "$client"
	[ "$(grep -c warning: "$scratch/sink")" = 1 ] || status=1
	[ "$status" = 0 ] || cat "$scratch/sink"
	return "$status"
}
check "a client of iperf3 at a sink is told" mistaken
check "nobody else is" sh -c '! ktput-ctl start layer user sink-layer user bytes 37 2>&1 |
	grep iperf3'

refused "nobody listens" 1 'iperf3: .*Connection refused' ktput-ctl start \
	engine iperf3 to 127.0.0.1 alone port 1 time 1s
refused "half a second" 1 'iperf3 takes whole seconds' \
	ktput-ctl start engine iperf3 time 500ms
refused "half a second of warm-up" 1 'warmup: iperf3 takes whole seconds' \
	ktput-ctl start engine iperf3 warmup 500ms time 1s
refused "shorter intervals than it has" 1 'iperf3 takes 100 ms to 60 s' \
	ktput-ctl start engine iperf3 interval 50ms
refused "what it has no equivalent of" 2 "'priority' does not work with engine iperf3" \
	ktput-ctl start engine iperf3 priority 1
refused "a way to send that it does not have" 2 \
	"'method zerocopy' does not work with engine iperf3" \
	ktput-ctl start engine iperf3 method zerocopy

refused "not installed" 1 'iperf3 is not installed here: it is the package' \
	without
finish
