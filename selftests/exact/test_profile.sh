#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Samples against counters, in instructions: a KiB takes the same by the counters of
# runs that nobody samples and by samples of other runs, to 5 %. So does what two ways
# to receive differ by, and no copy is sampled where none is made. The clock must be
# exact: vm/run --icount.
#
# Bound. 3000 samples of a CPU that is 38 % busy have a standard deviation of 2.3 %
# of that, 6000 have 1.7 %. Sampling itself, with interrupts off, is not in them.

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

[ "${KTPUT_ICOUNT-}" = 1 ] ||
	skip_all "the clock does not count instructions: vm/run --icount"
begin 9

# run NAME WORDS...: a run over loopback, whose record is $scratch/NAME.
# shellcheck disable=SC2154  # netns_add sets it
run()
{
	local name=$1
	shift

	timeout 3000 ktput-ctl -j start netns "$a" sndbuf 256K rcvbuf 1M \
		congestion reno "$@" >"$scratch/$name" 2>"$scratch/err" || {
		cat "$scratch/err"
		return 1
	}
}

# both NAME WORDS...: without samples, and with them.
both()
{
	local name=$1
	shift

	run "$name" "$@" && run "$name-sampled" "$@" profile
}

# alike FILTER NAME...: FILTER makes [by counters, by samples] of these records, in
# instructions per KiB.
alike()
{
	local filter=$1
	shift

	(cd "$scratch" && jq -s '
		def counted: .result | select(.valid) | .busy_cycles_per_byte * 1024;
		def sampled(which): .result.cpu_bytes as $bytes |
			[.profile.cpus[].classes[] | select(which) | .cycles // 0] |
			add * 1024 / $bytes;
		def busy: sampled(.class != "idle");
		'"$filter"' | {counters: .[0], samples: .[1]} |
			.apart_percent = 100 * (.samples / .counters - 1)' "$@") \
		>"$scratch/said" || return 1
	figures=$(jq -c . "$scratch/said")
	echo "$figures"
	jq -e '.apart_percent | fabs < 5' "$scratch/said"
}

# compare TITLE FILTER NAME...: as alike, and what it was.
compare()
{
	figures=
	check "$1" alike "${@:2}"
	diag "$figures"
}

check "a network namespace" netns_add a
run warm bytes 64M >/dev/null
check "no copy: runs" both pages time 3s method zerocopy sink-method zerocopy
compare "no copy: a KiB" '[(.[0] | counted), (.[1] | busy)]' pages pages-sampled
check "no copy: none is sampled" jq -e '[.profile.cpus[].classes[] |
	select(.class == "copy") | .samples] | add | . == null or . < 3' \
	"$scratch/pages-sampled"
check "a copy at the sink: runs" both copies time 3s method zerocopy sink-method copy
compare "a copy at the sink: a KiB" '[(.[0] | counted), (.[1] | busy)]' \
	copies copies-sampled
compare "what the ways of the sink differ by" \
	'[(.[0] | counted) - (.[1] | counted), (.[2] | busy) - (.[3] | busy)]' \
	copies pages copies-sampled pages-sampled
check "a CPU with idle time: runs" both paced time 6s method copy sink-method copy pace 4gbit
compare "a CPU with idle time: a KiB" '[(.[0] | counted), (.[1] | busy)]' \
	paced paced-sampled
finish
