#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sources and sinks in user space: every way to send with every way to receive, to
# the byte and the datagram. test_user_module.sh has them beside those of the module.
#
#   a: veth0 10.4.0.1, fd04::1 ------- b: veth0 10.4.0.2, fd04::2
#
# kernel: host

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/user.sh"

user_begin 92

# Without the module, and without root.

[ ! -d /sys/module/ktput ] || ktput_unload

of_nobody()
{
	# shellcheck disable=SC2086  # words
	as_nobody ktput-ctl -j -s start $user "$@" >"$scratch/run" && says .result.valid
}

check "TCP by anybody" of_nobody bytes "$BYTES"
check "UDP by anybody" of_nobody udp messages 100 rate 500pps
# shellcheck disable=SC2086  # words
refused "a send buffer that takes privilege" 1 \
	"sndbuf: without privilege at most [0-9]+ here" \
	as_nobody ktput-ctl start $user sndbuf 1G bytes 1

# shellcheck disable=SC2086  # words
for place in "to 127.0.0.1" "to ::1" "$to_far 10.4.0.2" "$to_far fd04::2"; do
	to=${place##* }
	check "TCP to $to: write, read" all $user $place method copy sink-method copy
	check "TCP to $to: write, MSG_TRUNC" all $user $place sink-method trunc
	check "TCP to $to: MSG_ZEROCOPY, read" all $user $place method zerocopy
	check "... which the kernel copies there, and tells" \
		says '.result.copied_streams == 1'
	check "TCP to $to: sendfile, read" all $user $place method sendfile
	uring check "TCP to $to: io_uring" \
		all $user $place method io_uring sink-method io_uring
	check "UDP to $to: send, recv" each $user $place
	check "UDP to $to: sendmmsg, recvmmsg" each $user $place batch 8
	check "UDP to $to: GSO, GRO" each $user $place segments 7 size 1000
	check "UDP to $to: GSO in batches, MSG_ZEROCOPY" \
		each $user $place segments 3 size 1000 batch 5 method zerocopy
	check "UDP to $to: the header alone is read" \
		each $user $place sink-method trunc size 16
done

# Two CPUs where there are as many.
spread()
{
	local last=$(($(nproc) > 1))

	# shellcheck disable=SC2086  # words
	all $user streams 4 size 1000 cpus 0-$last &&
		says "[.intervals[-1].source.streams[].cpu] == [0, $last, 0, $last]"
}

options()
{
	# shellcheck disable=SC2086  # words
	all $user $to_far 10.4.0.2 mss 1000 nodelay congestion reno tos 16 \
		priority 3 sndbuf 64K rcvbuf 64K from-port 6000 from 10.4.0.1 \
		dev veth0 sink-dev veth0 &&
		says '.intervals[-1].source.streams[0].tcp.send_mss_bytes <= 1000 and
			.intervals[-1].source.streams[0].local == "10.4.0.1:6000"'
}

messages()
{
	# shellcheck disable=SC2086  # words
	start $user messages 5000 size 64 streams 3 "$@" &&
		says '.result.reason == "messages" and .result.messages == 5000 and
			.result.bytes == 320000 and .result.valid'
}

of_time()
{
	# shellcheck disable=SC2086  # words
	start $user time 1s && says '.result.reason == "time" and .result.valid'
}

# In each snapshot the streams add up to the CPUs.
adding_up()
{
	# shellcheck disable=SC2086  # words
	start $user "$@" streams 3 time 1s interval 50ms &&
		says '[.intervals[] | .source, .sink |
			[([.cpus[] | .bytes] | add), ([.streams[] | .bytes] | add),
			([.cpus[] | .calls] | add), ([.streams[] | .calls] | add)]] |
			length > 0 and all(.[0] == .[1] and .[2] == .[3])'
}

check "streams add up to CPUs, TCP" adding_up
check "streams add up to CPUs, UDP" adding_up udp
check "streams go to the CPUs they are given" spread
check "options of the sockets" options
check "messages, counted" messages
# shellcheck disable=SC2086  # words
{
	uring check "io_uring: streams add up to CPUs" \
		adding_up method io_uring sink-method io_uring
	uring check "io_uring: messages, counted" messages method io_uring sink-method io_uring
	uring check "io_uring: a chain of sends, and its rest" \
		all $user $to_far 10.4.0.2 method io_uring size 1000 streams 4
	uring check "io_uring: messages that buffers have no room for" \
		all $user $to_far 10.4.0.2 method io_uring sink-method io_uring size 1M \
		sndbuf 16K rcvbuf 16K
}
check "an end after a time" of_time
check "the record tells what it is of" says '.source.config.layer == "user" and
	.sink.config.layer == "user" and .source.config.method == "copy" and
	.source.idle_source == "/proc/stat" and (.module_version == null)'

