#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A busy loop beside an end is not said to be the run's: the result is disturbed, and
# what holds it back is other work. A paced stream beside it is held back by its pace.
# In user space, without the module.
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need ktput-ctl jq taskset
[ "$(nproc)" -ge 2 ] || skip_all "there is one CPU, which both ends and the loop would share"
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
plan 9

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
		(.disturbed_by | test("^others had [0-9.]+% of CPU [01], "))'
check "other work holds it back, and not its CPU" \
	is '.result.binding == "other_work"'
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

allowed()
{
	beside 1 disturbed-above 100 && is '.result.disturbed == false'
}
check "disturbed-above says what is allowed" allowed
finish
