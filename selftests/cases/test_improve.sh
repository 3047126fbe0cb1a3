#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl improve, over sockets of user space between two namespaces: what is made to
# limit a run is found and lifted, and where a rate was asked for nothing is tried.
#
# kernel: host
# runs: alone

. "$(dirname "$0")/../lib/lib.sh"

need_root
need ktput-ctl gojq ip pgrep
need_lab
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
netns_add a && netns_add b && veth_add "$a" 10.8.0.1/24 "$b" 10.8.0.2/24 ||
	skip_all "no network namespaces with veth here"

plan 8

# improve WORD...: into $scratch/of
improve()
{
	ktput-ctl -j improve layer user sink-layer user netns "$a" \
		sink-netns "$b" to 10.8.0.2 time 50ms "$@" \
		>"$scratch/of" 2>"$scratch/said"
}

says()
{
	jq -e ".improve | $1" "$scratch/of"
}

# A call for each byte: four at a time are nearly four times as fast. Where a busy machine
# lets runs differ by more than that, they are made again, twice at most.
one_byte()
{
	for _ in 1 2 3; do
		rm -f "$scratch/runs"
		improve size 1 try size pairs 12 limit 20s record "$scratch/runs" || return
		says '.remedies[0].kept' && return
	done
	jq -c .improve "$scratch/of"
	return 1
}

check "a size of one byte" one_byte
check "... is found to be too small" says '.remedies[0] |
	.apply == "size 4" and .kept and .gain.ci_low > 0 and
	.cycles_per_byte_with < .cycles_per_byte_without / 2'
# shellcheck disable=SC2016  # of jq
check "... and the run's words have a greater one" says '.words as $words |
	($words | index("size")) as $i | ($words[$i + 1] | tonumber) >= 4'
# shellcheck disable=SC2016  # of jq
check "each run is recorded, and says what is tried in it" jq -se '
	map(select(.improve_run)) as $runs | ([.[] | select(.improve)][0].improve |
	1 + 2 * ([.remedies[].pairs, .total.pairs // 0] | add)) <= ($runs | length) and
	any($runs[]; .improve_run.remedy == "size 4" and
		.source.config.size_bytes == 4)' "$scratch/runs"

check "where a rate was asked for" improve udp rate 1mbit
check "... nothing is tried, and it says why" says '.remedies == [] and
	.words == .given and .ended_because == "cannot be changed" and
	.verdicts[0].binding == "pace"'

some_runs()
{
	[ "$(wc -l <"$scratch/some")" -ge 3 ]
}

# As Ctrl-C does, while remedies are tried.
interrupted()
{
	improve try streams,size pairs 100 record "$scratch/some" &
	wait_for "$BOUND" some_runs && kill -INT "$(pgrep -P $!)" && wait $!
}

check "one that is interrupted" interrupted
check "... prints what there is" says '.ended_because == "interrupted" and
	.remedies[-1].outcome == "not finished"'

finish
