#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# nuttcp as an engine: the record has what nuttcp itself says, which its client
# prints of both ends, its counts are checked like others', what it cannot do is
# refused, and nothing needs it. No module is needed.
#
# kernel: host

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/engines.sh"

engine=nuttcp
server_word=-1
engine_begin 20

# says FILTER: true if it holds for the record; $t and $r have what nuttcp printed
# of its transmitter and its receiver, the first of each name.
says()
{
	local t r

	t=$(printed t)
	r=$(printed r)
	jq -e --argjson t "$t" --argjson r "$r" "$1" "$scratch/run" >/dev/null || {
		jq -c '.result' "$scratch/run"
		cat "$scratch/client.out" "$scratch"/*.words
		return 1
	}
}

# printed t|r: numbers of an end, an object.
printed()
{
	sed -n "s/^nuttcp-$1: //p" "$scratch/client.out" | tr ' ' '\n' |
		sed -n 's/^\([a-zA-Z_]*\)=\([0-9]*\.\{0,1\}[0-9]*\)$/{"\1":\2}/p' |
		jq -s 'reverse | add'
}

check "TCP over loopback" start time 500ms
check "goodput is nuttcp's own" says '.result.goodput_bps as $bps |
	.result.valid and ($bps / ($r.rate_Mbps * 1e6) - 1 | fabs < 1e-3)'
check "bytes are those that its server received" says '.result.bytes > 0 and
	(.result.bytes / 1048576 - $r.megabytes | fabs <= 0.0001)'
check "bytes that were sent are its client's" says '
	([.intervals[-1].source.streams[].bytes] | add) / 1048576 - $t.megabytes |
	fabs <= 0.0001'
check "the engine is its name" says '[.source.config.engine,
	.sink.config.engine, .source.config.layer] ==
	["nuttcp", "nuttcp", "user"]'
check "of TCP nothing is said that it does not tell" says '.result |
	.busy_cycles_per_byte > 0 and (has("source_call_cycles_per_byte") or
	has("retransmissions") or has("rtt_us") | not)'
check "its default size is ktput's" told client -l 131072

check "two streams between namespaces, by bytes" start netns "$a" \
	sink-netns "$b" to 10.5.0.2 streams 2 bytes 2000000 size 16K
check "as it was told" told client -l 16384 -N 2 -n 123
check "whole buffers are sent, and received" says '.result.valid and
	.result.reason == "bytes" and .result.bytes == 123 * 16384 and
	([.intervals[-1].source.streams[].bytes] | add) == 123 * 16384'
check "the device has seen them" says '.result.reconciliation |
	any(.what == "bytes received by the device" and .agrees)'

check "UDP at a rate, IPv6" start udp netns "$a" sink-netns "$b" to fd05::2 \
	rate 200pps size 1000 time 1s
check "the rate is one of datagrams" told client -u -R 200p
check "datagrams are its server's" says '.result.valid and
	.result.packets == $r.pkt - $r.drop and .result.packets > 0 and
	.result.bytes == .result.packets * 1000 and
	(.result.datagrams.sent * 1000 / 1048576 - $t.megabytes | fabs <= 0.0001)'

check "Ctrl-C ends it in order, with a result" interrupted
check "SIGKILL leaves no process behind" killed

refused "nobody listens" 1 'nuttcp: connect: Connection refused' ktput-ctl \
	start engine nuttcp to 127.0.0.1 alone port 5999 time 100ms
refused "what it has no equivalent of" 2 "'from' does not work with engine nuttcp" \
	ktput-ctl start engine nuttcp from 127.0.0.1
refused "a way to send that it does not have" 2 \
	"'method sendfile' does not work with engine nuttcp" \
	ktput-ctl start engine nuttcp method sendfile
refused "not installed" 1 'nuttcp is not installed here: it is the package' \
	without
finish
