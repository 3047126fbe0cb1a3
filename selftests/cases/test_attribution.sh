#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A busy loop beside an end is not said to be the run's: the result is disturbed, and
# what holds it back is other work. A paced stream beside it is held back by its pace.
# In user space, without the module.
#
# kernel: host

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need ktput-ctl gojq taskset ss
[ "$(nproc)" -ge 2 ] || skip_all "there is one CPU, which both ends and the loop would share"
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
plan 13

# measured WORD...
measured()
{
	timeout 60 ktput-ctl start layer user sink-layer user cpus 0 sink-cpus 1 \
		time 2s "$@" record "$scratch/run" replace >"$scratch/text" 2>&1 &&
		return
	cat "$scratch/text"
	return 1
}

is()
{
	jq -e "$1" "$scratch/run" >/dev/null && return
	cat "$scratch/text"
	jq -c '.result | .reference, [.cpus[].attribution]' "$scratch/run"
	return 1
}

# beside CPU WORD...: a run with a busy loop on that CPU.
beside()
{
	local cpu=$1 loop status=0
	shift

	taskset -c "$cpu" bash -c 'while :; do :; done' &
	loop=$!
	at_exit kill -9 "$loop"
	measured "$@" || status=1
	kill -9 "$loop"
	wait "$loop" 2>/dev/null
	return "$status"
}

check "a run with a busy loop beside its sink" beside 1
check "it is disturbed, by others on one of its CPUs" \
	is '.result | .disturbed and .disturbed_share > 0.2 and
		(.disturbed_by | test("^other work used [0-9.]+% of CPU [01], "))'
check "other work holds it back, and not its CPU" \
	is '.result.binding == "other_work"'
check "of its stream the same is said" \
	is 'all(.result.tcp[]; .verdict == "other-work")'
# shellcheck disable=SC2016  # names of jq
check "the run has its own share of that CPU alone" \
	is '.result.cpus[] | select(.cpu == 1) | .cycles as $all | .attribution |
		(.source_cycles + .sink_cycles + .own_softirq_cycles) / $all < 0.8'
check "the parts of each CPU add up to its cycles" \
	is 'all(.result.cpus[]; .cycles ==
		(.attribution | del(.uncertain_cycles) | add))'

# What a run says when it ends, ktput-report says of its record.
agree()
{
	local said

	said=$(ktput-report ceilings "$scratch/run" 2>&1) &&
		tr -s ' \n' ' ' <<<"$said" | grep -qF \
			"$(jq -r .result.binding_because "$scratch/run")" && return
	echo "$said"
	return 1
}
check "start and ktput-report agree" agree

check "a paced stream with a busy loop beside its sink" beside 1 pace 500mbit
# Beside much else it may not reach its pace.
check "its pace holds it back where it is reached, and never the CPU" \
	is '.result | .binding != "cpu" and (.binding == "pace" or
		all(.ceilings[] | select(.name == "rate"); .share < 0.95))'

listens()
{
	ss -Hltn "sport = :$1" | grep -q .
}

# A sink whose source is no part of its session.
sink_alone()
{
	background sink ktput-ctl sink layer user on 127.0.0.1 port 5064 once \
		cpus 1 disturbed-above 100 record "$scratch/run" replace
	wait_for "$BOUND" listens 5064 || return 1
	timeout 60 ktput-ctl start layer user to 127.0.0.1 alone cpus 0 port 5064 \
		time 1s pace 80mbit >"$scratch/text" 2>&1 && ended sink &&
		is '.result | .binding == "none" and .disturbed == false and
			(.binding_because | test("the source or the path limits"))' &&
		grep -q '^Bottleneck  *none at the sink: ' "$scratch/sink.out"
}
check "a sink alone has a verdict" sink_alone

# Datagrams of others that the CPU of the sink receives, and a run with few packets.
among_packets()
{
	local status=0

	background flood env --default-signal=INT ktput-ctl start udp layer user sink-layer user \
		cpus 1 sink-cpus 1 size 64 disturbed-above 100 time 60s
	wait_for "$BOUND" grep -q '^ *0.00-' "$scratch/flood.out" || return 1
	measured pace 1mbit size 1448 sndbuf 16K || status=1
	kill -INT "${background[flood]}"
	ended flood
	return "$status"
}
check "a run beside other packets" among_packets
check "the softirqs of its CPU are those of others, and it is disturbed" \
	is '.result | .disturbed and any(.cpus[] | select(.cpu == 1).attribution;
		.other_softirq_cycles > 2 * .own_softirq_cycles and
		.other_softirq_cycles > 0)'

allowed()
{
	beside 1 disturbed-above 100 && is '.result.disturbed == false'
}
check "disturbed-above says what is allowed" allowed
finish
