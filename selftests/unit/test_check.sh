#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What check.sh makes of tests that are skipped, or fail now and then: it runs here
# with tests, kernels and a VM runner that are made up.

. "$(dirname "$0")/../lib/lib.sh"

copy=$(mktemp -d)
at_exit rm -rf "$copy"
mkdir -p "$copy"/{bin,tools,selftests/{ci,lib,cases,exact,vm,mutants,unit}}
cp "$TOP"/selftests/ci/{check.sh,tally.sh,run.sh,skips.txt} "$copy/selftests/ci"
cp "$TOP/selftests/lib/env.sh" "$copy/selftests/lib"
echo all: >"$copy/tools/Makefile"

# stub FILE LINE...: a script of these lines.
stub()
{
	local file=$copy/$1
	shift

	printf '%s\n' '#!/bin/bash' "$@" >"$file"
	chmod +x "$file"
}

# is TEST LINE...: what a test does from now on.
is()
{
	stub "selftests/cases/test_$1.sh" "${@:2}"
}

stub selftests/ci/setup.sh true
stub selftests/ci/module.sh true
printf 'run:\n\t@printf "1..1\\nok 1 unit\\n"\n' >"$copy/selftests/unit/Makefile"
stub selftests/mutants/mutants.py true
stub selftests/ci/lab.sh 'printf "1..1\nok 1 lab\n"'
stub selftests/ci/install.sh 'printf "1..1\nok 1 install\n"'
stub selftests/ci/static.sh 'printf "1..1\nok 1 sources\n"'
# The commands are run right here, where uname tells of the version before "--", and
# the VM ends as the file "health" says.
echo 0 >"$copy/health"
# shellcheck disable=SC2016  # for the stubs
stub selftests/vm/run 'while [ "$1" != -- ]; do' \
	'	[ "$1" != --results ] || results=$2' '	version=$1; shift' 'done' \
	'mkdir -p "$results"' \
	'export KTPUT_VM=1 VERSION=$version GUEST=$(basename "$results")' \
	'"${@:2}" >"$results/output" && status=0 || status=1' \
	'cat "$results/output"' "health=\$(cat '$copy/health')" \
	'[ "$health" = 0 ] && exit "$status"' 'exit "$health"'
# shellcheck disable=SC2016
stub bin/uname 'echo "$VERSION.0-1-amd64"'
# shellcheck disable=SC2016
printf '%s\n' 'kernel_release() { echo "$1"; }' 'sleep() { command sleep 0.1; }' \
	>>"$copy/selftests/lib/env.sh"

GOOD='printf "1..1\nok 1 a\n"'
BAD='printf "1..1\nnot ok 1 a\n"; exit 1'
# Bad but where it runs alone.
# shellcheck disable=SC2016
UNSURE='[[ $GUEST = *-again ]] && { '"$GOOD"'; exit; }; '"$BAD"

parts=()

# ends STATUS TOTALS [LINE]...: check.sh ends so, with these lines, and passed more.
ends()
{
	local want=$1 totals=$2 status=0 line
	shift 2

	PATH=$copy/bin:$PATH "$copy/selftests/ci/check.sh" "${parts[@]}" \
		>"$copy/out" 2>"$copy/err" || status=$?
	for line in "$@"; do
		grep -qxE -- "$line" "$copy/out" || want="the line '$line'"
	done
	[ "$status" = "$want" ] && [[ $(tail -n 1 "$copy/out") =~ ^[1-9][0-9]*" passed, $totals"$ ]] && return
	echo "not $want and '$totals', but $status and"
	cat "$copy/out" "$copy/err"
	return 1
}

kept()
{
	grep -q '^  not ok 1 a' "$copy/build/check/flaky/test_a-6.1.failed" &&
		grep -q '^  ok 1 a' "$copy/build/check/flaky/test_a-6.1.passed"
}