# Peers.

listening()
{
	ss -N "$1" -tlnH | grep -q ":$2 "
}

to_nc()
{
	background nc ip netns exec "$b" nc -l 10.4.0.2 "$PORT"
	wait_for "$BOUND" listening "$b" "$PORT" || return 1
	start layer user netns "$a" to 10.4.0.2 alone port "$PORT" \
		bytes "$BYTES" && says ".result.bytes == $BYTES" && ended nc &&
		[ "$(stat -c %s "$scratch/nc.out")" = "$BYTES" ]
}

sink()
{
	background sink ktput-ctl -j -s sink layer user netns "$b" port "$PORT" "$@"
	wait_for "$BOUND" listening "$b" "$PORT"
}

from_nc()
{
	sink once streams 2 "$@" || return 1
	for _ in 1 2; do
		head -c "$BYTES" /dev/zero |
			ip netns exec "$a" nc -N 10.4.0.2 "$PORT" || return 1
	done
	ended sink && jq -e ".result.bytes == 2 * $BYTES and
		.result.reason == \"peers\" and .result.valid and
		.intervals[-1].sink.run.accepted == 2" "$scratch/sink.out"
}

# Without a word on streams there is one peer to come.
one_peer()
{
	sink once || return 1
	head -c "$BYTES" /dev/zero |
		ip netns exec "$a" nc -N 10.4.0.2 "$PORT" || return 1
	ended sink && jq -e ".result.bytes == $BYTES and
		.result.reason == \"peers\" and .result.valid" "$scratch/sink.out"
}

# One stream serves one peer after the other, and none beside another.
one_by_one()
{
	sink streams 1 "$@" || return 1
	for _ in 1 2 3; do
		head -c 1000 /dev/zero |
			ip netns exec "$a" nc -N 10.4.0.2 "$PORT" || return 1
	done
	kill -INT "${background[sink]}"
	ended sink
	jq -e '.intervals[-1].sink.run.accepted == 3 and
		.result.bytes == 3000 and .result.interrupted' \
		"$scratch/sink.out"
}

interrupted()
{
	endless sink-netns "$b" sink-layer user "$@" || return 1
	kill -INT "${background[source]}"
	ended source && jq -e '.result.reason == "stopped" and .result.valid and
		.result.interrupted and
		([.intervals[-1].sink.streams[].bytes] | add) ==
		([.intervals[-1].source.streams[].bytes] | add)' \
		"$scratch/source.out"
}

reset()
{
	background nc ip netns exec "$b" nc -l 10.4.0.2 "$PORT"
	wait_for "$BOUND" listening "$b" "$PORT" && endless alone "$@" || return 1
	kill -9 "${background[nc]}"
	ended source
	[ $? = 1 ] && jq -e '.result.reason == "reset" and
		(.result.valid | not)' "$scratch/source.out"
}

# One connection is torn down here, and the other is given up with a send under
# way. What of that has left is counted.
one_of_two()
{
	local port

	endless sink-netns "$b" sink-layer user streams 2 size 1M sndbuf 64K \
		"$@" || return 1
	port=$(ss -N "$a" -tnH state established "dport = :$PORT" |
		awk 'NR == 1 { sub(/.*:/, "", $3); print $3 }')
	ss -N "$a" -K "sport = :$port"
	ended source
	[ $? = 1 ] && jq -e '(.result.reason | IN("error", "reset")) and
		(.intervals[-1].source.streams | length == 2 and all(.bytes > 0 and
		.bytes >= .tcp.bytes_sent - .tcp.bytes_retransmitted))' \
		"$scratch/source.out" || {
		jq -c '.result.reason, .intervals[-1].source.streams' \
			"$scratch/source.out"
		return 1
	}
}

sink_interrupted()
{
	sink "$@" || return 1
	endless alone || return 1
	kill -INT "${background[sink]}"
	ended sink || return 1
	ended source
	jq -e '.result.interrupted and .result.bytes > 0 and
		([.intervals[-1].sink.streams[].bytes] | add) ==
		.result.bytes' "$scratch/sink.out" &&
		jq -e '.result.reason == "reset"' "$scratch/source.out"
}

nothing_listens()
{
	! stack "$a" | grep -q ESTAB && ! stack "$b" | grep -q 'ESTAB\|LISTEN'
}

check "to nc" to_nc
check "from nc, twice" from_nc
check "from nc, with 'once' alone" one_peer
check "one peer after the other" one_by_one
check "interrupted, and all that was sent has arrived" interrupted
check "a peer that is killed" reset
uring check "io_uring: from nc, twice" from_nc method io_uring
uring check "io_uring: one peer after the other" one_by_one method io_uring
uring check "io_uring: interrupted, and all that was sent has arrived" \
	interrupted method io_uring sink-method io_uring
