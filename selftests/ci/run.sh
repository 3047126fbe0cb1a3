#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh: run the tests that need a kernel, here
#
# usage: selftests/ci/run.sh [--help] [exact|[--shared DIR] [--host|--beside|--any|--alone]|TEST...]
#
# Runs every test_*.sh and test_*.py of selftests/cases, or with exact those of
# selftests/exact, or the TESTs of either that are named (test_x.sh, x or a path), one
# after the other, each with a time limit. The tests with a line "# kernel: any" try
# the tools on what any kernel does alike: with --shared they are run last, the longest
# of times.txt first, and only those that no other run.sh with the same DIR has begun,
# so that two VMs end at about the same time; the plan then comes at the end. The same
# holds for "# kernel: host", and these want no module: with --host no others are run.
# What a test with a line "# runs: alone" asserts follows from rates that CPUs reach if
# nothing else wants them: with --alone only these are run, with --beside all others are,
# and with --host and --any those of them. With --any these want any kernel.
# Prints nested KTAP, a line of totals for each test and, as the last line, the totals
# "N passed, N failed, N skipped". A test that ends without its plan fulfilled is a
# failure. In a VM so is what is skipped, but for what skips.txt lists for the kernel;
# elsewhere what is missing is missing.
#
# environment:
#   KTPUT_TEST_TIMEOUT  seconds that a test may take; 1200, or 3000 on a kernel of
#                       vm/kernel.sh, or 60000 where the clock counts
#                       instructions, since it leaps while all is idle
#
# exit: 0 nothing failed, 1 something did, 2 usage

set -u
shopt -s nullglob
. "$(dirname "$0")/../lib/env.sh"
. "$TOP/selftests/ci/tally.sh"

# shellcheck disable=SC2034  # of tally.sh
[ "${KTPUT_VM-}" != 1 ] || judged=$(judged_kernel)
limit=1200
[[ $(uname -r) != *-ktput-* ]] || limit=3000
[ "${KTPUT_ICOUNT-}" != 1 ] || limit=60000
dir=$TOP/selftests/cases
tests=()
shared='' chosen=''
case ${1-} in
--help|-h) usage; exit 0 ;;
exact) dir=$TOP/selftests/exact; shift ;;
--shared)
	shared=${2-}
	[ -d "$shared" ] || { say "no directory: '$shared'"; usage >&2; exit 2; }
	shift 2
	;;
esac
case ${1-} in
--host|--beside|--any|--alone) chosen=$1; shift ;;
-*) say "unknown option: $1"; usage >&2; exit 2 ;;
esac
for name in "$@"; do
	name=$(basename "${name%.[ps][yh]}")
	name=test_${name#test_}
	found=("$dir/$name".[ps][yh] "$TOP/selftests/exact/$name".[ps][yh])
	[ ${#found[@]} -gt 0 ] || { say "no test: selftests/cases/$name"; exit 2; }
	tests+=("${found[0]}")
done

# is_any TEST: any kernel serves for it.
is_any()
{
	grep -qxE '# kernel: (any|host)' "$1"
}

# is_chosen TEST: it is of those that the options choose.
is_chosen()
{
	case $chosen in
	--host) grep -qx '# kernel: host' "$1" && ! grep -qx '# runs: alone' "$1" ;;
	--any) is_any "$1" && ! grep -qx '# runs: alone' "$1" ;;
	--beside) ! grep -qx '# runs: alone' "$1" ;;
	--alone) grep -qx '# runs: alone' "$1" ;;
	esac
}

# longest_first TEST...: as times.txt knows them.
longest_first()
{
	local test

	for test in "$@"; do
		echo "$(awk -v name="$(basename "${test%.*}")" '$1 == name { print $2 }' \
			"$TOP/selftests/ci/times.txt" 2>/dev/null || echo 0) $test"
	done | sort -srn -k 1,1 | cut -d ' ' -f 2-
}

if [ $# = 0 ]; then
	any=()
	for test in "$dir"/test_*.[ps][yh]; do
		is_chosen "$test" || continue
		if [ -n "$shared" ] && is_any "$test"; then
			any+=("$test")
		else
			tests+=("$test")
		fi
	done
	mapfile -t any < <(longest_first "${any[@]}")
	tests+=("${any[@]}")
fi

log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT

# A test runs in a process group of its own, so that nothing of it outlives its
# time limit, and in the background: hence Ctrl-C has to be passed on.
stop()
{
	kill "$(cat "$log.pid")" 2>/dev/null
	wait
	exit 130
}
trap stop INT TERM HUP

# run TEST: leave its output in $log and its exit status in $log.status.
run()
{
	{
		bash -c 'echo $$ >"$1"; exec "${@:2}"' - "$log.pid" \
			env --default-signal=INT timeout -k 30 \
			"${KTPUT_TEST_TIMEOUT:-$limit}" "$1"
		echo $? >"$log.status"
	} </dev/null 2>&1 | tee "$log" | sed -u 's/^/  /' &
	wait $!
}

echo "TAP version 13"
plan()
{
	echo "1..$1$([ "$1" != 0 ] || echo ' # SKIP there is no test')"
}

# is_ours TEST: no other has begun it, which only one directory of its name shows.
is_ours()
{
	[ -z "$shared" ] || ! is_any "$1" ||
		mkdir "$shared/$(basename "$1" .sh)" 2>/dev/null
}

[ -n "$shared" ] || plan ${#tests[@]}
nr=0
for test in "${tests[@]}"; do
	is_ours "$test" || continue
	nr=$((nr + 1))
	name=$(basename "${test%.*}")
	echo "# Subtest: $name"
	before=("$passed" "$failed" "$skipped")
	start=$SECONDS
	run "$test"
	tally "$name" "$(cat "$log.status")" "$log"
	result="ok $nr $name"
	if [ "$failed" != "${before[1]}" ]; then
		result="not $result"
	elif grep -q '^1\.\.0 # SKIP' "$log"; then
		result+=" # SKIP $(sed -n 's/^1\.\.0 # SKIP //p' "$log")"
	fi
	echo "$result"
	echo "# $name: $((passed - before[0])) passed," \
		"$((failed - before[1])) failed, $((skipped - before[2])) skipped" \
		"in $((SECONDS - start)) s"
done
[ -z "$shared" ] || plan $nr
totals
