#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh: every test there is, on this machine and on two stock kernels in VMs
#
# usage: selftests/check.sh [--help]
#
# Sets the machine up, builds the tools and runs their unit tests, checks the
# sources (static.sh), builds the module for 6.1 and 6.12, and runs every
# test_*.sh in a VM of each, both at the same time where there are two CPUs and
# enough memory. The last line sums all results up.
#
# exit: 0 nothing failed, 1 something did

set -u
. "$(dirname "$0")/env.sh"
. "$TOP/selftests/tally.sh"

case ${1-} in
--help|-h) usage; exit 0 ;;
'') ;;
*) usage >&2; exit 2 ;;
esac

versions=(6.1 6.12)
out=$BUILD/check
declare -A jobs=() status=()

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
		return 1
	fi
}

# several NAME LOG COMMAND...: a COMMAND that prints KTAP.
several()
{
	local name=$1 log=$2
	shift 2

	"$@" 2>&1 | tee "$log"
	tally "$name" "${PIPESTATUS[0]}" "$log"
}

# one_at_a_time: true if the guests would be in each other's way.
one_at_a_time()
{
	[ "$(nproc)" -lt 2 ] ||
		[ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -lt 5000000 ]
}

# await VERSION...: wait for their guests, and say now and then how far they are.
await()
{
	local version next=$((SECONDS + 30))

	while kill -0 "${jobs[@]}" 2>/dev/null; do
		sleep 1
		[ $SECONDS -ge $next ] || continue
		next=$((SECONDS + 30))
		for version in "$@"; do
			[ -e "$out/$version/status" ] ||
				say "$version: $(grep -a '^# Subtest' "$out/$version/output" |
					tail -n 1):$(tail -n 1 "$out/$version/output")"
		done 2>/dev/null
	done
}

# run_guests VERSION...: run all tests in a VM of each, progress on stderr; the
# exit statuses are left in status[].
run_guests()
{
	local version

	for version in "$@"; do
		rm -rf "${out:?}/$version"
		"$TOP/selftests/vm/run" --results "$out/$version" --timeout 3000 \
			"$version" -- "$TOP/selftests/run.sh" >"$out/$version.log" &
		jobs[$version]=$!
		one_at_a_time && await "$version"
	done
	await "$@"
	for version in "$@"; do
		wait "${jobs[$version]}"
		status[$version]=$?
	done
	jobs=()
}

# guest_results VERSION: show its log and count.
guest_results()
{
	cat "$out/$1.log"
	# A failed test is counted by now, all else is the VM's.
	if ! tally_totals "$out/$1.log" || [ "${status[$1]}" -gt 1 ]; then
		single "VM on $1 to the end (vm/run ended with ${status[$1]})" false
	fi
}

mkdir -p "$out"

heading "setup"
single "setup" "$TOP/selftests/setup.sh" || { totals; exit 1; }

if [ -e "$TOP/tools/Makefile" ]; then
	heading "tools"
	single "tools build" make -s -C "$TOP/tools"
fi

if [ -e "$TOP/selftests/unit/Makefile" ]; then
	heading "unit tests"
	several "unit tests" "$out/unit.log" make -s -C "$TOP/selftests/unit" run
fi

heading "static checks, module builds"
several "static checks" "$out/static.log" "$TOP/selftests/static.sh" --results

bootable=()
for version in "${versions[@]}"; do
	if [ -e "$BUILD/$(kernel_release "$version")/ktput.ko" ]; then
		bootable+=("$version")
	else
		single "no module to test on $version" false
	fi
done

heading "tests on ${bootable[*]-no kernel}"
[ ${#bootable[@]} = 0 ] || run_guests "${bootable[@]}"
for version in "${bootable[@]}"; do
	heading "results on $version"
	guest_results "$version"
done

heading "done"
totals