uring check "io_uring: a peer that is killed" reset method io_uring
uring check "io_uring: a stream that is given up with a send under way" \
	one_of_two method io_uring
uring check "io_uring: a sink that is interrupted" sink_interrupted method io_uring
check "no socket is left" wait_for "$BOUND" nothing_listens

# of_rate WARNING WORD...: it is what a run warns of its rate, if anything.
of_rate()
{
	local warning=$1
	shift

	# shellcheck disable=SC2086  # words
	timeout 120 ktput-ctl start udp $user messages 6 "$@" >"$scratch/text" \
		2>"$scratch/err" || return 1
	diff <(sed -n 's/.*warning: rate: //p' "$scratch/err") \
		<(printf '%s' "${warning:+$warning$'\n'}")
}

check "a rate that streams cannot share evenly" of_rate \
	"6 packets/s are in effect and not 10, 1 for each of 6 streams" \
	streams 6 rate 10pps
check "a rate that they can" of_rate "" streams 6 rate 60pps

# few WARNING WORD...: it is what a run warns of its few datagrams, if anything.
few()
{
	local warning=$1
	shift

	# shellcheck disable=SC2086  # words
	timeout 120 ktput-ctl -j start udp $user rate 1kpps rcvbuf 4M "$@" \
		>"$scratch/run" 2>"$scratch/err" || return 1
	diff <(jq -r .warning "$scratch/err") \
		<(printf '%s' "${warning:+$warning$'\n'}")
}

alone()
{
	# shellcheck disable=SC2086  # words
	! ktput-ctl -j start udp $user "$@" >"$scratch/run" 2>"$scratch/err" &&
		says '.result | (.valid | not) and .goodput_bps == null and
		.packets_per_s == null and .packets == .datagrams.sent and
		.invalid_because ==
		"what was sent at one time alone has no rate"'
}

check "a datagram alone has no rate" alone messages 1
check "nor have segments of one call" alone messages 5 segments 5 size 1000
check "few datagrams, whose rate may be too high" few \
	"rates are of 3 datagrams over the 2 gaps between, and may be 50.0% too high" \
	messages 3
check "enough of them" few "" messages 100

# Refusals.

# shellcheck disable=SC2086  # words
refuse()
{
	refused "$1" 1 "$2" ktput-ctl start $user $3
}

# shellcheck disable=SC2086  # words
wrong()
{
	refused "$1" 2 "$2" ktput-ctl start $user $3
}

wrong "direct is the module's" "'method direct' works with layer socket" \
	"udp method direct"
wrong "read_sock is the module's" \
	"'sink-method zerocopy' works with sink-layer socket" "sink-method zerocopy"
wrong "no file for datagrams" "'method sendfile' works with tcp" "udp method sendfile"
wrong "io_uring of datagrams" "'method io_uring' works with tcp" "udp method io_uring"
refuse "headers that would not be seen" "only the first header" \
	"udp segments 2 sink-method trunc"
# shellcheck disable=SC2086  # words
{
	uring refused "io_uring that is not permitted" 1 \
		"io_uring: not permitted: see sysctl kernel.io_uring_disabled" \
		"$TOP/selftests/lib/seccomp.py" 425 EPERM ktput-ctl start $user method io_uring
	uring refused "io_uring that a filter hides" 1 \
		"io_uring: the kernel has none, or a seccomp filter" \
		"$TOP/selftests/lib/seccomp.py" 425 ENOSYS ktput-ctl start $user sink-method io_uring
}
refuse "no such congestion control" "no such congestion control" \
	"congestion ktput"
refuse "segments that do not fit" "must fit the route's MTU" \
	"udp netns $a sink-netns $b to 10.4.0.2 segments 2 size 1473"
refused "nobody listens" 1 "nothing listens there" \
	ktput-ctl start layer user alone to 127.0.0.1 port 9
ip netns exec "$b" nft "add table inet t; add chain inet t c { type filter hook input priority 0; }; \
	add rule inet t c tcp dport 9 drop"
refused "a firewall drops it" 1 \
	"did not answer within connect-timeout; a firewall on the way .*'nft list ruleset'" \
	ktput-ctl start layer user alone netns "$a" to 10.4.0.2 port 9 connect-timeout 200ms
check "a sink that nobody sends to" grep -q '^Received  *nothing: nobody sent' \
	<(ktput-ctl sink layer user time 100ms)
refused "detach" 2 "'detach': a run in user space ends" ktput-ctl start layer user detach
refused "sendfile in the kernel" 2 "'method sendfile' works with layer user" \
	ktput-ctl start method sendfile
refused "batches in the kernel" 2 "'batch' works with layer user" \
	ktput-ctl start udp batch 2
finish
