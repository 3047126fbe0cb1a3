#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh: every test there is, on this machine and on two stock kernels in VMs
#
# usage: selftests/ci/check.sh [--help | --all]
#
# Sets the machine up, builds the tools, checks the sources (static.sh) and builds
# the module for 6.1 and 6.12. Then it runs the unit tests, those of the laboratory
# (lab.sh), a sample of mutants and install.sh, and beside them, in VMs, every
# test of exact/ with a clock that counts instructions, test_isolated.sh with a CPU
# that is isolated and test_signed.sh where modules must be signed; at last every test
# of cases/ in a VM of each kernel. Those that any kernel serves for (run.sh) are
# shared between the two; with --all, both run all.
# Two things are done at a time where there are two CPUs and enough memory. What the
# tests print in full stays in build/check.
#
# A test that fails in a VM whose kernel stayed in good health runs once more,
# alone, in a fresh one. It counts as it ends there. One that passes there is
# flaky: it is named, both outputs are kept in build/check/flaky, and more than two
# of them are a failure. What is skipped is a failure, unless skips.txt lists it.
# The last lines say what was skipped, what was flaky and what failed; the very last
# sums all results up.
#
# exit: 0 nothing failed, 1 something did

set -u
. "$(dirname "$0")/../lib/env.sh"
. "$TOP/selftests/ci/tally.sh"

all=
case ${1-} in
--help|-h) usage; exit 0 ;;
--all) all=1 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

versions=(6.1 6.12)
out=$BUILD/check
declare -A jobs=() status=()
failures=() flaky=()
FLAKY_AT_MOST=2
# shellcheck disable=SC2034  # of tally.sh
judged=host

