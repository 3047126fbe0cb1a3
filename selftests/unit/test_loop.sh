#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A developer's loop: one unit test is built of the sources as they are, make refuses
# a path that it does not take, make test finds tests by name, pattern, file and
# change, the VM runner gives a VM the tree wherever it lies, and vm/in runs commands in
# a VM that stays. The VM is this machine here.

. "$(dirname "$0")/../lib/lib.sh"

need git make setsid /usr/bin/python3
unset MAKEFLAGS MFLAGS MAKELEVEL
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"

builds_the_library()
{
	make -n -C "$TOP/selftests/unit" "O=$scratch/unit" "$scratch/unit/test_units" |
		grep -q 'tools/base/units\.c'
}

# in_place PATH GOAL: what make of a tree at PATH says to GOAL.
in_place()
{
	mkdir -p "$1"
	cp "$TOP/Makefile" "$1"
	make -n -C "$1" "$2"
}

# finds WORDS TEST...: make test of these WORDS runs these, and no others.
finds()
{
	local words=$1
	shift

	# shellcheck disable=SC2086  # they are words
	diff <(printf '%s\n' "$@" | sort) \
		<("$TOP/selftests/ci/test.py" --list $words | grep -v '^#' | sort)
}

# A test that the usage does not tell of.
names_all()
{
	local test missing=0

	"$TOP/selftests/ci/test.py" 2>"$scratch/usage" && return 1
	for test in "$TOP"/selftests/{unit,cases,exact,lab}/test_* \
		    "$TOP"/tools/lab/tests/test_*.py; do
		test=$(basename "${test%.*}")
		grep -q "\b${test#test_}\b" "$scratch/usage" && continue
		echo "$test is not named"
		missing=1
	done
	return "$missing"
}

# Of a tree of two files, one of which is changed.
changed()
{
	local tree=$scratch/tree

	mkdir -p "$tree"/{tools/base,selftests/{unit,ci,mutants/faults}}
	cp "$TOP"/selftests/ci/tes{t,ts}.py "$tree/selftests/ci"
	cp "$TOP/selftests/mutants/faults.py" "$tree/selftests/mutants"
	echo '[]' >"$tree/selftests/mutants/faults/a.yaml"
	echo '#include "../../tools/base/a.h"' >"$tree/selftests/unit/test_one.c"
	echo '#include "../../tools/base/b.h"' >"$tree/selftests/unit/test_two.c"
	echo '#include "c.h"' >"$tree/tools/base/b.h"
	touch "$tree"/tools/base/{a,a,c}.{c,h}
	git -C "$tree" init -q && git -C "$tree" add . &&
		git -C "$tree" -c user.name=a -c user.email=a commit -qm a &&
		echo '/* more */' | tee "$tree/tools/base/a.c" >"$tree/tools/base/c.h"
	"$tree/selftests/ci/test.py" --list --changed 1 | tee "$scratch/changed"
	[ "$(grep -c '^unit/test_one$' "$scratch/changed")" = 1 ] &&
		grep -qx '# tools/base/a.c: uses' "$scratch/changed" &&
		grep -qx '# tools/base/c.h: uses, by others' "$scratch/changed" &&
		grep -qx 'unit/test_two' "$scratch/changed"
}

# The runner with a stand-in for virtme-ng, which keeps its words.
runner_gives()
{
	local results="$scratch/results"

	mkdir -p "$scratch"/cache/{nfs/sbin,nfs/usr/sbin,venv/bin}
	cat >"$scratch/cache/venv/bin/vng" <<-END
		#!/bin/bash
		printf '%s\n' "\$@" >'$results/words'
		echo 1 >'$results/started'
		echo 0 >'$results/status'
	END
	chmod +x "$scratch/cache/venv/bin/vng"
	KTPUT_CACHE=$scratch/cache "$TOP/selftests/vm/run" --tcg --results "$results" \
		6.1 -- true || return
	grep -qx -e "--rodir=/run/ktput/tree=$TOP" "$results/words" &&
		grep -qx -e "--rwdir=/run/ktput/results=$results" "$results/words" &&
		diff "$results/places" <(printf '%s\n' "$TOP" "$results" &&
			printf '%s\n' "tree=$TOP" "cache=$scratch/cache" \
				"results=$results" | sort -t = -k 2)
}

# The half of vm/in that a VM runs, here.
export KTPUT_VM_KEPT=$scratch/vm
IN=$TOP/selftests/vm/in
begin_kept()
{
	mkdir -p "$KTPUT_VM_KEPT"
	(cd "$TOP" && exec env "KTPUT_RESULTS=$KTPUT_VM_KEPT" selftests/vm/kept) \
		</dev/null >/dev/null 2>&1 &
	echo $! >"$KTPUT_VM_KEPT/runner"
	at_exit touch "$KTPUT_VM_KEPT/stop"
	echo here >"$KTPUT_VM_KEPT/run.log"
	wait_for "$BOUND" "$IN" up
}

ends_with_7()
{
	local status=0 output

	output=$("$IN" -- bash -c 'pwd; echo bad >&2; exit 7' 2>&1) || status=$?
	[ "$status" = 7 ] && [ "$output" = "$TOP"$'\n'bad ]
}

two_at_a_time()
{
	"$IN" -- bash -c "until [ -e '$scratch/second' ]; do sleep 0.1; done" &
	"$IN" touch "$scratch/second"
	wait $!
}

interrupted()
{
	local pid

	"$IN" -- bash -c "echo \$\$ >'$scratch/pid'; sleep 20" &
	pid=$!
	wait_for "$BOUND" test -s "$scratch/pid" && kill -TERM "$pid" || return
	! wait "$pid" && ! kill -0 "$(cat "$scratch/pid")"
}

stops()
{
	echo 0 >"$KTPUT_VM_KEPT/ended"
	"$IN" stop && ! "$IN" up
}

plan 19
check "one unit test builds the library of the tools" builds_the_library
refused "a path with a blank" 2 'may have letters' in_place "$scratch/a b" demo
refused "a path with a sign of make" 2 'may have letters' in_place "$scratch/a#b" all
long=$scratch/$(printf 'x%.0s' {1..128})
refused "a path of more than 128 bytes" 2 'may have 128 bytes' in_place "$long" check
check "help is not refused" in_place "$scratch/a b" help
check "a path that is fine" in_place "$scratch/+a_b.c-1" check
check "tests by name" finds units unit/test_units lab/test_units
check "by place and name" finds "unit/units exact/test_window.sh" \
	unit/test_units exact/test_window
check "by pattern" finds "--kernels 6.12 unit/tcp_[mv]* ceilings" unit/test_tcp_memory \
	unit/test_tcp_verdict exact/test_ceilings
check "by the list of faults" finds kmod/"udp_direct.c" vm/test_udp
check "by what changed" changed
refused "a test that is not there" 2 "no test 'unit/unitz'; unit/units" \
	"$TOP/selftests/ci/test.py" unit/unitz
check "the usage names all" names_all
if [ -n "$(kernel_release 6.1)" ]; then
	check "a VM is given tree and results at their paths" runner_gives
else
	skip "a VM is given tree and results at their paths" "no kernel 6.1"
fi
check "a VM that stays" begin_kept
check "a command in it, its output and its status" ends_with_7
check "two at a time" two_at_a_time
check "one that is interrupted ends there too" interrupted
check "it is stopped" stops
finish
