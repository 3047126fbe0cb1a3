#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The same run again takes the same busy cycles, to 0.5 %: TCP over loopback, and
# frames into a device that drops them. A first run, not counted, fills caches of
# the kernel. What the kernel makes of buffers and windows by itself follows from
# times that it takes when a run begins, and comes to one of some values that are up
# to 1.4 % apart: lib/exact.sh fixes them. Of five runs the one that is farthest from
# their median is left out, since the kernel may have had work of its own in it. The
# clock must be exact: vm/run --icount.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/exact.sh"

[ "${KTPUT_ICOUNT-}" = 1 ] ||
	skip_all "the clock does not count instructions: vm/run --icount"
begin 3

setup()
{
	netns_add a && ip -n "$a" link add dummy0 type dummy &&
		ip -n "$a" addr add 10.1.0.1/24 dev dummy0 &&
		ip -n "$a" link set dummy0 up && steady "$a"
}

# cycles NAME WORDS...: busy cycles of NAME, of seven runs after the first.
# shellcheck disable=SC2154  # netns_add sets it
cycles()
{
	local name=$1
	shift

	for _ in {1..8}; do
		timeout 6000 ktput-ctl -j start netns "$a" "$@" || return 1
	done >"$scratch/runs"
	jq -s --arg name "$name" 'map(.result | select(.valid)[$name])[1:] as $runs |
		($runs | sort | .[3]) as $median |
		($runs | sort_by(. - $median | fabs) | .[:4]) as $near |
		{$runs, share: (($near | max - min) / $median)}' "$scratch/runs" \
		>"$scratch/cycles"
	jq -e '(.runs | length) == 7 and .share < 0.005' "$scratch/cycles" || {
		jq -c . "$scratch/cycles"
		return 1
	}
}

# spread: say how far the runs of the last test are apart.
spread()
{
	diag "apart by $(jq '.share * 100' "$scratch/cycles") %"
}

quiet
check "a network namespace with a dummy device" setup
check "TCP over loopback: busy cycles/byte" \
	cycles busy_cycles_per_byte bytes 500M
spread
check "frames: busy cycles/packet" cycles busy_cycles_per_packet udp \
	to 10.1.0.2 dev dummy0 layer driver mac 02:00:00:00:00:02 \
	messages 200000 burst 32
spread
finish
