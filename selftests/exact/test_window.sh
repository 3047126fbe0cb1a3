#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A window of a fixed size on a path of a known delay: the rate is the window a
# round trip, to 3 %, and the verdict names the receive window. Where something
# else holds the stream back the verdict names that. The clock must be exact:
# vm/run --icount.
#
#   a: veth0 10.1.0.1 --- netem delay --- b: veth0 10.1.0.2
#
# The window is the one that the sink advertises in the end (tcpi_snd_wnd of the
# source), the round trip the delay that netem was given.

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

[ "${KTPUT_ICOUNT-}" = 1 ] ||
	skip_all "the clock does not count instructions: vm/run --icount"
need tc
begin 17

setup()
{
	netns_add a && netns_add b &&
		veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24 &&
		tc -n "$a" qdisc add dev veth0 root netem limit 100000
}

# measure DELAY_MS RCVBUF [KEYWORD VALUE]...: the congestion window has 40 round
# trips to grow, and 40 count.
# shellcheck disable=SC2154  # netns_add sets them
measure()
{
	local delay=$1 rcvbuf=$2
	shift 2

	tc -n "$a" qdisc change dev veth0 root netem delay "${delay}ms" \
		limit 100000 &&
		timeout 6000 ktput-ctl -j start netns "$a" to 10.1.0.2 \
			sink-netns "$b" rcvbuf "$rcvbuf" \
			warmup $((40 * delay))ms time $((40 * delay))ms \
			interval 200ms "$@" >"$scratch/run"
}

# result FILTER: true if it holds for the last measurement.
result()
{
	jq -e ".result | $1" "$scratch/run" || {
		jq -c '.result | {valid, goodput_bps, rtt_us, rtt_min_us, tcp}' \
			"$scratch/run"
		return 1
	}
}

# window DELAY_MS RCVBUF: three results.
window()
{
	local name="$1 ms, rcvbuf $2"

	check "$name: a run" measure "$1" "$2"
	check "$name: the rate is the window a round trip" result "
		.goodput_bps / (.tcp[0].send_window_bytes * 8000 / $1) |
		. > 0.97 and . < 1.03"
	check "$name: the verdict is the receive window" result '
		.valid and (.tcp | length == 1) and (.tcp[0] |
			.verdict == "receive-window" and
			.receive_window_limited_share > 0.9 and
			(.because | startswith("receive window limited ")))'
}

check "a path with a delay" setup
window 17 128K
window 17 512K
window 65 128K
window 65 512K

# The same path, and a window that is no limit.
check "17 ms, send buffer of 64K: a run" measure 17 4M sndbuf 64K
check "17 ms, send buffer of 64K: the verdict is the send buffer" result '
	.tcp[0] | .verdict == "send-buffer" and
		.receive_window_limited_share < 0.05'
check "17 ms, pace of 20 Mb/s: a run" measure 17 4M pace 20mbit
check "17 ms, pace of 20 Mb/s: the verdict is the pace" result '
	.tcp[0] | .verdict == "pace" and .receive_window_limited_share < 0.05'
finish