# once_each TEST...: each has passed on one kernel, or here; which, is a matter of time.
once_each()
{
	local test

	for test in "$@"; do
		[ "$(cat "$copy"/build/check/{6.*,any,alone-*,host}.log | grep -c "^# test_$test: 1 passed, 0 failed, 0 skipped")" = 1 ] ||
			return 1
	done
}

plan 25
is isolated "$GOOD"
is signed "$GOOD"
is a "$GOOD"
check "all is well" ends 0 "0 failed, 0 skipped"
is c '# kernel: any' "$GOOD"
stub selftests/cases/test_d.py '# kernel: any' "$GOOD"
check "tests that any kernel serves for" ends 0 "0 failed, 0 skipped"
check "run on one of them each" once_each c d
rm "$copy"/selftests/cases/test_[cd].*
# shellcheck disable=SC2016  # for the stub
is h '# kernel: host' '[ -n "${KTPUT_VM-}" ] && exit 1' "$GOOD"
check "what wants no module is run here" ends 0 "0 failed, 0 skipped"
check "and nowhere else" once_each h

# nothing_beside: while tests that run alone run, nothing else begins or ends, and there
# are no more than CPUs.
nothing_beside()
{
	grep -E '^(---|===) [^ ]+( begins)? \(' "$copy/out" | awk -v cpus="$(nproc)" '
		$2 ~ /^alone-/ && $1 == "---" && ++alone > cpus { bad = 1 }
		$2 ~ /^alone-/ && $1 == "===" { alone-- }
		$2 ~ /^alone-/ { if (running) bad = 1; seen++; next }
		alone && $2 != "done" { bad = 1 }
		$1 == "---" { running++ }
		$1 == "===" { running-- }
		END { exit bad || seen != 4 }' && once_each c &&
		[ "$(grep -l '^# test_l: 1 passed' "$copy"/build/check/*.log | xargs -n 1 basename |
			xargs)" = "alone-6.1.log alone-6.12.log" ]
}

# own_cpus: each of them had one.
own_cpus()
{
	local found

	mapfile -t found < <(sed -n 's/^ *# on CPU \([0-9]*\)$/\1/p' "$copy"/build/check/alone-*.log)
	echo "${found[@]}"
	[ ${#found[@]} = 2 ] && { [ "${found[0]}" != "${found[1]}" ] || [ "$(nproc)" = 1 ]; }
}

# One of the kernels takes longer than the other.
# shellcheck disable=SC2016  # for the stub
is a '[ "$GUEST" != 6.12 ] || sleep 1' "$GOOD"
is l '# runs: alone' 'taskset -cp $$ | sed "s/.*: /# on CPU /"' "$GOOD"
is c '# kernel: any' '# runs: alone' "$GOOD"
check "tests that run alone" ends 0 "0 failed, 0 skipped"
check "and nothing beside them" nothing_beside
check "on a CPU each" own_cpus
rm "$copy"/selftests/cases/test_[cl].sh
is a "$GOOD"

# only: two parts were run, and what one of them wants.
only()
{
	local parts=(unit signed)
	ends 0 "0 failed, 0 skipped" || return
	[ "$(grep -oP '^=== \K.*(?= \(\d+ s\)$)' "$copy/out" | grep -v '^done' | sort |
		xargs)" = "module-6.12 signed unit" ] || { cat "$copy/out"; return 1; }
}

check "parts by name, and what they want" only

no_such_part()
{
	"$copy/selftests/ci/check.sh" unit nothing 2>"$copy/err"
	[ $? = 2 ] && grep -q 'no part nothing: there are .*unit' "$copy/err"
}

check "a part that there is not" no_such_part

# interrupted: what it runs does not outlive it.
interrupted()
{
	local status=0

	# shellcheck disable=SC2016
	stub selftests/ci/lab.sh 'echo $$ >'"'$copy/lab'" 'command -p sleep 60'
	env --default-signal=INT "$copy/selftests/ci/check.sh" laboratory \
		>"$copy/out" 2>&1 &
	until [ -s "$copy/lab" ]; do sleep 0.1; done
	kill -INT $!
	wait $! || status=$?
	[ "$status" = 130 ] && ! kill -0 "$(cat "$copy/lab")" 2>/dev/null
	status=$?
	stub selftests/ci/lab.sh 'printf "1..1\nok 1 lab\n"'
	return "$status"
}

check "interrupted, it leaves nothing behind" interrupted

stub selftests/ci/lab.sh 'printf "1..2\n  1..1\n  not ok 1 test_a.py::b\nnot ok 1 pytest\n"; exit 1'
check "the end says what was bad in a part, and what is missing" ends 1 "2 failed, 0 skipped" \
	'failed: laboratory: 1 planned results are missing,test_a.py::b,pytest'
stub selftests/ci/lab.sh 'printf "1..1\nok 1 lab\n"'
# shellcheck disable=SC2016
is h '# kernel: host' '[ -n "${KTPUT_VM-}" ] && { '"$GOOD"'; exit; }' \
	'printf "1..2\nok 1 a\nok 2 b # SKIP no netem here\n"'
check "but in a VM, if this machine lacks what it wants" \
	ends 0 "0 failed, 0 skipped" \
	'# this machine lacks what these want, so a VM has them: test_h'
check "and there alone it counts" once_each h
is h '# kernel: host' "$BAD"
check "what fails here, fails" ends 1 "1 failed, 0 skipped" 'failed: test_h on host'
rm "$copy/selftests/cases/test_h.sh"
is a 'printf "1..0 # SKIP the module cannot be loaded\n"'
check "the module does not load" ends 1 "2 failed, 0 skipped" \
	'failed: test_a on 6.1' 'failed: test_a on 6.12'
is a 'printf "1..2\nok 1 a\nok 2 b # SKIP gnuplot is not installed\n"'
check "a package is missing" ends 1 "2 failed, 0 skipped"
is a "$GOOD"
is faults 'printf "1..0 # SKIP the kernel injects no faults: see there\n"'
check "what stock kernels lack is skipped, and named" \
	ends 0 "0 failed, 2 skipped" \
	'skipped: test_faults on 6\.1: all: the kernel injects no faults: see there'
is faults 'printf "1..0 # SKIP wants root\n"'
check "the same test for another reason" ends 1 "2 failed, 0 skipped"
rm "$copy/selftests/cases/test_faults.sh"
stub selftests/ci/static.sh 'printf "1..1\nok 1 sources # SKIP no checkpatch.pl\n"'
check "a static check" ends 1 "1 failed, 0 skipped"
stub selftests/ci/static.sh 'printf "1..1\nok 1 sources\n"'

is a "$UNSURE"
check "two that pass when repeated are flaky" \
	ends 0 "0 failed, 0 skipped" \
	'flaky: test_a on 6\.1, bad: a; .*' 'flaky: test_a on 6\.12, bad: a; .*'
check "both outputs are kept" kept
is b "$UNSURE"
check "more of them are a failure" ends 1 "1 failed, 0 skipped" \
	'failed: no more than 2 flaky tests'
rm "$copy/selftests/cases/test_b.sh"

is a "$GOOD"
echo 3 >"$copy/health"
check "a kernel that is in bad health" ends 1 "8 failed, 0 skipped" \
	'failed: VM 6\.1 to the end \(vm/run ended with 3\)'
stub selftests/vm/run 'exit 5'
check "a VM that does not boot" ends 1 "8 failed, 0 skipped" \
	'failed: VM exact to the end \(vm/run ended with 5\)'
finish