# Jobs in the background do not get Ctrl-C: pass it on.
stop()
{
	trap - EXIT
	[ ${#jobs[@]} = 0 ] || kill "${jobs[@]}" 2>/dev/null
	wait
	say "interrupted"
	exit 130
}
trap stop INT TERM HUP

heading()
{
	printf '\n=== %s (%d s)\n' "$1" "$SECONDS"
}

# single NAME COMMAND...: a COMMAND that is one result.
single()
{
	local name=$1
	shift

	if "$@"; then
		echo "ok - $name"
		passed=$((passed + 1))
	else
		echo "not ok - $name"
		failed=$((failed + 1))
		failures+=("$name")
		return 1
	fi
}

# several NAME LOG COMMAND...: a COMMAND that prints KTAP.
several()
{
	local name=$1 log=$2 before=$failed
	shift 2

	"$@" 2>&1 | tee "$log"
	tally "$name" "${PIPESTATUS[0]}" "$log"
	[ "$failed" = "$before" ] || failures+=("$name")
}

# one_at_a_time: true if the guests would be in each other's way.
one_at_a_time()
{
	[ "$(nproc)" -lt 2 ] ||
		[ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -lt 5000000 ]
}

# await GUEST...: wait for them, and say now and then how far they are.
await()
{
	local guest next=$((SECONDS + 30))

	while kill -0 "${jobs[@]}" 2>/dev/null; do
		sleep 1
		[ $SECONDS -ge $next ] || continue
		next=$((SECONDS + 30))
		for guest in "$@"; do
			[ -e "$out/$guest/status" ] ||
				say "$guest: $(grep -a '^# Subtest' "$out/$guest/output" |
					tail -n 1):$(tail -n 1 "$out/$guest/output" | cut -c 1-100)"
		done 2>/dev/null
	done
}

# guest NAME VM-OPTION... VERSION -- COMMAND...: run it in a VM, in the background
# if it can have a CPU of its own; its output goes to the log of this NAME.
guest()
{
	local name=$1
	shift

	rm -rf "${out:?}/$name"
	"$TOP/selftests/vm/run" --results "$out/$name" --timeout 6000 "$@" \
		>"$out/$name.log" &
	jobs[$name]=$!
	! one_at_a_time || await "$name"
}

# finish_guests NAME...: the exit statuses are left in status[].
finish_guests()
{
	local name

	await "$@"
	for name in "$@"; do
		wait "${jobs[$name]}"
		status[$name]=$?
		unset "jobs[$name]"
	done
}

# show_tests NAME: of its log, a line for each test, and what failed in it.
show_tests()
{
	awk '
		/^  not ok /	{ shown = 12 }
		/^  ok |^# Subtest/	{ shown = 0 }
		shown && /^  /	{ shown--; print substr($0, 1, 160) }
		/^# test_/	{ print }' "$out/$1.log"
}

# failed_tests NAME: their names.
failed_tests()
{
	sed -n 's/^not ok [0-9]* \(test_[a-z0-9_]*\).*/\1/p' "$out/$1.log"
}

# output_of TEST NAME: all that it printed in a guest.
output_of()
{
	sed -n "/^# Subtest: $1\$/,/^# $1: [0-9]* passed/p" "$out/$2.log"
}

# keep_flaky NAME TEST...: which passed in the second guest.
keep_flaky()
{
	local name=$1 test
	shift

	mkdir -p "$out/flaky"
	for test in "$@"; do
		output_of "$test" "$name" >"$out/flaky/$test-$name.failed"
		output_of "$test" "$name-again" >"$out/flaky/$test-$name.passed"
		flaky+=("$test on $name: both outputs are ${out#"$TOP/"}/flaky/$test-$name.*")
	done
}

# guest_results NAME VM-OPTION... VERSION: of a guest that has run run.sh, with
# these words for vm/run.
guest_results()
{
	local name=$1 again=() tests=() where=" on $1"
	shift

	show_tests "$name"
	if [ "${status[$name]}" = 1 ]; then
		mapfile -t again < <(failed_tests "$name")
	fi
	if [ ${#again[@]} -gt 0 ]; then
		say "once more, alone: ${again[*]}"
		guest "$name-again" "$@" -- "$TOP/selftests/ci/run.sh" "${again[@]}"
		finish_guests "$name-again"
		show_tests "$name-again"
	fi
	if [ "${status[$name]}" -gt 1 ] ||
	   ! tally_tests "$out/$name.log" "${again[@]}"; then
		single "VM $name to the end (vm/run ended with ${status[$name]})" false
	fi
	[ ${#again[@]} -gt 0 ] || return 0
	if [ "${status[$name-again]}" -gt 1 ] ||
	   ! tally_tests "$out/$name-again.log"; then
		single "VM $name-again to the end (vm/run ended with ${status[$name-again]})" false
	fi
	mapfile -t tests < <(failed_tests "$name-again")
	failures+=("${tests[@]/%/ on $name}")
	[ "${status[$name-again]}" -gt 1 ] ||
		mapfile -t tests < <(printf '%s\n' "${again[@]}" |
			grep -vxF -f <(printf '%s\n' "${tests[@]-}")) &&
		keep_flaky "$name" "${tests[@]}"
}

rm -rf "$out/flaky"
mkdir -p "$out"

heading "setup"
single "setup" "$TOP/selftests/ci/setup.sh" || { totals; exit 1; }

if [ -e "$TOP/tools/Makefile" ]; then
	heading "tools"
	single "tools build" make -s -C "$TOP/tools"
fi

heading "static checks, module builds"
several "static checks" "$out/static.log" "$TOP/selftests/ci/static.sh" --results

bootable=()
for version in "${versions[@]}"; do
	if [ -e "$BUILD/$(kernel_release "$version")/ktput.ko" ]; then
		bootable+=("$version")
	else
		single "no module to test on $version" false
	fi
done

if [ ${#bootable[@]} -gt 0 ]; then
	heading "an isolated CPU on ${bootable[0]}, beside what needs no VM"
	guest isolated --append isolcpus=1 "${bootable[0]}" -- \
		"$TOP/selftests/ci/run.sh" test_isolated
fi
several "unit tests" "$out/unit.log" make -s -C "$TOP/selftests/unit" run
if [ ${#bootable[@]} -gt 0 ]; then
	finish_guests isolated
	guest_results isolated --append isolcpus=1 "${bootable[0]}"

	heading "signed modules only, on ${bootable[-1]}"
	guest signed --append module.sig_enforce=1 "${bootable[-1]}" -- \
		"$TOP/selftests/ci/run.sh" test_signed
	finish_guests signed
	guest_results signed --append module.sig_enforce=1 "${bootable[-1]}"

	heading "an exact clock on ${bootable[0]}, beside what needs no VM"
	guest exact --icount --nic e1000e "${bootable[0]}" -- "$TOP/selftests/ci/run.sh" exact
fi
several "laboratory" "$out/lab.log" "$TOP/selftests/ci/lab.sh"
single "unit tests notice faults" "$TOP/selftests/mutants/mutants.py" --sample 60
several "installation" "$out/install.log" "$TOP/selftests/ci/install.sh"
if [ ${#bootable[@]} -gt 0 ]; then
	finish_guests exact
	guest_results exact --icount --nic e1000e "${bootable[0]}"
fi

heading "tests on ${bootable[*]-no kernel}"
rm -rf "$out/shared"
mkdir "$out/shared"
shared=(--shared "$out/shared")
[ -z "$all" ] || shared=()
for version in "${bootable[@]}"; do
	guest "$version" --nic e1000e "${shared[@]}" "$version" -- \
		"$TOP/selftests/ci/run.sh" "${shared[@]}"
done
[ ${#bootable[@]} = 0 ] || finish_guests "${bootable[@]}"
for version in "${bootable[@]}"; do
	heading "results on $version"
	guest_results "$version" --nic e1000e "$version"
done

heading "done"
[ ${#flaky[@]} -le $FLAKY_AT_MOST ] ||
	single "no more than $FLAKY_AT_MOST flaky tests" false
[ ${#skips[@]} = 0 ] || printf 'skipped: %s\n' "${skips[@]}"
[ ${#flaky[@]} = 0 ] || printf 'flaky: %s\n' "${flaky[@]}"
[ ${#failures[@]} = 0 ] || printf 'failed: %s\n' "${failures[@]}"
totals
