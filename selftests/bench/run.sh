#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh: what ktput costs in instructions, beside its peers
#
# usage: selftests/bench/run.sh [--help] [BENCH]...
#
# To be run in a VM that counts instructions (selftests/vm/run --icount), or on a
# host with one CPU whose clock is steady. A BENCH is tcp, udp, frames, user,
# pingpong, pace or scale; all of them unless given; or queues, which wants such a
# VM with two CPUs and counts their cache lines with --lines. Prints a table for each and
# leaves the figures in KTPUT_RESULTS/bench.json, or build/bench/bench.json.
#
# exit: 0 measured, whether targets are met or not; 1 something failed

set -u
. "$(dirname "$0")/../lib/lib.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
esac

results=${KTPUT_RESULTS:-$BUILD/bench}
mkdir -p "$results"
modules=$BUILD/$(uname -r)
for module in "$modules/ktput.ko" "$modules/uncounted/ktput.ko"; do
	[ -e "$module" ] || die "no $module: run make bench, which builds it"
done
ip link set lo up
/usr/bin/python3 -B "$TOP/selftests/bench/bench.py" "$modules" \
	"$results/bench.json" "$@" || die "it failed"
finish
