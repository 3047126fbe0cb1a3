#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# iperf3 as an engine: the record has what iperf3 itself says, its counts are
# checked like others', what it cannot do is refused, and nothing needs it. No
# module is needed.
#
#   a: veth0 10.5.0.1, fd05::1 ------- b: veth0 10.5.0.2, fd05::2

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/runs.sh"

need_root
need ktput-ctl jq ip ss iperf3
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
ip link set lo up
netns_add a && netns_add b || skip_all "no network namespaces here"
# Set by netns_add.
: "${a:?}" "${b:?}"
veth_add "$a" 10.5.0.1/24 "$b" 10.5.0.2/24 || skip_all "no veth here"
addr_add "$a" fd05::1/64 veth0
addr_add "$b" fd05::2/64 veth0
wait_for "$BOUND" sh -c "ip -n '$b' link show dev veth0 | grep -q LOWER_UP"

plan 25

# Keeps what the real one prints, one file for each end, and passes it on.
mkdir "$scratch/bin"
cat >"$scratch/bin/iperf3" <<END
#!/bin/sh
end=client
case " \$* " in *" -s "*) end=server ;; esac
echo "\$*" >"$scratch/\$end.words"
$(command -v iperf3) "\$@" >"$scratch/\$end.json"
status=\$?
cat "$scratch/\$end.json"
exit \$status
END
chmod 755 "$scratch/bin/iperf3"

# start WORD...: a run of iperf3 whose record is $scratch/run.
start()
{
	PATH=$scratch/bin:$PATH timeout 120 ktput-ctl -j -s start layer iperf3 \
		"$@" >"$scratch/run"
}

# says FILTER: true if it holds for the record; $client and $server are what
# iperf3 printed.
says()
{
	jq -e --slurpfile c "$scratch/client.json" \
		--slurpfile s "$scratch/server.json" \
		'$c[0] as $client | $s[0] as $server | '"$1" "$scratch/run" \
		>/dev/null || {
		jq -c '.result' "$scratch/run"
		cat "$scratch"/*.words
		return 1
	}
}

# told END WORD...: iperf3 was called with them, one after the other.
told()
{
	local end=$1
	shift

	grep -qF -e " $* " <<<" $(cat "$scratch/$end.words") " ||
		{ cat "$scratch/$end.words"; return 1; }
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
check "the layer is its name" says '[.source.config.layer,
	.sink.config.layer] == ["iperf3", "iperf3"]'
check "CPUs were busy meanwhile, and of calls nothing is said" says '.result |
	.busy_cycles_per_byte > 0 and (has("source_call_cycles_per_byte") | not) and
	(.cpus | all(has("source_call_cycles") | not))'
check "its default size is ktput's" told client -l 131072

check "two streams between namespaces, by bytes" start netns "$a" \
	sink-netns "$b" to 10.5.0.2 streams 2 bytes 2M size 16K
check "as it was told" told client -P 2
check "all bytes are sent" says '.result.valid and .result.reason == "bytes" and
	([.intervals[-1].source.streams[].bytes] | length == 2 and add >= 2097152)'
check "the device has seen them" says '.result.reconciliation |
	any(.what == "bytes received by the device" and .agrees)'
check "IPv6, out of a file" start netns "$a" sink-netns "$b" to fd05::2 \
	out sendfile bytes 1M
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

# both NAME: client and server of a run in the background are connected.
both()
{
	[ "$(pgrep -c -P "${background[$1]}" -x iperf3)" = 2 ] &&
		ss -tnpH state established | grep -q iperf3
}

interrupted()
{
	local status=0

	background interrupted env --default-signal=INT ktput-ctl -j start \
		layer iperf3 time 100s
	wait_for "$BOUND" both interrupted || return 1
	kill -INT "${background[interrupted]}"
	ended interrupted || status=$?
	[ "$status" = 0 ] && jq -e '.result | .interrupted and .valid and
		.reason == "stopped"' "$scratch/interrupted.out"
}
check "Ctrl-C ends it in order, with a result" interrupted

killed()
{
	local children

	background killed ktput-ctl start layer iperf3 time 100s
	wait_for "$BOUND" both killed || return 1
	children=$(pgrep -P "${background[killed]}")
	kill -KILL "${background[killed]}"
	for child in $children; do
		wait_for "$BOUND" gone "$child" || return 1
	done
}
check "SIGKILL leaves no process behind" killed

refused "nobody listens" 1 'iperf3: .*Connection refused' ktput-ctl start \
	layer iperf3 to 127.0.0.1 alone port 1 time 1s
refused "half a second" 1 'iperf3 takes whole seconds' \
	ktput-ctl start layer iperf3 time 500ms
refused "what it has no equivalent of" 2 "'warmup' is not for layer iperf3" \
	ktput-ctl start layer iperf3 warmup 1s
refused "a way to send that it does not have" 2 "sends with 'out copy'" \
	ktput-ctl start layer iperf3 out zerocopy

mkdir "$scratch/empty"
ln -s "$(command -v ktput-ctl)" "$scratch/empty/ktput-ctl"
refused "not installed" 1 'iperf3 is not installed here: it is the package' \
	env PATH="$scratch/empty" ktput-ctl start layer iperf3 time 1s
finish
