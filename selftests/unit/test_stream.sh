#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# json-stream: intervals as lines, before the result that has them as well.

. "$(dirname "$0")/../lib/lib.sh"

need gojq
plan 5
lines=$ktap_scratch/lines
run="layer user sink-layer user interval 100ms"

# shellcheck disable=SC2086 # words
check "start" eval "'$KTPUT_CTL' -j start $run time 1500ms json-stream >'$lines'"
check "lines of intervals, and then the result" jq -es '
	(.[:-1] | length >= 3 and all(keys == ["interval"])) and
	(.[-1] | has("intervals"))' "$lines"
check "the result has the same" jq -es \
	'(.[:-1] | map(.interval)) == .[-1].intervals' "$lines"

# The first line is there long before the end.
early()
{
	rm "$lines"
	"$KTPUT_CTL" -j start layer user sink-layer user interval 100ms \
		time 60s json-stream >"$lines" &
	at_exit kill $!
	wait_for "$BOUND" test -s "$lines" && kill -0 $! && kill -INT $! && wait $!
}
check "a line comes when its interval ends" early
refused "without -j" 2 "'json-stream' works with -j" "$KTPUT_CTL" start json-stream
finish
