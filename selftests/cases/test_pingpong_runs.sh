#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl pingpong: what it prints, and whatever ends it. The runs answer from
# callbacks, which go on by themselves until somebody stops them; of those on one
# CPU, KTPUT_ROUND_TRIPS are taken, 50000 if it is not set.
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

begin 44

# pingpong FILTER ARGUMENT...: a run whose result matches the jq FILTER.
pingpong()
{
	local filter=$1
	shift

	ktput-ctl -j pingpong "$@" >"$scratch/out" || return 1
	jq -e ".result | .valid and ($filter)" "$scratch/out" >/dev/null ||
		{ jq -c '.result | del(.histogram)' "$scratch/out"; return 1; }
}

# The histogram has all round trips, and its figures agree with each other.
# shellcheck disable=SC2016  # a variable of jq
whole='.round_trips == $n and .latency_ns.count == $n and
	([.histogram[].count] | add) == $n and .timeouts == 0 and
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

text()
{
	ktput-ctl pingpong messages 300 >"$scratch/out" &&
		grep -q '^Round trips      300 in ' "$scratch/out" &&
		grep -q '^Latency  .* us min, .* us mean, .* us max$' "$scratch/out" &&
		grep -qE '^ {17}50% [0-9.]+ us \([0-9.]+ to [0-9.]+ us\)$' \
			"$scratch/out" &&
		grep -qE '^ {17}99% and above: not known from 300 round trips$' \
			"$scratch/out" &&
		grep -q '^Bottleneck  ' "$scratch/out" &&
		! grep -q '.\{81\}' "$scratch/out"
}

intervals()
{
	pingpong .interrupted==false time 1 interval 100ms &&
		jq -e '([.intervals[].round_trips] | add) == .result.round_trips' \
			"$scratch/out"
}

sweep()
{
	ktput-ctl -j pingpong sizes 5..30 messages 20 reply callback "$@" \
		>"$scratch/out" || return 1
	jq -e '[.sizes[].bytes] == [5,6,7,8,9,11,12,13,15,16,19,21,24,27,29,30]
		and all(.sizes[]; .latency_min_ns <= .latency_p50_ns and
			.throughput_bps > 0) and (.dropouts | type) == "array"' \
		"$scratch/out"
}

# From where those answer that last.
reply=(reply callback)

# lasting NAME ARGUMENT...: one that answers until it is ended.
lasting()
{
	local name=$1
	shift

	background "$name" ktput-ctl -j pingpong time 600 "${reply[@]}" "$@"
	wait_for "$BOUND" answering
}

source_run()
{
	runs | jq 'map(select(.role == "source"))[0].id'
}

answering()
{
	run_is "" "$(source_run)" '[.cpus[].messages] | add > 100'
}

interrupted()
{
	lasting interrupted "$@" || return 1
	kill -INT "${background[interrupted]}"
	ended interrupted && jq -e '.result | .interrupted and .valid and
		.latency_ns.count == .round_trips' "$scratch/interrupted.out" &&
		nothing_left
}

killed()
{
	lasting killed "$@" || return 1
	kill -9 "${background[killed]}"
	nothing_left
}

stopped()
{
	lasting stopped "$@" && ktput-ctl stop run "$(source_run)" &&
		ended stopped && nothing_left
}

# A namespace with a run of its own: the sockets of ktput-ctl hold it.
netns_gone()
{
	local own

	netns_add own || return 1
	background gone ktput-ctl -j pingpong netns "$own" time 600 \
		"${reply[@]}" "$@"
	wait_for "$BOUND" has_runs "$own" || return 1
	ip netns del "$own"
	kill -9 "${background[gone]}"
	nothing_left
}

has_runs()
{
	[ "$(runs "$1" | jq length)" = 2 ]
}

removed()
{
	local status=0

	lasting removed "$@" && ktput_unload || return 1
	ended removed || status=$?
	[ "$status" = 1 ] && grep -q module "$scratch/removed.err" || return 1
	ktput_load
}

cpu=/sys/devices/system/cpu/cpu1/online

cpu_gone()
{
	local status=0

	lasting cpu cpus 1 sink-cpus 0 "$@" && echo 0 >"$cpu" || return 1
	ended cpu || status=$?
	echo 1 >"$cpu"
	[ "$status" = 1 ] && jq -e '.result.reason == "cpu"' \
		"$scratch/cpu.out" && nothing_left
}

check "text" text
check "intervals add up" intervals
check "tcp: as many times as round trips" whole 500 size 1K
check "udp: as many times as round trips" whole 500 udp timeout 60 size 64
check "IPv6: as many times as round trips" whole 500 to ::1 reply callback
check "several streams and requests" whole 640 streams 4 outstanding 16
check "a rate" whole 50 udp timeout 60 rate 1000 reply callback
trips=${KTPUT_ROUND_TRIPS-50000}
check "tcp: $trips on one CPU, in softirq" whole "$trips" reply callback
check "udp: $trips on one CPU, in softirq" \
	whole "$trips" udp timeout 60 reply callback
