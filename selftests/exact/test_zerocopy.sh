#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No copy means no copy: what a KiB takes by references to pages, and at a sink that
# does not touch payload, in instructions of both ends and all between. Beside it
# what a copy adds, so that it would be seen. The clock must be exact: vm/run
# --icount.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

[ "${KTPUT_ICOUNT-}" = 1 ] ||
	skip_all "the clock does not count instructions: vm/run --icount"
begin 6

# run WORDS...: a run over loopback; its record on stdout.
# shellcheck disable=SC2154  # netns_add sets it
run()
{
	timeout 3000 ktput-ctl -j start netns "$a" bytes 64M sndbuf 256K \
		rcvbuf 1M congestion reno "$@"
}

# takes NAME LEAST MOST WORDS...: a KiB takes so many instructions. The first run
# warms up.
takes()
{
	local name=$1 least=$2 most=$3 cost
	shift 3

	run "$@" >/dev/null && run "$@" >"$scratch/run" &&
		cost=$(jq -e '.result | select(.valid) |
			.span_ns * 1024 / .bytes | round' "$scratch/run") ||
		cost=0
	diag "$name: $cost instructions per KiB"
	check "$name: $least to $most" test "$cost" -ge "$least" -a "$cost" -le "$most"
}

check "a network namespace" netns_add a
takes "pages to a sink that does not copy" 200 260 method zerocopy sink-method zerocopy
takes "a copy at the source" 500 600 method copy sink-method zerocopy
takes "a copy at the sink" 330 400 method zerocopy sink-method copy
takes "pages of 512 bytes" 1800 2050 size 512 method zerocopy sink-method zerocopy
takes "copies of 512 bytes" 2750 3050 size 512 method copy sink-method zerocopy
finish
