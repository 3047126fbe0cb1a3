#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# itself.sh: a kernel compared with itself, again and again, is the same
#
# usage: selftests/compare/itself.sh [--help] KERNEL TIMES [WORD]...
#
# ktput-ctl compare of TIMES setups with one that is equal, a boot for each; WORDs are
# more words of it. What is done stays in build/itself.jsonl, and is not measured again.
# Prints the rung that differs most each time.
#
# exit: 0 no rung differs by 0.5 % or more, 1 one does, 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
esac
[[ ${2-} =~ ^[1-9][0-9]*$ ]] || { usage >&2; exit 2; }
kernel=$1 times=$2
shift 2
mapfile -t setups < <(yes "$kernel" | head -n $((times + 1)))
document=$("$BUILD/tools/ktput-ctl" -j compare "${setups[@]}" \
	record "$BUILD/itself.jsonl" "$@") || exit 1
jq -e -r --argjson times "$times" '[.compare.rungs[] | . as $rung | .differences[] |
	{setup, rung: "\($rung.group): \($rung.name)",
	 share: (.instructions_per_kib // .instructions_per_packet).share}] |
	group_by(.setup) | map(max_by(.share | fabs)) |
	(.[] | "\(.setup): \(.share * 1e5 | round / 1e3) % at \(.rung)"),
	if length == $times and all(.share | fabs < 0.005) then "the same"
	else "not the same" end' <<<"$document" | tee "$BUILD/itself"
[ "$(tail -n 1 "$BUILD/itself")" = "the same" ]
