#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl ab: what it claims of traffic that is known to differ, and of traffic that
# does not; and the change that makes B of A.
#
# kernel: host

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need ktput-ctl gojq
need_lab
plan 5
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
cd "$scratch" || exit 1

traffic='layer user sink-layer user size 16K time 300ms warmup 100ms disturbed-above 100 pace'

# ab WORD...: the comparison is in $scratch/ab.
ab()
{
	timeout 120 ktput-ctl -j ab "$@" >"$scratch/ab" 2>"$scratch/err" || {
		cat "$scratch/err"
		return 1
	}
}

says()
{
	jq -e "$1" "$scratch/ab" >/dev/null || {
		jq -c '.ab.figures' "$scratch/ab"
		return 1
	}
}

goodput='.ab.figures[] | select(.figure == "goodput_bps")'

# A pace of half the rate is half the goodput; a machine that is full of other work
# holds no pace.
half()
{
	local i

	for i in 1 2 3; do
		# shellcheck disable=SC2086  # words
		ab rounds 5 record runs replace -- $traffic 80mbit -- $traffic 40mbit ||
			return 1
		says "$goodput"' | .distinguishable and
			.relative > -0.56 and .relative < -0.44 and
			.ci_low < .difference and .difference < .ci_high' && return
	done
	return 1
}

check "half the pace is claimed, with its size" half
check "one record has all runs and the comparison" jq -se 'length == 11 and
	([.[:-1][] | .ab_run.side] | sort | join("") == "aaaaabbbbb") and
	.[-1].ab.rounds == 5' runs

# In 5 of 100 comparisons of a thing with itself chance claims a difference.
alike()
{
	local i

	for i in 1 2 3; do
		# shellcheck disable=SC2086  # words
		ab rounds 5 -- $traffic 80mbit -- $traffic 80mbit || return 1
		says 'all(.ab.figures[]; .distinguishable == false)' && return
	done
	return 1
}

check "of what is alike no difference is claimed" alike

# The change is there during each run of B and no other; a file tells of it.
# shellcheck disable=SC2086  # words
check "a change that is no keyword" ab rounds 3 before 'touch here; echo b >>seen' \
	after 'rm here' -- $traffic 80mbit
check "is made for each run of B, and undone" \
	test "$(wc -l <seen)" = 3 -a ! -e here
finish