check "a sweep" sweep
# shellcheck disable=SC2154  # netns_add sets them
if netns_add far && netns_add near &&
	veth_add "$near" 10.8.0.1/24 "$far" 10.8.0.2/24 &&
	link_up "$near" veth0 && link_up "$far" veth0; then
	frames=(udp timeout 60 layer driver netns "$near" to 10.8.0.2
		sink-netns "$far")
else
	frames=(no veth pair)
fi
check "frames: as many times as round trips" whole 500 size 1K "${frames[@]}"
check "frames: $trips, in softirq" whole "$trips" "${frames[@]}"
for transport in tcp udp connect-per-request; do
	many=(outstanding 8)
	[ $transport != connect-per-request ] || reply=() many=(streams 4)
	check "$transport: SIGINT, what there is" interrupted $transport
	check "$transport: SIGKILL" killed $transport "${many[@]}"
	check "$transport: stop" stopped $transport
	check "$transport: the namespace goes" netns_gone $transport
	check "$transport: the module goes" removed $transport
	if [ -e "$cpu" ]; then
		check "$transport: a CPU goes" cpu_gone $transport
	else
		skip "$transport: a CPU goes" "no CPU can go offline"
	fi
done

reconnect()
{
	pingpong "60 as \$n | $whole" messages 60 connect-per-request "$@" &&
		jq -e '.intervals[-1].sink.run.accepted == 60 and
			.source.config.connect_per_request' "$scratch/out"
}

# Sockets of TCP that are allocated, in all namespaces; those in TIME_WAIT and
# those that nobody owns any more are told apart.
tcp_sockets()
{
	awk -v what="$1" '/^TCP:/ { for (i = 2; i < NF; i += 2)
		if ($i == what) print $(i + 1) }' /proc/net/sockstat
}

# At most so many allocated, and no orphan.
tcp_sockets_are()
{
	[ "$(tcp_sockets alloc)" -le "$1" ] && [ "$(tcp_sockets orphan)" = 0 ]
}

# What rests after that is in TIME_WAIT, once for each connection at most.
reconnect_leaves()
{
	local sockets waits

	wait_for "$BOUND" tcp_sockets_are 1000 || return 1
	sockets=$(tcp_sockets alloc)
	waits=$(tcp_sockets tw)
	reconnect && wait_for "$BOUND" tcp_sockets_are "$sockets" &&
		[ "$(tcp_sockets tw)" -le $((waits + 60)) ] && return
	echo "there were $sockets, and $waits in TIME_WAIT"
	grep ^TCP: /proc/net/sockstat
	return 1
}

# Ten ports, none of them twice within a minute.
exhausted()
{
	ip netns exec "$near" sysctl -qw net.ipv4.tcp_tw_reuse=0 \
		net.ipv4.ip_local_port_range="40000 40009" || return 1
	ktput-ctl pingpong connect-per-request messages 100 netns "$near" \
		to 10.8.0.2 sink-netns "$far" "$@"
}

check "connections, loopback" reconnect size 2000
check "connections of streams, IPv6, with think time" \
	reconnect to ::1 streams 3 think 1ms
check "connections at a rate, copied" reconnect rate 1000 method copy
check "connections over veth" reconnect netns "$near" to 10.8.0.2 \
	sink-netns "$far"
check "connections leave no socket" reconnect_leaves
refused "ports that have run out" 1 \
	"no local port is free.*TIME_WAIT.*ip_local_port_range" exhausted
refused "ports that have run out, of an address" 1 \
	"no local port is free.*TIME_WAIT" exhausted from 10.8.0.1
refused "connections without such a congestion control" 1 \
	"no such congestion control" \
	ktput-ctl pingpong connect-per-request congestion none
refused "nobody listens" 1 "Connection refused" \
	ktput-ctl pingpong connect-per-request alone to 127.0.0.1 port 9
refused "a time for connections of requests" 2 "connect-timeout" \
	ktput-ctl pingpong connect-per-request connect-timeout 1s
refused "sizes downwards" 2 'downwards' ktput-ctl pingpong sizes 2..1
refused "frames of tcp" 2 'works with udp only' ktput-ctl pingpong layer driver
refused "a datagram that is too small" 2 'size: a datagram of 15 B is not in the range' \
	ktput-ctl pingpong udp size 15
refused "a refusal of the module" 1 'a connection has one request, outstanding must be 1' \
	ktput-ctl pingpong connect-per-request outstanding 2
finish
