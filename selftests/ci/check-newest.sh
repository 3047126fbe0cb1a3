#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-newest.sh: build and try the module on the newest kernel of later suites
#
# usage: selftests/ci/check-newest.sh [--help] [SUITE]
#
# Fetches the kernel by newest.sh, which SUITE is for, with the compiler that it
# was built by; builds the module as for any other, W=1 and without warning; boots
# the kernel in a VM and runs the tests of traffic, datagrams, frames, contexts and
# events. This machine has nothing of that kernel installed before or after. What the tests
# print in full stays in build/check-newest. Prints KTAP of the tests, and as the last
# line "N passed, N failed, N skipped".
#
# exit: 0 nothing failed, 1 something did, 2 usage

set -u
. "$(dirname "$0")/../lib/env.sh"
. "$TOP/selftests/ci/tally.sh"

tests=(test_traffic test_udp test_frames test_contexts test_events)
out=$BUILD/check-newest

case ${1-} in
--help|-h) usage; exit 0 ;;
-*) usage >&2; exit 2 ;;
esac

mkdir -p "$out"
tree=$("$TOP/selftests/ci/newest.sh" "$@") || exit
release=${tree##* }
make -s -C "$TOP/tools" || die "the tools do not build"
if ! "$TOP/selftests/ci/module.sh" "$release" >"$out/module"; then
	echo "not ok - module for $release"
	failed=1
	totals
	exit
fi
echo "ok - module for $release"
passed=1
"$TOP/selftests/vm/run" --timeout 1800 --boot-timeout 400 --results "$out/vm" \
	"$release" -- "$TOP/selftests/ci/run.sh" "${tests[@]}" |
	tee "$out/log"
status=${PIPESTATUS[0]}
if ! tally_tests "$out/log" || [ "$status" -gt 1 ]; then
	echo "not ok - VM to the end (vm/run ended with $status)"
	failed=$((failed + 1))
fi
totals
