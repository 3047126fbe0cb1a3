#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ping-pong over the sockets of an application, to the round trip, with each way
# to wait; and a connection for each request. test_pingpong_late.sh loses and delays them.
#
#   a: veth0 10.6.0.1, fd06::1 ------- b: veth0 10.6.0.2, fd06::2
#
# kernel: host

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/trips.sh"

need_root
need ktput-ctl gojq ip ss nc setpriv
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
[ ! -d /sys/module/ktput ] || ktput_unload
ip link set lo up
two_hosts
: "${a:?}" "${b:?}"
addr_add "$a" fd06::1/64 veth0
addr_add "$b" fd06::2/64 veth0
link_up "$b" veth0

plan 65

far=(netns "$a" sink-netns "$b" to)

# The histogram has all round trips, and its figures agree with each other. Round
# trips of one request at a time do not overlap.
# shellcheck disable=SC2016  # a variable of jq
whole='.round_trips == $n and .latency_ns.count == $n and
	([.histogram[].count] | add) == $n and .timeouts == 0 and
	.late_responses == 0 and
	([.histogram[] | .count * .from_ns] | add) <= .latency_ns.sum and
	([.histogram[] | .count * .to_ns] | add) > .latency_ns.sum and
	(.histogram[0].from_ns <= .latency_ns.min) and
	(.histogram[-1].to_ns > .latency_ns.max) and
	(.latency_ns | ([.min, (.p50, .p90, .p99, .p99_9, .p99_99, .p99_999 |
	values), .max] | . == sort) and .min <= .mean and .mean <= .max and
	(.p99_9 == null) == (.count < 3688) and (.p90 == null) == (.count < 36) and
	(.p50 == null or (.p50_ci_low <= .p50 and .p50 <= .p50_ci_high)))'

whole()
{
	pingpong "$1 as \$n | $whole" messages "$@"
}

one_by_one()
{
	pingpong "$1 as \$n | $whole and .latency_ns.sum <= .span_ns" \
		messages "$@"
}

# counted BYTES: both ends count as many messages and bytes.
counted()
{
	jq -e ".result.round_trips as \$n | .intervals[-1] | [.source, .sink |
		[([.streams[].messages] | add), ([.cpus[].messages] | add),
		([.streams[].bytes] | add), ([.cpus[].bytes] | add)]] |
		all(. == [\$n, \$n, \$n * $1, \$n * $1])" "$scratch/out" || {
		jq -c '.intervals[-1]' "$scratch/out"
		return 1
	}
}

both_count()
{
	local bytes=$1
	shift

	whole "$@" && counted "$bytes"
}

# A call that blocks does not come back with nothing.
asleep()
{
	jq -e '[.intervals[-1] | .source, .sink | .cpus[].would_blocks] |
		add == 0' "$scratch/out"
}

for transport in tcp udp; do
	limit=()
	[ $transport = tcp ] || limit=(timeout 60)
	for wait in epoll block spin; do
		check "$transport over IPv6, wait $wait" one_by_one 300 \
			$transport "${limit[@]}" wait $wait to ::1
		check "$transport over veth, wait $wait: both ends count" \
			both_count 1100 130 $transport "${limit[@]}" \
			wait $wait request 1000 response 100 \
			"${far[@]}" 10.6.0.2
		[ $wait != block ] ||
			check "$transport, wait block: calls wait" asleep
		[ $wait != spin ] ||
			check "$transport: the record has the device of each end" jq -e \
				'.environment | [.source, .sink] | all(.device.kind == "veth")' \
				"$scratch/out"
		check "$transport, wait $wait, a rate" whole 40 $transport \
			"${limit[@]}" wait $wait rate 1000
		check "$transport, wait $wait, think time" pingpong \
			".span_ns >= 24 * 2000000 + .latency_ns.sum" \
			$transport "${limit[@]}" wait $wait think 2ms messages 25
	done
	for wait in epoll spin; do
		check "$transport, wait $wait, streams and requests" \
			both_count 128 640 $transport "${limit[@]}" wait $wait \
			streams 4 outstanding 16
	done
done
check "messages that sockets do not take at once" \
	both_count 800000 40 request 600000 response 200000 outstanding 8
check "the record tells how it was made" jq -e '.source.config |
	.layer == "user" and .wait == "epoll" and .nodelay and
	.request_bytes == 600000 and .outstanding == 8' "$scratch/out"
# The signal for a snapshot cuts the call that sends one short. Where the rest then
# waits for the response, it does so until the next snapshot.
check "calls that block send the rest of a message after a signal" pingpong \
	'.latency_ns.max < 1e9' wait block request 4M response 1 interval 2s time 5s
check "busy polling" whole 100 busy-poll 50us wait block
check "... is in the record" jq -e '.sink.config.busy_poll_us == 50' \
	"$scratch/out"

# The mean of the medians, and a document for each run.
repeated()
{
	ktput-ctl -j pingpong layer user messages 50 repeat 3 >"$scratch/runs" &&
		jq -e -s 'length == 4 and (map(.result.latency_ns.p50) |
			.[:3]) as $all | .[3].summary | .valid_runs == 3 and
			.latency_p50_ns.count == 3 and
			(.latency_p50_ns.mean - ($all | add / 3) | fabs < 1) and
			(has("goodput_bps") | not)' "$scratch/runs"
}

