#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl scenario: the short form of each scenario of a memo, in virtual time,
# where links and round trips are exact. Each run has a result, and each rule that
# the form has holds. The clock must be exact: vm/run --icount.

. "$(dirname "$0")/../lib/lib.sh"

[ "${KTPUT_ICOUNT-}" = 1 ] ||
	skip_all "the clock does not count instructions: vm/run --icount"
need_root
need gojq ip tc sysctl
need_lab
ktput_load || skip_all "the module cannot be loaded"
mapfile -t names < <(ktput-ctl -j scenario list | jq -r '.scenarios[].name')
plan $((3 * ${#names[@]} + 1))

scratch=$(mktemp -d)
at_exit rm -rf "$scratch"

read -r -a nics <<<"$(nic_words)"
short()
{
	ktput-ctl -j scenario "$1" short seed 1 "${nics[@]}" >"$scratch/$1"
}

# says NAME FILTER: true if it holds for the scenario.
says()
{
	jq -e ".scenario | $2" "$scratch/$1" || {
		jq -c '.scenario | .left_out, .same, .tables[].rows[]' "$scratch/$1"
		return 1
	}
}

left_behind()
{
	ip netns list | grep '^ktput-\(near\|far\)'
}

for name in "${names[@]}"; do
	check "$name: the short form" short "$name"
	check "$name: each run has a result" says "$name" '.made == .runs'
	check "$name: the same as the memo" says "$name" \
		'.same | length > 0 and all(.holds)'
done
check "no namespace is left" test -z "$(left_behind)"
finish
