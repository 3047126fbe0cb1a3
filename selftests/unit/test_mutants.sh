#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The list of faults fits the tree, and mutants.py tells those that tests notice
# from others: of a tree that is made up here.

. "$(dirname "$0")/../lib/lib.sh"

need rsync make /usr/bin/python3
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
mkdir -p "$scratch"/selftests/{cases,ci,mutants/faults,unit} "$scratch/tools"
cp "$TOP"/selftests/mutants/*.py "$scratch/selftests/mutants"
cp "$TOP/selftests/ci/tests.py" "$scratch/selftests/ci"
printf 'all:\n%%:\n\t@:\n' | tee "$scratch/tools/Makefile" \
	>"$scratch/selftests/unit/Makefile"
echo 'one two three' >"$scratch/tools/words.c"

# test_is NAME LINE: a test of the made-up tree, on this machine.
test_is()
{
	# shellcheck disable=SC2016  # for the test
	printf '%s\n' '#!/bin/bash' 'cd "$(dirname "$0")/../.."' "$2" \
		>"$scratch/selftests/cases/test_$1.sh"
	chmod +x "$scratch/selftests/cases/test_$1.sh"
}

# fault_is TEST OLD NEW [ACCEPTED]: the only fault.
fault_is()
{
	cat >"$scratch/selftests/mutants/faults/a.yaml" <<-END
	- file: tools/words.c
	  tests: host/test_$1
	  faults:
	    - fault: a word is another
	      old: '$2'
	      new: '$3'
	      ${4:+accepted: $4}
	END
}

# ends STATUS PATTERN: mutants.py does so, and the tree is as it was.
ends()
{
	local status=0

	"$scratch/selftests/mutants/mutants.py" >"$scratch/out" 2>&1 || status=$?
	[ "$status" = "$1" ] && grep -qE "$2" "$scratch/out" &&
		[ "$(cat "$scratch/tools/words.c")" = 'one two three' ] && return
	echo "it ended with $status"
	cat "$scratch/out"
	return 1
}

fits()
{
	"$TOP/selftests/mutants/mutants.py" --list >"$scratch/list" 2>&1 && return
	grep -v '^[0-9]* [a-z/_.]*: .*\]$' "$scratch/list"
	return 1
}

# drawn: lines of the code, that have changed, by a seed.
drawn()
{
	local seed

	for seed in 1 1 2; do
		"$TOP/selftests/mutants/mutants.py" --blind 20 --seed "$seed" \
			--only '^tools/(analysis|lab/ktput/ladder)/' --list \
			>"$scratch/drawn" 2>/dev/null || return 1
		[ "$(grep -cE "^[a-z0-9-]+ tools/[a-z/_.]+: [0-9]+: '.*' is '.*' \[.*test_" \
			"$scratch/drawn")" = 20 ] || { cat "$scratch/drawn"; return 1; }
		sha256sum <"$scratch/drawn"
	done >"$scratch/sums"
	[ "$(sort -u "$scratch/sums" | wc -l)" = 2 ] && uniq -d "$scratch/sums" | grep -q .
}

# enough LEAST FOLDER: faults in it.
enough()
{
	[ "$(grep -c "^[0-9]* $2/" "$scratch/list")" -ge "$1" ]
}

NOTICES='printf "1..1\n"; grep -q two tools/words.c && echo ok 1 a || { echo not ok 1 a; exit 1; }'

plan 11
check "each fault fits its file, and its tests are there" fits
check "faults of the tools" enough 150 tools
check "faults of the module" enough 150 kmod
check "faults that are drawn from the code" drawn
test_is a "$NOTICES"
fault_is a 'one two' 'one'
check "a fault that is noticed" ends 0 ' killed .*: a word is another .*test_a: a'
fault_is a three four
check "one that is not" ends 1 '1 of 1 faults.*: 0 killed .*, 1 survived'
fault_is a three four 'it is the last'
check "one that no test can notice" ends 0 ' 1 accepted, '
fault_is a four five
check "one that does not fit" ends 1 " 1 unfit, "
fault_is b two four
test_is b 'echo "1..0 # SKIP no such kernel"'
check "a test that skips itself judges nothing" ends 1 'test_b: no such kernel; no fault'
test_is b 'printf "1..1\nok 1 b # SKIP no such device\n"'
check "nor does one of which all is skipped" ends 1 'test_b: no such device; no fault'
test_is b 'printf "1..1\nnot ok 1 b\n"; exit 1'
check "nor one that fails as it is" ends 1 'test_b: b; no fault'
finish
