#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the given KTAP programs as subtests of one KTAP stream and add them up.
# A program that dies, or prints less than its plan, fails by that alone.

passed=0
failed=0
skipped=0
number=0
result=$(mktemp) || exit 1
trap 'rm -f "$result"' EXIT

count() {
	grep -c -E "$1" "$result"
}

echo "KTAP version 1"
echo "1..$#"
for program in "$@"; do
	number=$((number + 1))
	name=$(basename "$program")
	"$program" >"$result" 2>&1
	status=$?
	sed 's/^/  /' "$result"

	plan=$(sed -n 's/^1\.\.\([0-9][0-9]*\)$/\1/p' "$result" | head -n 1)
	bad=$(count '^not ok [0-9]')
	skip=$(count '^ok [0-9]+ .*# SKIP')
	good=$(($(count '^ok [0-9]') - skip))
	if [ "$((good + bad + skip))" != "${plan:-none}" ]; then
		echo "# $name: $((good + bad + skip)) results, plan ${plan:-none}"
		bad=$((bad + 1))
	elif [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
		echo "# $name: exit status $status"
		bad=1
	fi
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + skip))
	if [ "$bad" -eq 0 ]; then
		echo "ok $number $name"
	else
		echo "not ok $number $name"
	fi
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
