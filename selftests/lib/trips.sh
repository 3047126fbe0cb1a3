# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# trips.sh: what the tests of round trips in user space share. Sourced after lib.sh
# and runs.sh, with $scratch.

# shellcheck disable=SC2154 # of the test
# pingpong FILTER ARGUMENT...: a run whose result matches the jq FILTER.
pingpong()
{
	local filter=$1
	shift

	timeout 120 ktput-ctl -j -s pingpong layer user "$@" >"$scratch/out" ||
		return 1
	says "$filter"
}

says()
{
	jq -e ".result | .valid and ($1)" "$scratch/out" >/dev/null ||
		{ jq -c '.result | del(.histogram)' "$scratch/out"; return 1; }
}