by_anybody()
{
	as_nobody ktput-ctl -j pingpong layer user messages 100 >"$scratch/out" &&
		says '.round_trips == 100'
}

check "by anybody" by_anybody

intervals()
{
	pingpong .interrupted==false time 1 interval 100ms "$@" &&
		jq -e '([.intervals[].round_trips] | add) == .result.round_trips' \
			"$scratch/out"
}

empty()
{
	pingpong '.round_trips == 3' think 300ms messages 3 interval 50ms &&
		jq -e '[.intervals[] | select(.round_trips == 0)] |
			length > 0 and all(.latency_mean_ns == null and
			.latency_p50_ns == null and .latency_p99_ns == null)' \
			"$scratch/out"
}

answering()
{
	ss -tin state established 'dport = :5044' |
		grep -q 'bytes_acked:[0-9]\{5\}'
}

interrupted()
{
	background source ktput-ctl -j pingpong layer user port 5044 time 600 \
		"$@"
	wait_for "$BOUND" answering || return 1
	kill -INT "${background[source]}"
	ended source && jq -e '.result | .interrupted and .valid and
		.latency_ns.count == .round_trips' "$scratch/source.out"
}

sweep()
{
	ktput-ctl -j pingpong layer user sizes 5..9 messages 20 >"$scratch/out" &&
		jq -e '[.sizes[].bytes] == [5,6,7,8,9] and
		all(.sizes[]; .throughput_bps > 0)' "$scratch/out"
}

for wait in epoll block spin; do
	check "intervals add up, wait $wait" intervals wait $wait
	check "SIGINT, wait $wait: what there is" interrupted wait $wait
done
check "intervals without round trips have no times" empty
check "a sweep" sweep

# A connection for each request.

reconnect()
{
	whole 60 connect-per-request "$@" &&
		jq -e '.intervals[-1].sink.run.accepted == 60' "$scratch/out"
}

for wait in epoll block spin; do
	check "connections over veth, wait $wait" \
		reconnect wait $wait size 2000 "${far[@]}" fd06::2
done
check "connections of several streams" reconnect streams 5

# bound TRANSPORT PORT: a socket is bound to it.
bound()
{
	ss -Hln "--$1" | grep -q ":$2 "
}

# echoed TRANSPORT OPTION...: what sends back all that it receives is answer enough.
echoed()
{
	local transport=$1
	shift

	mkfifo "$scratch/$transport" || return 1
	# shellcheck disable=SC2094  # what it reads is what it has written
	nc "$@" -l 127.0.0.1 5061 <>"$scratch/$transport" >&0 &
	at_exit kill -9 $!
	wait_for "$BOUND" bound "$transport" 5061 &&
		whole 30 "$transport" to 127.0.0.1 alone port 5061
}

# A sink takes what it gets, and answers nothing.
background sink ktput-ctl sink layer user on 127.0.0.1 port 5062
wait_for "$BOUND" bound tcp 5062
refused "no request is answered" 1 \
	"nobody answers at 127.0.0.1:5062: start 'ktput-ctl reply' there" \
	ktput-ctl pingpong layer user to 127.0.0.1 alone port 5062 time 500ms
check "tcp: an echo service answers" echoed tcp
check "udp: an echo service answers" echoed udp -u
refused "nobody receives" 1 "start 'ktput-ctl reply udp cookie [0-9]+' there" \
	ktput-ctl pingpong udp layer user alone to 127.0.0.1 port 9

# Ten ports, none of them twice within a minute.
exhausted()
{
	ip netns exec "$a" sysctl -qw net.ipv4.tcp_tw_reuse=0 \
		net.ipv4.ip_local_port_range="40000 40009" || return 1
	ktput-ctl pingpong layer user connect-per-request messages 100 \
		"${far[@]}" 10.6.0.2 "$@"
}

refused "ports that have run out" 1 \
	"no local port is free.*TIME_WAIT.*ip_local_port_range" exhausted
refused "ports that have run out, of an address" 1 \
	"no local port is free.*TIME_WAIT" exhausted from 10.6.0.1
refused "connections without such a congestion control" 1 "congestion" \
	ktput-ctl pingpong layer user connect-per-request congestion none
refused "nobody listens" 1 "Connection refused" \
	ktput-ctl pingpong layer user connect-per-request alone \
	to 127.0.0.1 port 9
refused "ways to wait are of applications" 2 "'wait' works with layer user" \
	ktput-ctl pingpong wait spin
refused "answers from callbacks are not" 2 "'reply' works with layer socket" \
	ktput-ctl pingpong layer user reply callback
check "three runs and a summary of their medians" repeated
refused "sizes are not repeated" 2 "'sizes' contradicts 'repeat'" \
	ktput-ctl pingpong layer user sizes 1..2 repeat 2
refused "who blocks has one stream" 1 "one response of one stream" \
	ktput-ctl pingpong layer user wait block streams 2
refused "datagrams that are no frames" 1 "must fit the route's MTU" \
	ktput-ctl pingpong layer user udp size 1473 "${far[@]}" 10.6.0.2

nothing_listens()
{
	! stack "$a" | grep -q ESTAB && ! stack "$b" | grep -q 'ESTAB\|LISTEN'
}

check "no socket is left" wait_for "$BOUND" nothing_listens
finish
